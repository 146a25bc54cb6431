#include "commands/sync/known_negatives.hpp"

#include "filters/protected_networks.hpp"
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

result<key_list> networks_to_exclude(const key_list& members, const key_list& negatives, key_arena& arena) {
    prefix_lengths in_use;
    for (const std::string_view key : members) {
        if (const auto one = parse_network(key)) in_use.add(*one);
    }
    const protected_networks networks(in_use);
    list_builder made;
    for (const std::string_view key : negatives) {
        const auto asked_for = networks.keys_of(key);
        if (!asked_for) return fail(asked_for.error());
        for (const network& one : *asked_for) made.add(one.spelled());
    }
    return std::move(made).finish(arena);
}

result<separate_lists> separate(const sync_flags& flags, key_type type, key_list members, key_list negatives) {
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
    if (both.size() > most_named) named += ", ...";
    const std::string what =
        type == key_type::cidr
            ? fmt::format("{} of the list {} a known negative, or {} in one", counted(both.size(), "network"),
                          both.size() == 1 ? "contains" : "contain", both.size() == 1 ? "is" : "are")
            : fmt::format("{} of the known negatives {} in the list as well", grouped(both.size()),
                          both.size() == 1 ? "is" : "are");
    return fail(failure_reason::bad_parameter,
                fmt::format("{}: {}: {}; --protect-wins leaves them out of the filter, --members-win keeps them in it",
                            flags.path, what, named));
}

} // namespace everbloom::cli
