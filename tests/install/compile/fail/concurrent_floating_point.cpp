// expect: everbloom: a floating-point number is no key
#include <everbloom/everbloom.hpp>

everbloom::concurrent_filter<double> prices({.capacity = 100});
