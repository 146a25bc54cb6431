// Pairs, tuples and arrays of keys are keys, nested ones too, and may be asked for in other types with the same bytes.
#include <everbloom/everbloom.hpp>

#include <array>
#include <tuple>
#include <utility>

using edge = std::pair<std::string, std::uint32_t>;
using nested = std::tuple<edge, std::array<int, 2>>;

bool ask(everbloom::filter<edge>& edges, everbloom::filter<nested>& all) {
    edges.insert({"anna", 5});
    all.insert({{"anna", 5}, {1, 2}});
    return edges.may_contain(std::tuple(std::string_view("anna"), 5)) && all.may_contain({{"bert", 5}, {1, 2}});
}
