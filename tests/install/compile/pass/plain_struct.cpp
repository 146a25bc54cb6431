// A struct without padding is a key as it is.
#include <everbloom/everbloom.hpp>

struct point {
    std::int32_t x;
    std::int32_t y;
};

bool ask(everbloom::filter<point>& seen, everbloom::concurrent_filter<point>& shared) {
    seen.insert({1, 2});
    shared.insert(point{1, 2});
    return seen.may_contain({1, 2}) && shared.may_contain(point{1, 2});
}
