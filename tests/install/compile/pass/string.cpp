// A string is a key; so is every spelling of the same text.
#include <everbloom/everbloom.hpp>

bool ask(everbloom::filter<std::string>& seen, const std::string& text) {
    seen.insert(text);
    seen.insert("a literal");
    seen.erase("a literal");
    const char* const pointer = text.c_str();
    return seen.may_contain(text) && seen.may_contain(pointer) && seen.may_contain(std::string_view(text));
}
