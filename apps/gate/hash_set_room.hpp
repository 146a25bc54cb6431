// make_room: lets a hash set of Abseil grow without losing it when memory is short.
//
// A flat_hash_set that grows by itself notes its new capacity before it has the memory. If the allocation throws, the set is broken: to
// destroy it frees memory that it never had. So every insertion into the sets of the gate asks for room first. Then the set is copied into
// a larger one, whose constructor either has its memory or throws without having touched anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace everbloom::cli {

/// Room for one more, so that the insertion that follows allocates nothing. Nothing has changed if it throws.
template <class Set>
void make_room(Set& set) {
    // Up to 25 of 32 places the set rids itself of erased entries in place, and does not grow; so it is if it has more places than
    // one group, which is 16 at most.
    constexpr std::uint64_t most_full = 25;
    constexpr std::uint64_t of = 32;
    constexpr std::size_t fewest_places = 31;
    if (set.capacity() >= fewest_places && (set.size() + 1) * of <= set.capacity() * most_full) return;
    const std::size_t places = set.capacity() < fewest_places ? fewest_places : 2 * set.capacity() + 1;
    Set larger(places, set.hash_function(), set.key_eq());
    for (auto& one : set) larger.insert(one);
    set.swap(larger);
}

/// All of them, each with room made for it.
template <class Set, class Range>
void insert_all(Set& set, const Range& more) {
    for (const auto& one : more) {
        make_room(set);
        set.insert(one);
    }
}

} // namespace everbloom::cli
