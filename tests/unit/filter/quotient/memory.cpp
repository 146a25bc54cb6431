// The memory of a quotient filter: no operation takes or moves much of it, it follows the keys in both directions, and a host that
// refuses it loses nothing.
#include "support/counted_memory.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"

#include <everbloom/model/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace everbloom {
namespace {

using support::counted_memory;
using support::key_family;
using support::must;
using support::rounds;
using support::snapshot_of;

constexpr std::uint64_t unit_bytes = chunked_words::unit_lines * line_bytes;

quotient_filter growing_quotient(std::uint64_t capacity) {
    const quotient_spec preset{.buckets = 0, .remainder_bits = 0, .planned_keys = 1 << 24};
    return must(make<quotient_filter>(must(quotient_model::plan({capacity, 0.001}, preset))));
}
/// What a filter says it holds, less the addresses of its units.
void expect_exact_memory(const quotient_filter& filter, const counted_memory& memory) {
    const std::uint64_t said = filter.memory_words() * sizeof(std::uint64_t);
    const std::uint64_t units = memory.blocks();
    EXPECT_GE(said, memory.held_bytes());
    EXPECT_LE(said, memory.held_bytes() + 512 + 256 * units);
}
/// A filter has no more than two steps more than it needs.
void expect_fitting_memory(const quotient_filter& filter) {
    const std::uint64_t lines = filter.spec().lines();
    const std::uint64_t step = std::min(lines / 64 + 1, chunked_words::unit_lines);
    EXPECT_LE(filter.memory_words(), (lines + 2 * step) * line_words + 64 + lines / chunked_words::unit_lines * 32);
}

TEST(quotient_memory, no_operation_takes_more_than_one_unit_of_it) {
    const counted_memory memory;
    auto filter = growing_quotient(1000);
    const std::uint64_t held_at_first = memory.held_bytes();
    const auto keys = key_family(11).first(rounds(900'000));
    (void)memory.taken_bytes();
    std::uint64_t most_taken = 0;
    std::uint64_t takings = 0;
    const auto count = [&] {
        const std::uint64_t taken = memory.taken_bytes();
        most_taken = std::max(most_taken, taken);
        takings += taken != 0 ? 1 : 0;
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_TRUE(succeeded(filter.insert(keys[i])));
        count();
        if (i % 20'000 == 0) {
            expect_exact_memory(filter, memory);
            expect_fitting_memory(filter);
        }
    }
    EXPECT_LE(most_taken, unit_bytes);
    EXPECT_GT(takings, 30u);
    const std::uint64_t held_when_full = memory.held_bytes();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(filter.erase(keys[i]), erase_outcome::removed);
        count();
        if (i % 20'000 == 0) {
            expect_exact_memory(filter, memory);
            expect_fitting_memory(filter);
        }
    }
    EXPECT_LE(most_taken, unit_bytes);
    EXPECT_LE(memory.largest_block(), unit_bytes);
    EXPECT_LT(held_at_first, held_when_full);
    EXPECT_LE(memory.held_bytes(), held_at_first + 4 * line_bytes); // what it keeps to grow again
    expect_exact_memory(filter, memory);
}

TEST(quotient_memory, each_refusal_of_it_while_growing_loses_nothing) {
    const auto keys = key_family(12).first(60'000);
    for (std::uint64_t number = 1; number <= 12; ++number) {
        const counted_memory memory;
        auto filter = growing_quotient(200);
        memory.refuse(3 * number);
        for (const digest& key : keys) ASSERT_TRUE(succeeded(filter.insert(key)));
        EXPECT_EQ(filter.keys(), keys.size());
        for (const digest& key : keys) ASSERT_TRUE(filter.may_contain(key));
    }
}

TEST(quotient_memory, without_more_of_it_keys_are_refused_and_nothing_else_happens) {
    const counted_memory memory;
    auto filter = growing_quotient(5000);
    const auto keys = key_family(13).first(30'000);
    std::size_t in = 0;
    for (; in < 10'000; ++in) ASSERT_TRUE(succeeded(filter.insert(keys[in])));
    memory.refuse_all();
    std::size_t refused_key = in;
    while (refused_key < keys.size() && succeeded(filter.insert(keys[refused_key]))) ++refused_key;
    ASSERT_LT(refused_key, keys.size()); // it is full
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(keys[refused_key]), insert_outcome::growth_refused);
    EXPECT_EQ(snapshot_of(filter), before);
    EXPECT_FALSE(filter.grow().has_value());
    EXPECT_EQ(snapshot_of(filter), before);
    for (std::size_t i = 0; i < refused_key; ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
    // Removal needs no memory, and what is then added fits again.
    for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(filter.erase(keys[i]), erase_outcome::removed);
    EXPECT_TRUE(succeeded(filter.insert(keys[refused_key])));
    // And nothing was broken: with memory it grows on.
    memory.refuse_none();
    for (std::size_t i = refused_key + 1; i < keys.size(); ++i) ASSERT_TRUE(succeeded(filter.insert(keys[i])));
    for (std::size_t i = 100; i < keys.size(); ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
}

TEST(quotient_memory, shrinking_without_memory_for_a_smaller_unit_keeps_the_larger_one) {
    const counted_memory memory;
    auto filter = growing_quotient(200);
    const auto keys = key_family(14).first(40'000);
    for (const digest& key : keys) ASSERT_TRUE(succeeded(filter.insert(key)));
    memory.refuse_all();
    for (std::size_t i = 1000; i < keys.size(); ++i) ASSERT_EQ(filter.erase(keys[i]), erase_outcome::removed);
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
    expect_exact_memory(filter, memory);
    memory.refuse_none();
    filter.clear();
    expect_fitting_memory(filter);
    expect_exact_memory(filter, memory);
}

TEST(quotient_memory, is_in_units_also_for_a_filter_that_is_large_from_the_start) {
    const counted_memory memory;
    auto filter = growing_quotient(1'500'000);
    EXPECT_GT(memory.held_bytes(), 10 * unit_bytes);
    EXPECT_EQ(memory.largest_block(), unit_bytes);
    expect_exact_memory(filter, memory);
    must(filter.grow());
    EXPECT_EQ(memory.largest_block(), unit_bytes);
    expect_exact_memory(filter, memory);
    must(filter.shrink());
    EXPECT_EQ(memory.largest_block(), unit_bytes);
    expect_exact_memory(filter, memory);
}

} // namespace
} // namespace everbloom
