// make_room: growth of an Abseil hash set with the strong exception guarantee.
//
// A flat_hash_set that grows by itself records its new capacity before it has allocated the memory. If the allocation throws, the set is
// corrupt: its destructor frees memory that was never allocated. So every insertion into the sets of the gate calls make_room first, which
// copies the set into a larger one if it is full; if that allocation throws, the set is unchanged.
#pragma once

#include <cstddef>
#include <cstdint>

namespace everbloom::cli {

/// Makes room for one more entry, so that the next insertion does not allocate. Leaves the set unchanged if it throws.
template <class Set>
void make_room(Set& set) {
    // Up to a load of 25/32 the set removes tombstones in place instead of growing, provided it has more slots than one group (at most
    // 16).
    constexpr std::uint64_t most_full = 25;
    constexpr std::uint64_t of = 32;
    constexpr std::size_t fewest_places = 31;
    if (set.capacity() >= fewest_places && (set.size() + 1) * of <= set.capacity() * most_full) return;
    const std::size_t places = set.capacity() < fewest_places ? fewest_places : 2 * set.capacity() + 1;
    Set larger(places, set.hash_function(), set.key_eq());
    for (auto& one : set) larger.insert(one);
    set.swap(larger);
}

/// Inserts all of them, with make_room before each.
template <class Set, class Range>
void insert_all(Set& set, const Range& more) {
    for (const auto& one : more) {
        make_room(set);
        set.insert(one);
    }
}

} // namespace everbloom::cli
