// Uses a filter that came out of the loader as hard as its kind allows. Whatever file it came from, it was called intact: so
// nothing may break, an inserted key must be found, and what is written must load again to the same bytes.
#pragma once

#include "hostile/small_file.hpp"

#include <everbloom/probe/mix.hpp>

#include <array>
#include <cmath>
#include <numeric>

namespace everbloom::hostile {

inline constexpr std::size_t strangers = 40;

[[nodiscard]] inline std::array<digest, strangers> strange_digests(std::uint64_t seed) {
    std::array<digest, strangers> made;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = {mix(seed + 2 * i), mix(~seed - 2 * i)};
    // The ends of the range, where an index is most easily one too far.
    made[0] = {0, 0};
    made[1] = {~std::uint64_t{0}, ~std::uint64_t{0}};
    made[2] = {~std::uint64_t{0}, 0};
    return made;
}

inline void expect_queries_agree(const any_filter& filter, std::span<const digest> items) {
    std::array<std::uint8_t, strangers> answers{};
    filter.may_contain(items, answers);
    for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(filter.may_contain(items[i]), answers[i] != 0);
}

inline void expect_sane_reports(const any_filter& filter) {
    const measurement seen = filter.measure();
    EXPECT_TRUE(seen.fpr >= 0 && seen.fpr <= 1) << seen.fpr;
    EXPECT_TRUE(std::isfinite(seen.items) && seen.items >= 0) << seen.items;
    if (seen.deletable_share) {
        EXPECT_TRUE(*seen.deletable_share >= 0 && *seen.deletable_share <= 1);
    }
    const cell_census census = filter.census(7, 5);
    EXPECT_EQ(std::accumulate(census.values.begin(), census.values.end(), std::uint64_t{0}), census.cells);
}

/// What changes a whole filter may find that there is no room, that its geometry has come to an end, or that the other filter uses other
/// hash functions (a seed of yes_no is part of its contents).
inline void expect_done_or_no_room(const result<void>& done) {
    if (done) return;
    const failure_reason why = done.error().reason;
    EXPECT_TRUE(why == failure_reason::no_room || why == failure_reason::unsupported ||
                why == failure_reason::bad_parameter || why == failure_reason::mismatch)
        << done.error().sentence;
}

inline void expect_changes_work(any_filter& filter, std::span<const digest> items) {
    std::array<insert_outcome, strangers> inserted{};
    ASSERT_TRUE(filter.insert(items, inserted));
    const bool keeps = !find_kind(filter.kind())->loses_members;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!succeeded(inserted[i]) || !keeps) continue;
        ASSERT_TRUE(filter.may_contain(items[i])) << "an inserted key is not found";
        if (filter.can(capability::count)) {
            ASSERT_GE(filter.estimate_count(items[i]).value(), 1u);
        }
    }
    if (filter.can(capability::erase)) {
        std::array<erase_outcome, strangers> erased{};
        ASSERT_TRUE(filter.erase(items, erased));
    }
    if (filter.can(capability::merge)) {
        auto other = build_like(filter);
        ASSERT_TRUE(other) << other.error().sentence;
        expect_done_or_no_room(other->merge(filter));
        expect_done_or_no_room(filter.merge(*other));
    }
    if (filter.can(capability::grow)) expect_done_or_no_room(filter.grow());
    if (filter.can(capability::shrink)) expect_done_or_no_room(filter.shrink());
}

/// Writes, reads and writes again; the bytes stay.
inline void expect_round_trip(const filter_file& file) {
    const file_bytes written = write_filter(file);
    const auto again = read_filter(written);
    ASSERT_TRUE(again) << again.error().sentence;
    ASSERT_EQ(write_filter(*again), written);
}

inline void operate(filter_file& file, std::uint64_t seed) {
    const auto items = strange_digests(seed);
    expect_queries_agree(file.filter(), items);
    expect_sane_reports(file.filter());
    expect_round_trip(file);
    if (!file.filter().can(capability::insert)) return;
    expect_changes_work(file.filter(), items);
    expect_queries_agree(file.filter(), items);
    expect_sane_reports(file.filter());
    expect_round_trip(file);
    ASSERT_TRUE(file.filter().clear());
    expect_round_trip(file);
}

} // namespace everbloom::hostile
