// The pattern of a key in one line: as many bits as promised, in the lanes promised, the same from both kernels.
#include "support/dice.hpp"

#include <everbloom/core/digests_on_demand.hpp>
#include <everbloom/filter/kernel/line_batch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace everbloom::kernel {
namespace {

struct alignas(line_bytes) line {
    line_mask words{};
    friend bool operator==(const line&, const line&) = default;
};

class line_pattern_of : public ::testing::TestWithParam<unsigned> {};

/// The definition once more, bit by bit, without tables: six bits of the hash for each lane, taken from the top of its half of the
/// hash, choose one of two units and a bit in it.
line naive_pattern(std::uint64_t hash, unsigned hashes) {
    line made;
    const auto add = [&](std::uint64_t from, unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            const unsigned lane = (from + i) % 8;
            const std::uint64_t top = lane % 2 == 0 ? 32 : 64;
            const std::uint64_t six = (from >> (top - 6 * (lane / 2 + 1))) % 64;
            const std::uint64_t bit = (six / 32) * 256 + lane * 32 + six % 32;
            made.words[bit / 64] |= std::uint64_t{1} << (bit % 64);
        }
    };
    add(hash, std::min(hashes, 8u));
    if (hashes > 8) add(mix(hash), hashes - 8);
    return made;
}

/// How many bits of a line lie in each lane: unit l of both halves.
std::array<unsigned, lanes> bits_in_lanes(const line_mask& pattern) {
    std::array<unsigned, lanes> counts{};
    for (unsigned unit = 0; unit < 2 * lanes; ++unit) {
        const auto bits = static_cast<std::uint32_t>(pattern[unit / 2] >> (32 * (unit % 2)));
        counts[unit % lanes] += static_cast<unsigned>(std::popcount(bits));
    }
    return counts;
}

TEST_P(line_pattern_of, is_what_its_definition_says) {
    support::dice random(GetParam());
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t hash = random.word();
        ASSERT_EQ(line_pattern(hash, GetParam()), naive_pattern(hash, GetParam()).words) << std::hex << hash;
    }
}

TEST_P(line_pattern_of, has_one_bit_per_hash_except_for_meetings_of_the_second_run) {
    support::dice random(100 + GetParam());
    std::uint64_t bits = 0;
    constexpr int keys = 20000;
    for (int i = 0; i < keys; ++i) {
        const line_mask pattern = line_pattern(random.word(), GetParam());
        unsigned ones = 0;
        for (const std::uint64_t word : pattern) {
            const auto in_word = static_cast<unsigned>(std::popcount(word));
            ASSERT_LE(in_word, 4u); // two lanes share a word
            ones += in_word;
        }
        ASSERT_LE(ones, GetParam());
        ASSERT_GE(ones, std::min(GetParam(), lanes));
        ASSERT_TRUE(GetParam() > lanes || ones == GetParam());
        bits += ones;
    }
    // A bit of the second run meets the first run's bit of the same lane with chance 1/64.
    const double second = GetParam() > lanes ? GetParam() - lanes : 0;
    EXPECT_NEAR(static_cast<double>(bits) / keys, GetParam() - second / 64, 0.02);
}

TEST_P(line_pattern_of, a_line_contains_what_was_inserted_and_not_a_line_with_a_bit_less) {
    support::dice random(200 + GetParam());
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t hash = random.word();
        line filled;
        line_insert(filled.words.data(), hash, GetParam());
        ASSERT_TRUE(line_contains(filled.words.data(), hash, GetParam()));
        for (unsigned word = 0; word < line_words; ++word) {
            for (std::uint64_t rest = filled.words[word]; rest != 0; rest &= rest - 1) {
                line short_of_one = filled;
                short_of_one.words[word] ^= rest & -rest;
                ASSERT_FALSE(line_contains(short_of_one.words.data(), hash, GetParam()));
            }
        }
    }
}

#if defined(EVERBLOOM_AVX2_KERNEL)
// On a processor without AVX2 the scalar kernel is the only one that runs, and there is nothing to compare.
TEST_P(line_pattern_of, is_the_same_from_the_avx2_kernel) {
    support::dice random(300 + GetParam());
    for (int i = 0; has_avx2() && i < 20000; ++i) {
        const std::uint64_t hash = random.word();
        line scalar;
        line vector;
        line_insert(scalar.words.data(), hash, GetParam());
        line_insert_avx2(vector.words.data(), hash, GetParam());
        ASSERT_EQ(scalar, vector) << std::hex << hash;
        line in_line;
        insert(in_line.words.data(), hash, GetParam());
        ASSERT_EQ(scalar, in_line) << std::hex << hash;
        // A line about as full as in use, with this key in it or nearly.
        for (std::uint64_t& word : scalar.words) word |= random.word() & random.word();
        if (random.one_in(2)) scalar.words[random.below(line_words)] &= random.word();
        ASSERT_EQ(line_contains(scalar.words.data(), hash, GetParam()),
                  line_contains_avx2(scalar.words.data(), hash, GetParam()));
        ASSERT_EQ(line_contains(scalar.words.data(), hash, GetParam()),
                  contains(scalar.words.data(), hash, GetParam()));
    }
}

TEST_P(line_pattern_of, batches_of_both_kernels_agree) {
    support::dice random(400 + GetParam());
    constexpr std::uint64_t lines = 37;
    for (const std::size_t count : {0, 1, 15, 31, 32, 33, 63, 64, 65, 95, 96, 97, 300}) {
        std::vector<digest> items(count);
        for (digest& item : items) item = {random.word(), random.word()};
        std::vector<line> scalar(lines);
        std::vector<line> vector(lines);
        insert_scalar({scalar[0].words.data(), lines, GetParam()}, items);
        if (has_avx2()) {
            insert_avx2({vector[0].words.data(), lines, GetParam()}, items);
            ASSERT_EQ(scalar, vector);
        }
        std::vector<digest> asked = items;
        for (int i = 0; i < 100; ++i) asked.push_back({random.word(), random.word()});
        std::vector<std::uint8_t> of_scalar(asked.size(), 7);
        const line_array<const std::uint64_t> filled{scalar[0].words.data(), lines, GetParam()};
        contains_scalar(filled, asked, of_scalar);
        ASSERT_TRUE(std::all_of(of_scalar.begin(), of_scalar.begin() + static_cast<std::ptrdiff_t>(count),
                                [](std::uint8_t answer) { return answer == 1; }));
        if (has_avx2()) {
            std::vector<std::uint8_t> of_vector(asked.size(), 7);
            contains_avx2(filled, asked, of_vector);
            ASSERT_EQ(of_scalar, of_vector);
        }
        // Digests that are made on demand, each once.
        std::vector<unsigned> made(asked.size());
        const auto make = [&](std::size_t index) noexcept {
            ++made[index];
            return asked[index];
        };
        std::vector<std::uint8_t> on_demand(asked.size(), 7);
        contains(filled, digests_on_demand(asked.size(), make), on_demand);
        ASSERT_EQ(of_scalar, on_demand);
        ASSERT_EQ(made, std::vector<unsigned>(asked.size(), 1));
    }
}
#endif

TEST_P(line_pattern_of, knows_the_bits_that_no_other_pattern_has) {
    if (GetParam() > lanes) return; // those are rebuilt
    support::dice random(GetParam() + 50);
    const auto hash_of = [](std::uint64_t one) { return one * 3; };
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t hash = random.word();
        std::vector<std::uint64_t> others(random.below(40));
        for (std::uint64_t& one : others) {
            // Some that agree with it in many lanes: three times it is the hash, but for a few bits.
            one = random.one_in(3) ? (hash ^ std::uint64_t{1} << random.below(64)) * 0xaaaaaaaaaaaaaaab : random.word();
        }
        line united;
        for (const std::uint64_t one : others) line_insert(united.words.data(), hash_of(one), GetParam());
        line_mask expected = line_pattern(hash, GetParam());
        for (unsigned i = 0; i < line_words; ++i) expected[i] &= ~united.words[i];

        shared_lanes shared;
        const auto half = others.size() / 2; // in two calls
        note_shared_scalar(shared, hash, std::span(others).first(half), GetParam(), hash_of);
        note_shared_scalar(shared, hash, std::span(others).subspan(half), GetParam(), hash_of);
        ASSERT_EQ(unshared_scalar(hash, GetParam(), shared), expected);
        shared_lanes chosen;
        note_shared(chosen, hash, std::span(others).first(half), GetParam(), hash_of);
        note_shared(chosen, hash, std::span(others).subspan(half), GetParam(), hash_of);
        ASSERT_EQ(chosen.unit, shared.unit);
        ASSERT_EQ(unshared(hash, GetParam(), chosen), expected);
    }
}

INSTANTIATE_TEST_SUITE_P(every_number_of_hashes, line_pattern_of, ::testing::Range(1u, max_line_hashes + 1));

TEST(line_pattern, all_lanes_are_used_evenly_by_short_runs) {
    support::dice random(5);
    std::array<unsigned, lanes> used{};
    constexpr unsigned keys = 80000;
    for (unsigned i = 0; i < keys; ++i) {
        const line_mask pattern = line_pattern(random.word(), 3);
        const auto counts = bits_in_lanes(pattern);
        for (unsigned lane = 0; lane < lanes; ++lane) used[lane] += counts[lane];
    }
    // 3/8 of the keys: 30000, spread 137.
    for (const unsigned count : used) EXPECT_NEAR(count, 30000, 7 * 137);
}

} // namespace
} // namespace everbloom::kernel
