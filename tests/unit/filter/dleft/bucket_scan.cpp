// Scanning a bucket: the vector kernel and its scalar twin give the same masks.
#include "support/dice.hpp"
#include "support/must.hpp"

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/kernel/bucket_fields.hpp>
#include <everbloom/filter/kernel/bucket_scan.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using kernel::bucket_marks;

TEST(bucket_scan, an_empty_cell_is_no_match_whatever_the_remainder) {
    std::uint64_t words[2] = {};
    const cell_view<std::uint64_t> view(words, 16);
    EXPECT_EQ(kernel::scan_bucket(view, 0, 8, 2, 0), bucket_marks{});
    view.set(3, 0 << 2 | 1); // remainder 0, one copy
    EXPECT_EQ(kernel::scan_bucket(view, 0, 8, 2, 0), (bucket_marks{8, 8}));
    EXPECT_EQ(kernel::scan_bucket(view, 0, 8, 2, 1), (bucket_marks{8, 0}));
}

TEST(bucket_scan, cells_of_any_width_are_found) {
    for (unsigned width = 5; width <= 48; ++width) {
        auto words = support::must(heap_words::make(8));
        const cell_view<std::uint64_t> view(words.data(), width);
        const std::uint64_t remainder = low_mask(width - 2) - 1;
        view.set(13, remainder << 2 | 3);
        view.set(15, remainder << 2 | 1);
        view.set(16, (remainder ^ 1) << 2 | 1);
        EXPECT_EQ(kernel::scan_bucket(view, 10, 8, 2, remainder), (bucket_marks{8 | 32 | 64, 8 | 32})) << width;
    }
}

#if defined(EVERBLOOM_FIELD_KERNEL)
// On a processor without AVX2 no bucket can be read so, and there is nothing to compare.
TEST(bucket_scan, cells_of_any_width_are_found_by_vectors_too) {
    support::dice random(7);
    for (unsigned width = 5; width <= 48; ++width) {
        for (const unsigned cells : {1u, 3u, 8u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u}) {
            const unsigned counter_bits = 1 + static_cast<unsigned>(random.below(std::min(width - 4, 16u)));
            constexpr unsigned buckets = 7;
            auto words = support::must(heap_words::make(lines_for_bits(std::uint64_t{buckets} * cells * width)));
            const cell_view<std::uint64_t> view(words.data(), width);
            const kernel::cell_fields fields(std::uint64_t{buckets} * cells, cells, width, counter_bits);
            ASSERT_FALSE(fields.can_read(std::uint64_t{buckets} * cells - 1));
            const std::uint64_t top = low_mask(width - counter_bits);
            for (int round = 0; round < 20; ++round) {
                const std::uint64_t few = 1 + random.below(6); // so that there are matches
                const auto any_remainder = [&] { return random.one_in(3) ? top : random.below(few) & top; };
                for (unsigned i = 0; i < buckets * cells; ++i) {
                    const std::uint64_t count = random.one_in(3) ? 0 : random.below(low_mask(counter_bits) + 1);
                    view.set(i, count == 0 ? 0 : any_remainder() << counter_bits | count);
                }
                const std::uint64_t wanted = any_remainder();
                for (std::uint64_t first = 0; fields.can_read(first); first += cells) {
                    const bucket_marks scalar = kernel::scan_bucket(view, first, cells, counter_bits, wanted);
                    ASSERT_EQ(kernel::scan_fields(words.data(), first, fields, wanted), scalar)
                        << width << " " << cells;
                    if (wanted == 0) continue;
                    ASSERT_EQ(kernel::bucket_holds(words.data(), first, fields, wanted), scalar.equal != 0) << width;
                }
            }
        }
    }
}
#endif

#if defined(EVERBLOOM_SSE2_KERNEL)
template <unsigned Cells>
void expect_twins() {
    support::dice random(Cells);
    auto words = support::must(heap_words::make(16));
    const cell_view<std::uint64_t> view(words.data(), 16);
    for (int round = 0; round < 2000; ++round) {
        const auto counter_bits = static_cast<unsigned>(1 + random.below(12));
        const std::uint64_t few = 1 + random.below(6); // so that there are matches
        for (unsigned i = 0; i < 64; ++i) {
            const std::uint64_t count = random.one_in(3) ? 0 : random.below(low_mask(counter_bits) + 1);
            const std::uint64_t top = low_mask(16 - counter_bits);
            const std::uint64_t remainder = random.one_in(2) ? random.below(few) & top : top;
            view.set(i, count == 0 ? 0 : remainder << counter_bits | count);
        }
        const std::uint64_t wanted =
            random.one_in(3) ? low_mask(16 - counter_bits) : random.below(few) & low_mask(16 - counter_bits);
        for (unsigned first = 0; first + Cells <= 64; first += Cells) {
            const bucket_marks scalar = kernel::scan_bucket(view, first, Cells, counter_bits, wanted);
            ASSERT_EQ(kernel::scan_bucket_sse2<Cells>(words.data() + first / 4, counter_bits, wanted), scalar);
            if (wanted == 0) continue;
            const kernel::eight_verdicts found =
                kernel::equal_cells_sse2<Cells>(words.data() + first / 4, counter_bits, wanted);
            ASSERT_EQ(kernel::mask_of(found, found) != 0, scalar.equal != 0);
        }
    }
}

TEST(bucket_scan, vector_and_scalar_agree) {
    expect_twins<8>();
    expect_twins<16>();
    expect_twins<32>();
}
#endif

#if defined(EVERBLOOM_MODERN_X86)
TEST(bucket_scan, two_lines_at_once_give_the_same_answer) {
    if (!kernel::is_modern()) GTEST_SKIP() << "this processor has no AVX2";
    support::dice random(64);
    auto words = support::must(heap_words::make(2));
    const cell_view<std::uint64_t> view(words.data(), 16);
    unsigned found = 0;
    for (int round = 0; round < 20'000; ++round) {
        const auto counter_bits = static_cast<unsigned>(1 + random.below(12));
        const std::uint64_t top = low_mask(16 - counter_bits);
        const auto any_remainder = [&] { return 1 + random.below(top); };
        for (unsigned i = 0; i < 64; ++i) {
            const std::uint64_t count = random.below(low_mask(counter_bits) + 1);
            view.set(i, count == 0 ? 0 : random.below(top + 1) << counter_bits | count);
        }
        const std::uint64_t a = any_remainder();
        const std::uint64_t b = any_remainder();
        const bool expected = kernel::scan_bucket(view, 0, 32, counter_bits, a).equal != 0 ||
                              kernel::scan_bucket(view, 32, 32, counter_bits, b).equal != 0;
        ASSERT_EQ(kernel::two_lines_hold(words.data(), a, words.data() + 8, b, counter_bits), expected) << round;
        found += expected ? 1 : 0;
    }
    EXPECT_GT(found, 1000u);
    EXPECT_LT(found, 19'000u);
}
#endif

} // namespace
} // namespace everbloom
