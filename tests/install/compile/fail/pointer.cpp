// expect: everbloom: a pointer is no key
#include <everbloom/everbloom.hpp>

everbloom::filter<int*> addresses({.capacity = 100});
