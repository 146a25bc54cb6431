// expect: everbloom: this type is no key
#include <everbloom/everbloom.hpp>

everbloom::filter<std::vector<int>> lists({.capacity = 100});
