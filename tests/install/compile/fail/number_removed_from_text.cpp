// expect: everbloom: this is not a key of this filter
#include <everbloom/everbloom.hpp>

#include <cstdint>
#include <string>

int main() {
    everbloom::filter<std::string> names({.capacity = 10});
    names.erase(5);
}
