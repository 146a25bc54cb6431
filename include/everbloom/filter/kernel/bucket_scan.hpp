// Scanning a bucket: which of its cells are occupied, and which of those hold a given remainder?
//
// A cell is a remainder above a counter; a counter of zero means that the cell is empty, whatever the remainder:
//
//      | remainder | counter |      remainder 0 is an ordinary remainder
//
// The answer is two masks, bit c for cell c. Cells of 16 bits, eight or more to a bucket, are compared eight at a time with SSE2,
// which every x86-64 processor has; all others one by one. Both give the same masks, checked by a differential test.
#pragma once

#include <everbloom/bits/cell_view.hpp>

#include <cstdint>

#if defined(__SSE2__)
#define EVERBLOOM_SSE2_KERNEL 1
#include <emmintrin.h>
#endif

namespace everbloom::kernel {

struct bucket_marks {
    std::uint64_t occupied = 0;
    std::uint64_t equal = 0; // occupied, with the remainder asked for

    friend constexpr bool operator==(const bucket_marks&, const bucket_marks&) = default;
};

/// `first` is the bucket's first cell, `cells` at most 64; `counter_bits` lowest bits of a cell are its counter.
template <class Word, unsigned FixedBits>
[[nodiscard]] bucket_marks scan_bucket(cell_view<Word, FixedBits> view, std::uint64_t first, unsigned cells,
                                       unsigned counter_bits, std::uint64_t remainder) noexcept {
    bucket_marks marks;
    for (unsigned c = 0; c < cells; ++c) {
        const std::uint64_t value = view.get(first + c);
        const std::uint64_t occupied = (value & low_mask(counter_bits)) != 0 ? 1 : 0;
        const std::uint64_t equal = value >> counter_bits == remainder ? occupied : 0;
        marks.occupied |= occupied << c;
        marks.equal |= equal << c;
    }
    return marks;
}

#if defined(EVERBLOOM_SSE2_KERNEL)

/// A bit for each of eight 16-bit lanes that are all ones or all zeros.
[[nodiscard]] inline std::uint64_t lanes_of(__m128i marks) noexcept {
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(marks, _mm_setzero_si128())));
}

/// The same for cells of 16 bits; `cells` is a multiple of eight, `bucket` their first word, aligned to 16 bytes.
template <unsigned Cells>
[[nodiscard]] bucket_marks scan_bucket_sse2(const std::uint64_t* bucket, unsigned counter_bits,
                                            std::uint64_t remainder) noexcept {
    static_assert(Cells % 8 == 0 && Cells <= 64);
    const auto counter_mask = static_cast<short>(low_mask(counter_bits));
    const __m128i counters = _mm_set1_epi16(counter_mask);
    const __m128i wanted = _mm_set1_epi16(static_cast<short>(remainder << counter_bits));
    const auto* at = reinterpret_cast<const __m128i*>(bucket);
    bucket_marks marks;
    for (unsigned c = 0; c < Cells; c += 8, ++at) {
        const __m128i values = _mm_load_si128(at);
        const __m128i empty = _mm_cmpeq_epi16(_mm_and_si128(values, counters), _mm_setzero_si128());
        const __m128i same = _mm_cmpeq_epi16(_mm_andnot_si128(counters, values), wanted);
        marks.occupied |= (lanes_of(empty) ^ 0xff) << c;
        marks.equal |= lanes_of(_mm_andnot_si128(empty, same)) << c;
    }
    return marks;
}

/// Only whether there is an equal cell, with no masks: all that a query needs.
template <unsigned Cells>
[[nodiscard]] __m128i equal_cells_sse2(const std::uint64_t* bucket, unsigned counter_bits,
                                       std::uint64_t remainder) noexcept {
    const __m128i counters = _mm_set1_epi16(static_cast<short>(low_mask(counter_bits)));
    const __m128i wanted = _mm_set1_epi16(static_cast<short>(remainder << counter_bits));
    const auto* at = reinterpret_cast<const __m128i*>(bucket);
    __m128i found = _mm_setzero_si128();
    for (unsigned c = 0; c < Cells; c += 8, ++at) {
        const __m128i values = _mm_load_si128(at);
        const __m128i empty = _mm_cmpeq_epi16(_mm_and_si128(values, counters), _mm_setzero_si128());
        const __m128i same = _mm_cmpeq_epi16(_mm_andnot_si128(counters, values), wanted);
        found = _mm_or_si128(found, _mm_andnot_si128(empty, same));
    }
    return found;
}

#endif

} // namespace everbloom::kernel
