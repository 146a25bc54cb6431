// expect: everbloom: this is not a key of this filter
#include <everbloom/everbloom.hpp>

bool ask(const everbloom::filter<std::string>& names) { return names.may_contain(5); }
