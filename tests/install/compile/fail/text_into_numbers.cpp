// expect: everbloom: this is not a key of this filter
#include <everbloom/everbloom.hpp>

void add(everbloom::filter<std::uint64_t>& numbers) { numbers.insert(std::string("5")); }
