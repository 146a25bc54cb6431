// The least that a program does with everbloom. Compiled by the consumers in the folders beside this file.
#include <everbloom/everbloom.hpp>

int main() {
    everbloom::filter<std::string> seen({.capacity = 1'000'000, .fpr = 0.01});
    seen.insert("anna");
    return seen.may_contain("anna") ? 0 : 1;
}
