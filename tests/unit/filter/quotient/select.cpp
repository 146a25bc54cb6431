// select: both ways to find the n-th set bit of a word, and to keep its lowest bits, give the answers that looking at bits one by one
// gives.
#include "support/dice.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/quotient/quotient_select.hpp>

#include <gtest/gtest.h>

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
    expect_keeps_lowest_bits<kernel::portable_select>();
}

#if defined(EVERBLOOM_MODERN_X86)
TEST(select, with_pdep_finds_the_same_bit) {
    // It need not be fast here, only present.
    if (!kernel::is_modern()) GTEST_SKIP() << "this processor has no pdep";
    expect_selects_in_all_kinds_of_words<kernel::pdep_select>();
    expect_keeps_lowest_bits<kernel::pdep_select>();
}
#endif

} // namespace
} // namespace everbloom
