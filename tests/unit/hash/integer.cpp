// The hash of 64-bit integers: every input bit reaches every output bit, and keys in a row do not meet.
#include "support/dice.hpp"

#include <everbloom/hash/integer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace everbloom {
namespace {

using flips_of_bits = std::array<unsigned, 64>;

void count_flips(flips_of_bits& flips, std::uint64_t changed) {
    for (unsigned bit = 0; bit < 64; ++bit) flips[bit] += (changed >> bit) & 1;
}

// The first half is one folded product with a constant, so a flipped input bit adds a constant to it: some output bits flip
// nearly always, some rarely. What a filter needs is that none is dead or merely copied, and that the average is one half;
// the second fold then evens out what it can.
TEST(integer_hash, every_input_bit_reaches_every_output_bit) {
    const integer_hasher hash;
    constexpr unsigned keys = 4096;
    for (unsigned input = 0; input < 64; ++input) {
        flips_of_bits low{};
        flips_of_bits high{};
        support::dice random(input);
        for (unsigned i = 0; i < keys; ++i) {
            const std::uint64_t key = random.word();
            const digest before = hash(key);
            const digest after = hash(key ^ (std::uint64_t{1} << input));
            count_flips(low, before.low ^ after.low);
            count_flips(high, before.high ^ after.high);
        }
        const auto share = [&](unsigned count) { return static_cast<double>(count) / keys; };
        const auto [low_least, low_most] = std::minmax_element(low.begin(), low.end());
        const auto [high_least, high_most] = std::minmax_element(high.begin(), high.end());
        EXPECT_GT(share(*low_least), 0.001) << "input bit " << input;
        EXPECT_LT(share(*low_most), 0.999) << "input bit " << input;
        EXPECT_GT(share(*high_least), 0.001) << "input bit " << input;
        EXPECT_LT(share(*high_most), 0.999) << "input bit " << input;
        for (const flips_of_bits& half : {low, high}) {
            const unsigned all = std::accumulate(half.begin(), half.end(), 0u);
            EXPECT_NEAR(share(all) / 64, 0.5, 0.1) << "input bit " << input;
        }
    }
}

TEST(integer_hash, a_million_keys_in_a_row_have_different_halves) {
    const integer_hasher hash(hash_key::from_seed(3));
    std::vector<std::uint64_t> low;
    std::vector<std::uint64_t> high;
    for (std::uint64_t key = 0; key < 1'000'000; ++key) {
        const digest made = hash(key);
        low.push_back(made.low);
        high.push_back(made.high);
    }
    for (auto* half : {&low, &high}) {
        std::sort(half->begin(), half->end());
        EXPECT_EQ(std::adjacent_find(half->begin(), half->end()), half->end());
    }
}

// The positions of keys in a row must not cluster: that is what filters take from the digest.
TEST(integer_hash, keys_in_a_row_and_multiples_spread_over_a_range) {
    const integer_hasher hash;
    for (const std::uint64_t step :
         {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1} << 20, std::uint64_t{1} << 44}) {
        constexpr unsigned slots = 1024;
        constexpr unsigned per_slot = 256;
        std::vector<unsigned> low(slots, 0);
        std::vector<unsigned> high(slots, 0);
        for (std::uint64_t i = 0; i < slots * per_slot; ++i) {
            const digest made = hash(i * step);
            ++low[made.low >> 54];
            ++high[made.high >> 54];
        }
        // Twelve times the spread of a random slot (16 = sqrt(256)) around its mean: regular sequences may be more even, never this uneven.
        for (const auto* counts : {&low, &high}) {
            const auto [least, most] = std::minmax_element(counts->begin(), counts->end());
            EXPECT_GT(*least, per_slot - 12 * 16) << "step " << step;
            EXPECT_LT(*most, per_slot + 12 * 16) << "step " << step;
        }
    }
}

TEST(integer_hash, a_number_and_its_eight_bytes_are_the_same_key) {
    const integer_hasher hash(hash_key::from_seed(9));
    const std::uint64_t number = 0x0123456789abcdef;
    EXPECT_EQ(hash(number), hash(key_bytes(number)));
    EXPECT_EQ(hash(key_bytes("\xef\xcd\xab\x89\x67\x45\x23\x01")), hash(number));
}

TEST(integer_hash, keys_of_other_lengths_go_through_xxh3) {
    const hash_key key = hash_key::from_seed(5);
    for (const std::string_view text : {"", "1234567", "123456789"}) {
        EXPECT_EQ(integer_hasher(key)(key_bytes(text)), xxh3_hasher(key)(text)) << text;
    }
}

TEST(integer_hash, the_seed_matters) {
    EXPECT_NE(integer_hasher(hash_key::from_seed(1))(std::uint64_t{7}),
              integer_hasher(hash_key::from_seed(2))(std::uint64_t{7}));
}

} // namespace
} // namespace everbloom
