// A string_view is a key, and a vector of them is a batch, not a key.
#include <everbloom/everbloom.hpp>

std::vector<std::uint8_t> ask(everbloom::filter<std::string_view>& seen, const std::vector<std::string_view>& texts) {
    seen.insert(texts);
    seen.insert(std::string("a string"));
    return seen.may_contain(texts);
}
