// Scanning a bucket: the vector kernel and its scalar twin give the same masks.
#include "support/dice.hpp"
#include "support/must.hpp"

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/kernel/bucket_fields.hpp>
#include <everbloom/filter/kernel/bucket_line.hpp>
#include <everbloom/filter/kernel/bucket_scan.hpp>
#include <everbloom/filter/kernel/packed_scan.hpp>

#include <gtest/gtest.h>

#include <vector>

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

/// Fills a table with few different remainders, the largest one among them, and returns one of these, so that there are matches.
[[maybe_unused]] std::uint64_t fill(const cell_view<std::uint64_t>& view, unsigned cells, unsigned counter_bits,
                                    support::dice& random) {
    const std::uint64_t top = low_mask(view.cell_bits() - counter_bits);
    const std::uint64_t few = 1 + random.below(6);
    const auto any_remainder = [&] { return random.one_in(3) ? top : random.below(few) & top; };
    for (unsigned i = 0; i < cells; ++i) {
        const std::uint64_t count = random.one_in(3) ? 0 : random.below(low_mask(counter_bits) + 1);
        view.set(i, count == 0 ? 0 : any_remainder() << counter_bits | count);
    }
    return any_remainder();
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
            for (int round = 0; round < 20; ++round) {
                const std::uint64_t wanted = fill(view, buckets * cells, counter_bits, random);
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

#if defined(EVERBLOOM_PACKED_KERNEL)
template <kernel::packed_form Form, unsigned Eights>
EVERBLOOM_MODERN bool holds_packed(const char* bucket, const kernel::packed_cells& cells, std::uint64_t remainder) {
    return kernel::any_packed(kernel::equal_packed<Form, Eights>(bucket, cells, remainder));
}
template <kernel::packed_form Form, unsigned Eights>
EVERBLOOM_MODERN bucket_marks scan_fixed(const char* bucket, const kernel::packed_cells& cells,
                                         std::uint64_t remainder) {
    return kernel::marks_of_packed<Form, Eights>(bucket, cells, remainder);
}

TEST(bucket_scan, packed_cells_are_found_eight_at_a_time) {
    using enum kernel::packed_form;
    support::dice random(9);
    for (unsigned width = 5; width <= 25; ++width) {
        for (const unsigned cells : {8u, 16u, 24u, 32u, 40u, 64u}) {
            const unsigned counter_bits = 1 + static_cast<unsigned>(random.below(std::min(width - 4, 16u)));
            constexpr unsigned buckets = 7;
            // Exactly as many words as the table needs, so that a sanitizer sees every byte read beyond them.
            std::vector<std::uint64_t> words((std::uint64_t{buckets} * cells * width + 63) / 64);
            const cell_view<std::uint64_t> view(words.data(), width);
            const kernel::packed_cells packed(std::uint64_t{buckets} * cells, cells, width, counter_bits);
            EXPECT_EQ(packed.readable != 0, kernel::is_modern()) << width << " " << cells;
            EXPECT_LE(packed.readable, buckets);
            for (int round = 0; round < 20; ++round) {
                const std::uint64_t wanted = fill(view, buckets * cells, counter_bits, random);
                for (std::uint64_t bucket = 0; packed.can_read(bucket); ++bucket) {
                    const char* at = packed.first_byte(words.data(), bucket);
                    const bucket_marks scalar = kernel::scan_bucket(view, bucket * cells, cells, counter_bits, wanted);
                    ASSERT_EQ(kernel::scan_packed(at, packed, wanted), scalar) << width << " " << cells;
                    const bool in_pairs = packed.form == two_bytes;
                    if (cells == 32) {
                        const auto marks = in_pairs ? scan_fixed<two_bytes, 4>(at, packed, wanted)
                                                    : scan_fixed<four_bytes, 4>(at, packed, wanted);
                        ASSERT_EQ(marks, scalar) << width;
                    }
                    if (cells == 8) {
                        const bucket_marks marks = scan_fixed<four_bytes, 1>(at, packed, wanted);
                        ASSERT_EQ(marks, scalar) << width;
                    }
                    if (wanted == 0) continue;
                    const bool holds = scalar.equal != 0;
                    ASSERT_EQ((in_pairs ? holds_packed<two_bytes, 0>(at, packed, wanted)
                                        : holds_packed<four_bytes, 0>(at, packed, wanted)),
                              holds);
                    if (cells == 32) {
                        ASSERT_EQ((in_pairs ? holds_packed<two_bytes, 4>(at, packed, wanted)
                                            : holds_packed<four_bytes, 4>(at, packed, wanted)),
                                  holds);
                    }
                    if (cells == 8) {
                        ASSERT_EQ((holds_packed<four_bytes, 1>(at, packed, wanted)), holds);
                    }
                }
            }
        }
    }
}
#endif

#if defined(EVERBLOOM_SSE2_KERNEL)
/// The code for buckets of one line gives the same marks.
template <unsigned Cells>
void expect_line_twin([[maybe_unused]] const std::uint64_t* bucket, [[maybe_unused]] unsigned counter_bits,
                      [[maybe_unused]] std::uint64_t wanted, [[maybe_unused]] const bucket_marks& scalar) {
#if defined(EVERBLOOM_MODERN_X86)
    if constexpr (Cells == 32) {
        if (!kernel::is_modern()) return;
        ASSERT_EQ(kernel::scan_bucket_line(bucket, counter_bits, wanted), scalar);
        if (wanted == 0) return;
        ASSERT_EQ(kernel::equal_in_bucket_line(bucket, counter_bits, wanted), scalar.equal);
    }
#endif
}

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
            expect_line_twin<Cells>(words.data() + first / 4, counter_bits, wanted, scalar);
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

TEST(bucket_scan, whole_cells_are_found_in_two_lines) {
    if (!kernel::is_modern()) GTEST_SKIP() << "this processor has no AVX2";
    support::dice random(65);
    auto words = support::must(heap_words::make(2));
    const cell_view<std::uint64_t> view(words.data(), 16);
    for (int round = 0; round < 20'000; ++round) {
        const auto any_cell = [&] {
            return random.one_in(3) ? 0 : 2 * random.below(round % 2 == 0 ? 100 : 1 << 15) + 1;
        };
        for (unsigned i = 0; i < 64; ++i) view.set(i, any_cell());
        // Only the lowest 16 bits count.
        const std::uint64_t a = 2 * random.below(100) + 1 + (random.below(1000) << 16);
        const std::uint64_t b = 2 * random.below(100) + 1 + (random.below(1000) << 16);
        std::uint64_t expected = 0;
        for (unsigned i = 0; i < 64; ++i) {
            if (view.get(i) == (i < 32 ? a : b) % 65536) expected |= std::uint64_t{1} << i;
        }
        ASSERT_EQ(kernel::cells_of_two_lines(words.data(), a, words.data() + 8, b), expected);
        ASSERT_EQ(kernel::two_lines_have(words.data(), a, words.data() + 8, b), expected != 0);
        if (!kernel::has_wide_lines()) continue;
        ASSERT_EQ(kernel::two_wide_lines_have(words.data(), a, words.data() + 8, b), expected != 0);
    }
}
#endif

} // namespace
} // namespace everbloom
