// expect: everbloom: this is not a key of this filter
#include <everbloom/everbloom.hpp>

void add(everbloom::filter<std::string>& names) { names.insert(5); }
