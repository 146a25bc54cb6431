// The deletable Bloom filter: regions, flags, and division by multiplication.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/cells/deletable.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;

TEST(deletable, the_flags_are_taken_out_of_the_bits) {
    const deletable_spec spec{.bits = 100, .hashes = 3, .region_bits = 8};
    EXPECT_EQ(spec.regions(), 11u);
    EXPECT_EQ(spec.cells(), 88u);
}

TEST(deletable, dividing_by_multiplication_is_exact) {
    for (const std::uint64_t region_bits : {1u, 2u, 3u, 5u, 7u, 8u, 16u, 100u, 65535u, 1u << 20}) {
        const region_index region_of(region_bits);
        const std::uint64_t most = (~std::uint64_t{0}) / region_bits; // what the spec allows
        for (std::uint64_t step = 1; step < (std::uint64_t{1} << 42); step = step * 3 + 1) {
            for (const std::uint64_t at : {step, step * region_bits - 1, step * region_bits, step * region_bits + 1}) {
                if (at >= most) continue;
                ASSERT_EQ(region_of(at), at / region_bits) << at << " / " << region_bits;
            }
        }
    }
}

TEST(deletable, a_bit_set_twice_flags_its_region_and_keeps_all_of_it) {
    // One region of eight bits: whoever collides there takes everybody's deletability away.
    auto filter = must(make<deletable_filter>({.bits = 9, .hashes = 1, .region_bits = 8}));
    const key_family keys(8);
    const auto bit_of = [&](std::uint64_t i) {
        return position_list::all(keys[i], {8, 1, probe_scheme::double_hashing}).get()[0];
    };
    std::uint64_t elsewhere = 1;
    while (bit_of(elsewhere) == bit_of(0)) ++elsewhere;
    std::uint64_t same = elsewhere + 1;
    while (bit_of(same) != bit_of(0)) ++same;

    EXPECT_EQ(filter.insert(keys[0]), insert_outcome::inserted);
    EXPECT_EQ(filter.insert(keys[elsewhere]), insert_outcome::inserted);
    EXPECT_EQ(filter.can_erase(keys[elsewhere]), erase_outcome::removed);
    EXPECT_EQ(filter.insert(keys[same]), insert_outcome::inserted_saturated);
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.erase(keys[elsewhere]), erase_outcome::not_deletable);
    EXPECT_EQ(filter.erase(keys[0]), erase_outcome::not_deletable);
    EXPECT_EQ(snapshot_of(filter), before);
    EXPECT_EQ(filter.cell(bit_of(0)), 2u);
}

TEST(deletable, removing_clears_only_bits_of_clean_regions) {
    auto filter = must(make<deletable_filter>({.bits = 9 * 400, .hashes = 4, .region_bits = 8}));
    const key_family keys(10);
    for (std::uint64_t i = 0; i < 200; ++i) filter.insert(keys[i]);
    for (std::uint64_t i = 0; i < 100; ++i) {
        const erase_outcome judged = filter.can_erase(keys[i]);
        ASSERT_EQ(filter.erase(keys[i]), judged);
        if (judged == erase_outcome::removed) {
            ASSERT_FALSE(filter.may_contain(keys[i]));
        }
    }
    for (std::uint64_t i = 100; i < 200; ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
}

TEST(deletable, a_flag_over_an_empty_region_is_refused) {
    const deletable_spec spec{.bits = 90, .hashes = 2, .region_bits = 8};
    std::array<heap_words, 2> stores{must(heap_words::make(1)), must(heap_words::make(1))};
    stores[0].data()[0] = 0x01; // a bit of region 0
    stores[1].data()[0] = 0b10; // but region 1 is flagged
    const auto made = deletable_filter::assemble(spec, std::move(stores));
    ASSERT_FALSE(made.has_value());
    EXPECT_NE(made.error().sentence.find("region 1"), std::string::npos);
}

} // namespace
} // namespace everbloom
