// expect: everbloom: this is not a key of this filter
#include <everbloom/everbloom.hpp>

#include <cstdint>
#include <string>

int main() {
    everbloom::concurrent_filter<std::uint64_t> numbers({.capacity = 10});
    return numbers.may_contain("5") ? 1 : 0;
}
