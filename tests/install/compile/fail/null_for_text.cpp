// expect: everbloom: a pointer is no key
#include <everbloom/everbloom.hpp>

#include <cstdint>
#include <string>

int main() {
    everbloom::filter<std::string> names({.capacity = 10});
    return names.may_contain(nullptr) ? 1 : 0;
}
