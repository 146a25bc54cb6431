// expect: everbloom: this is not a key of this filter
#include <everbloom/everbloom.hpp>

bool ask(const everbloom::filter<std::uint64_t>& numbers) { return numbers.may_contain("5"); }
