// Single bits over words: each at its place, also behind the 2^32nd, and nothing hidden behind the last.
#include "support/dice.hpp"
#include "support/must.hpp"

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;

template <class Bits>
concept Settable = requires(Bits& bits) { bits.set(0); };
static_assert(Settable<bit_array<heap_words>>);
static_assert(!Settable<bit_array<const_words>>, "a read-only array has no set");

TEST(bit_array, agrees_with_a_vector_of_bool) {
    constexpr std::uint64_t bits = 1000;
    bit_array array(bits, must(heap_words::make(lines_for_bits(bits))));
    std::vector<bool> truth(bits, false);
    dice random(1);
    for (int step = 0; step < 20000; ++step) {
        const std::uint64_t at = random.below(bits);
        if (random.one_in(2)) {
            array.set(at);
            truth[at] = true;
        } else {
            array.reset(at);
            truth[at] = false;
        }
        const std::uint64_t looked_at = random.below(bits);
        ASSERT_EQ(array.test(looked_at), truth[looked_at]);
    }
    EXPECT_EQ(array.count_ones(), static_cast<std::uint64_t>(std::count(truth.begin(), truth.end(), true)));
}

TEST(bit_array, bit_i_is_bit_i_mod_64_of_word_i_div_64) {
    bit_array array(512, must(heap_words::make(1)));
    array.set(0);
    array.set(63);
    array.set(64 + 5);
    EXPECT_EQ(array.store().data()[0], 0x8000000000000001u);
    EXPECT_EQ(array.store().data()[1], 32u);
}

TEST(bit_array, has_room_behind_the_2_to_the_32nd_bit) {
    constexpr std::uint64_t far = (std::uint64_t{1} << 32) + 5;
    bit_array array(far + 1, must(heap_words::make(lines_for_bits(far + 1))));
    array.set(far);
    EXPECT_TRUE(array.test(far));
    EXPECT_FALSE(array.test(5));
    EXPECT_EQ(array.store().data()[far / 64], 32u);
}

TEST(tail_is_zero, sees_every_bit_behind_the_end_and_none_before_it) {
    heap_words store = must(heap_words::make(2));
    for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{63}, std::uint64_t{64},
                                     std::uint64_t{700}, std::uint64_t{1023}, std::uint64_t{1024}}) {
        for (std::uint64_t at = 0; at < 1024; ++at) {
            store.data()[at / 64] = std::uint64_t{1} << (at % 64);
            ASSERT_EQ(tail_is_zero(store, bits), at < bits) << bits << " bits, bit " << at << " set";
            store.data()[at / 64] = 0;
        }
        EXPECT_TRUE(tail_is_zero(store, bits));
    }
}

} // namespace
} // namespace everbloom
