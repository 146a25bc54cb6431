// expect: everbloom: a floating-point number is no key
#include <everbloom/everbloom.hpp>

#include <cstdint>
#include <string>

int main() {
    everbloom::filter<std::uint64_t> numbers({.capacity = 10});
    return numbers.may_contain(2.7) ? 1 : 0;
}
