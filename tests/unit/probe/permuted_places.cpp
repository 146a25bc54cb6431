// One fingerprint, one place per subtable: permutations that can be undone.
#include <everbloom/probe/permuted_places.hpp>

#include <gtest/gtest.h>

#include <set>

namespace everbloom {
namespace {

TEST(permuted_places, every_subtable_sees_a_permutation_of_all_fingerprints) {
    const permuted_places places(5, 6);
    for (unsigned subtable = 0; subtable < max_subtables; ++subtable) {
        std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
        for (std::uint64_t f = 0; f < 2048; ++f) {
            const bucket_place where = places.place(f, subtable);
            ASSERT_LT(where.bucket, 32u);
            ASSERT_LT(where.remainder, 64u);
            seen.emplace(where.bucket, where.remainder);
        }
        EXPECT_EQ(seen.size(), 2048u) << subtable;
    }
}

TEST(permuted_places, a_place_gives_the_fingerprint_back) {
    for (const auto& [bucket_bits, remainder_bits] : {std::pair{0u, 4u}, {11u, 14u}, {20u, 32u}, {32u, 32u}}) {
        const permuted_places places(bucket_bits, remainder_bits);
        for (std::uint64_t i = 0; i < 1000; ++i) {
            const std::uint64_t f = places.fingerprint({i * golden_ratio_bits + 7, 0});
            for (unsigned subtable = 0; subtable < max_subtables; ++subtable) {
                ASSERT_EQ(places.fingerprint_at(places.place(f, subtable), subtable), f) << bucket_bits;
            }
        }
    }
}

TEST(permuted_places, without_its_highest_bit_a_fingerprint_lies_where_its_place_without_the_highest_bit_is) {
    const permuted_places large(8, 10);
    const permuted_places small(7, 10);
    for (std::uint64_t f = 0; f < (1u << 18); f += 37) {
        for (unsigned subtable = 0; subtable < max_subtables; ++subtable) {
            const bucket_place before = large.place(f, subtable);
            const bucket_place after = small.place(f & low_mask(17), subtable);
            ASSERT_EQ(after.bucket, before.bucket & low_mask(7));
            ASSERT_EQ(after.remainder, before.remainder);
        }
    }
}

TEST(permuted_places, multiplier_and_inverse_undo_each_other) {
    for (unsigned i = 0; i < max_subtables; ++i) {
        EXPECT_EQ(detail::multipliers[i] * detail::inverse_multipliers[i], 1u) << i;
    }
}

} // namespace
} // namespace everbloom
