// What a line is asked: both ways to find the n-th set bit, to keep the lowest bits and to find equal bytes give the answers that looking at
// them one by one gives.
#include "support/dice.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/quotient/quotient_select.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::rounds;

/// Positions of all set bits, the lowest first.
std::vector<unsigned> set_bits(std::uint64_t word) {
    std::vector<unsigned> found;
    for (unsigned bit = 0; bit < 64; ++bit) {
        if ((word >> bit & 1) != 0) found.push_back(bit);
    }
    return found;
}

template <class Select>
void expect_selects(std::uint64_t word) {
    const std::vector<unsigned> expected = set_bits(word);
    for (unsigned rank = 0; rank < expected.size(); ++rank) {
        ASSERT_EQ(Select::position(word, rank), expected[rank]) << std::hex << word << " " << std::dec << rank;
    }
}

/// Words in which a mistake would show: all and no neighbours set, one byte only, any density.
template <class Select>
void expect_selects_in_all_kinds_of_words() {
    expect_selects<Select>(~std::uint64_t{0});
    expect_selects<Select>(0x5555555555555555);
    expect_selects<Select>(0xaaaaaaaaaaaaaaaa);
    expect_selects<Select>(0x8000000000000001);
    for (unsigned bit = 0; bit < 64; ++bit) {
        expect_selects<Select>(std::uint64_t{1} << bit);
        expect_selects<Select>(~(std::uint64_t{1} << bit));
        expect_selects<Select>(~std::uint64_t{0} << bit);
        expect_selects<Select>(~std::uint64_t{0} >> bit);
    }
    for (unsigned byte = 0; byte < 8; ++byte) {
        for (std::uint64_t value = 1; value < 256; ++value) expect_selects<Select>(value << 8 * byte);
    }
    dice random(1);
    for (std::uint64_t round = 0; round < rounds(2000); ++round) {
        const std::uint64_t even = random.word();
        const std::uint64_t sparse = even & random.word() & random.word();
        expect_selects<Select>(even);
        expect_selects<Select>(sparse);
        expect_selects<Select>(~sparse);
    }
}

/// The same in a number of 128 bits, with any number of ones in either half.
template <class Select>
void expect_selects_in_two_words() {
    dice random(3);
    for (std::uint64_t round = 0; round < rounds(2000); ++round) {
        const std::uint64_t low = random.one_in(8) ? 0 : random.word() | random.word();
        const std::uint64_t high = random.one_in(8) ? ~std::uint64_t{0} : random.word() & random.word();
        std::vector<unsigned> expected = set_bits(low);
        for (const unsigned bit : set_bits(high)) expected.push_back(64 + bit);
        for (unsigned rank = 0; rank < expected.size(); ++rank) {
            ASSERT_EQ(Select::position(low, high, rank), expected[rank]) << std::hex << low << " " << high;
        }
    }
}

template <class Select>
void expect_keeps_lowest_bits() {
    dice random(2);
    for (unsigned count = 0; count < 256; ++count) {
        const std::uint64_t word = random.word();
        for (unsigned bit = 0; bit < 64; ++bit) {
            ASSERT_EQ(Select::lowest(word, count) >> bit & 1, bit < count ? word >> bit & 1 : 0) << count;
        }
    }
}

TEST(select, without_special_instructions_finds_the_nth_set_bit) {
    expect_selects_in_all_kinds_of_words<kernel::portable_select>();
    expect_selects_in_two_words<kernel::portable_select>();
    expect_keeps_lowest_bits<kernel::portable_select>();
}

#if defined(EVERBLOOM_MODERN_X86)
TEST(select, with_pdep_finds_the_same_bit) {
    // It need not be fast here, only present.
    if (!kernel::is_modern()) GTEST_SKIP() << "this processor has no pdep";
    expect_selects_in_all_kinds_of_words<kernel::pdep_select>();
    expect_selects_in_two_words<kernel::pdep_select>();
    expect_keeps_lowest_bits<kernel::pdep_select>();
}

TEST(select, in_vectors_finds_all_equal_bytes_of_a_line) {
    if (!kernel::is_modern()) GTEST_SKIP() << "this processor has no vectors of 32 bytes";
    dice random(4);
    for (std::uint64_t round = 0; round < rounds(2000); ++round) {
        alignas(64) std::array<std::uint8_t, 64> line{};
        const std::uint64_t few = 1 + random.below(256);
        for (std::uint8_t& byte : line) byte = static_cast<std::uint8_t>(random.below(few) ^ round);
        const auto wanted = static_cast<std::uint8_t>(random.below(few) ^ round);
        std::uint64_t expected = 0;
        for (unsigned i = 0; i < line.size(); ++i) expected |= std::uint64_t{line[i] == wanted} << i;
        const std::uint64_t found = kernel::pdep_select::equal_bytes(line.data(), wanted);
        kernel::pdep_select::leave_vectors();
        ASSERT_EQ(found, expected);
    }
}
#endif

} // namespace
} // namespace everbloom
