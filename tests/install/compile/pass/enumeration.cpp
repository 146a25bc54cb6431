// An enum is a key, scoped or not.
#include <everbloom/everbloom.hpp>

enum class colour : unsigned char { red, green };
enum shape { circle, square };

bool ask(everbloom::filter<colour>& colours, everbloom::filter<shape>& shapes) {
    colours.insert(colour::red);
    shapes.insert(circle);
    return colours.may_contain(colour::green) && shapes.may_contain(square);
}
