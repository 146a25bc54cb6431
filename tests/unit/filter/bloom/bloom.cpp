// The Bloom filter and the blocked one, bit by bit, on examples small enough to draw.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/filter/bloom/blocked.hpp>
#include <everbloom/filter/bloom/bloom.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <set>

namespace everbloom {
namespace {

using support::key_family;
using support::must;

constexpr std::uint64_t independent = static_cast<std::uint64_t>(probe_scheme::independent);
constexpr std::uint64_t dot_bloom = static_cast<std::uint64_t>(probe_scheme::dcso);

TEST(bloom, an_item_sets_exactly_the_bits_at_its_positions) {
    for (const std::uint64_t probe : {std::uint64_t{0}, independent, dot_bloom}) {
        auto filter = must(make<bloom_filter>({100, 5, probe}));
        std::set<std::uint64_t> expected;
        const key_family keys(1);
        for (std::uint64_t i = 0; i < 4; ++i) {
            filter.insert(keys[i]);
            const auto positions =
                position_list::all(keys[i], bloom_probing{{100, 5, static_cast<probe_scheme>(probe)}});
            expected.insert(positions.get().begin(), positions.get().end());
        }
        for (std::uint64_t bit = 0; bit < 100; ++bit) {
            EXPECT_EQ(filter.cell(bit), expected.contains(bit) ? 1u : 0u) << bit;
        }
        EXPECT_EQ(filter.count_ones(), expected.size());
    }
}

TEST(bloom, one_missing_bit_is_enough_to_say_surely_not) {
    auto filter = must(make<bloom_filter>({1000, 7, independent}));
    const digest key = key_family(2)[0];
    filter.insert(key);
    const auto positions = position_list::distinct(key, {1000, 7, probe_scheme::independent});
    for (const std::uint64_t missing : positions.get()) {
        heap_words words = must(heap_words::make(2));
        for (const std::uint64_t at : positions.get()) {
            if (at != missing) words.data()[at / 64] |= std::uint64_t{1} << (at % 64);
        }
        std::array<heap_words, 1> stores;
        stores[0] = std::move(words);
        const auto short_of_one = must(bloom_filter::assemble(filter.spec(), std::move(stores)));
        EXPECT_FALSE(short_of_one.may_contain(key)) << missing;
    }
}

TEST(bloom, a_filter_of_one_bit_is_full_after_one_key) {
    auto filter = must(make<bloom_filter>({1, 3}));
    const key_family keys(3);
    EXPECT_FALSE(filter.may_contain(keys[0]));
    filter.insert(keys[0]);
    EXPECT_TRUE(filter.may_contain(keys[1]));
}

TEST(bloom, a_bit_behind_the_end_is_refused) {
    std::array<heap_words, 1> stores{must(heap_words::make(1))};
    stores[0].data()[1] = 1 << 6; // bit 70 of 70
    const auto refused = bloom_filter::assemble({70, 2}, std::move(stores));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::damaged);
}

TEST(blocked, an_item_lies_in_one_line) {
    constexpr std::uint64_t lines = 50;
    const key_family keys(4);
    for (std::uint64_t i = 0; i < 500; ++i) {
        auto filter = must(make<blocked_filter>({lines * line_bits, 1 + i % kernel::max_line_hashes}));
        filter.insert(keys[i]);
        const std::uint64_t expected = reduce(keys[i].low, lines);
        const auto pattern = kernel::line_pattern(keys[i].high, static_cast<unsigned>(filter.spec().hashes));
        for (std::uint64_t line = 0; line < lines; ++line) {
            for (unsigned word = 0; word < line_words; ++word) {
                ASSERT_EQ(filter.line(line)[word], line == expected ? pattern[word] : 0u);
            }
        }
    }
}

TEST(blocked, only_whole_lines_are_a_geometry_and_rounding_makes_them) {
    const auto refused = blocked_spec{513, 8}.check();
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().sentence.find("1024"), std::string::npos) << refused.error().sentence;
    EXPECT_EQ((blocked_spec{513, 8}.rounded_up()), (blocked_spec{1024, 8}));
    EXPECT_EQ((blocked_spec{1, 8}.rounded_up()), (blocked_spec{512, 8}));
    EXPECT_EQ((blocked_spec{1024, 8}.rounded_up()), (blocked_spec{1024, 8}));
}

TEST(blocked, absurd_sizes_are_not_rounded_into_sense) {
    for (const std::uint64_t bits : {std::uint64_t{0}, max_structure_bits + 1, ~std::uint64_t{0}}) {
        EXPECT_FALSE((blocked_spec{bits, 8}.rounded_up().check().has_value())) << bits;
    }
}

} // namespace
} // namespace everbloom
