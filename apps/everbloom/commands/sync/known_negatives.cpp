#include "commands/sync/known_negatives.hpp"

#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>

#include <algorithm>
#include <iterator>

namespace everbloom::cli {
namespace {

key_list without(const key_list& list, const key_list& others) {
    key_list made;
    std::set_difference(list.begin(), list.end(), others.begin(), others.end(), std::back_inserter(made));
    return made;
}

} // namespace

result<separate_lists> separate(const sync_flags& flags, key_list members, key_list negatives) {
    key_list both;
    std::set_intersection(members.begin(), members.end(), negatives.begin(), negatives.end(), std::back_inserter(both));
    if (both.empty()) return separate_lists{std::move(members), std::move(negatives), 0};
    if (flags.members_win) return separate_lists{std::move(members), without(negatives, both), both.size()};
    if (flags.negatives_win) return separate_lists{without(members, both), std::move(negatives), both.size()};
    constexpr std::size_t most_named = 5;
    std::string named;
    for (std::size_t i = 0; i < std::min(both.size(), most_named); ++i) {
        named += (named.empty() ? "" : ", ") + printable(both[i]);
    }
    return fail(
        failure_reason::bad_parameter,
        fmt::format("{}: {} of the known negatives {} in the list as well: {}{}; --protect-wins leaves them out of "
                    "the filter, --members-win keeps them in it",
                    flags.path, grouped(both.size()), both.size() == 1 ? "is" : "are", named,
                    both.size() > most_named ? ", ..." : ""));
}

} // namespace everbloom::cli
