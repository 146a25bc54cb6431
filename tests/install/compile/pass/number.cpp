// Whole numbers of every width and sign are keys, and the same key if their values are the same.
#include <everbloom/everbloom.hpp>

bool ask(everbloom::filter<int>& seen, everbloom::filter<std::uint64_t, everbloom::blocked>& fast) {
    seen.insert(-1);
    fast.insert(std::uint8_t{200});
    return seen.may_contain(5L) && seen.may_contain(std::int16_t{5}) && fast.may_contain(true) && fast.may_contain('x');
}
