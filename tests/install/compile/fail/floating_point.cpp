// expect: everbloom: a floating-point number is no key
#include <everbloom/everbloom.hpp>

everbloom::filter<double> prices({.capacity = 100});
