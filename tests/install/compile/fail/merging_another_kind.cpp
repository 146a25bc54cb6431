// expect: everbloom: only filters of the same key type and kind can be merged
#include <everbloom/everbloom.hpp>

#include <cstdint>
#include <string>

int main() {
    everbloom::filter<std::string> names({.capacity = 10});
    names |= everbloom::filter<std::string, everbloom::blocked>({.capacity = 10});
}
