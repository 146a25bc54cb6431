// line_cutter: finds the separators of a text, 64 bytes at a time, and counts them.
//
// Most keys are short. A call of memchr per key costs more than the search itself: its start and its end, and a jump that the processor
// mispredicts where lengths vary. Here four comparisons of 16 bytes make a word with a bit for every separator, whose bits are then taken
// one by one. Every x86-64 has the instructions; elsewhere memchr does it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#if defined(__SSE2__) && !defined(EVERBLOOM_PORTABLE)
#include <emmintrin.h>
#define EVERBLOOM_LINE_MASKS
#endif

namespace everbloom::cli {

#if defined(EVERBLOOM_LINE_MASKS)
inline constexpr std::size_t mask_bytes = 64;

/// Bit i: the byte from[i] is a separator. Reads `mask_bytes` bytes.
[[nodiscard]] inline std::uint64_t separator_mask(const char* from, char separator) noexcept {
    const __m128i wanted = _mm_set1_epi8(separator);
    const auto part = [&](std::size_t at) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
        return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)))} << at;
    };
    return part(0) | part(16) | part(32) | part(48);
}
#endif

/// Cuts lines off the front of `text` until there are as many as `lines` has room for, or no text is left. The last line need not end with
/// a separator. Returns their number.
[[nodiscard]] inline std::size_t cut_lines(std::string_view& text, char separator,
                                           std::span<std::string_view> lines) noexcept {
    const char* from = text.data();
    const char* const end = from + text.size();
    std::size_t count = 0;
#if defined(EVERBLOOM_LINE_MASKS)
    const char* looked = from; // no separator between `from` and here
    while (count < lines.size() && static_cast<std::size_t>(end - looked) >= mask_bytes) {
        std::uint64_t mask = separator_mask(looked, separator);
        for (; mask != 0 && count < lines.size(); mask &= mask - 1) {
            const char* const to = looked + std::countr_zero(mask);
            lines[count++] = {from, static_cast<std::size_t>(to - from)};
            from = to + 1;
        }
        looked += mask_bytes;
    }
#endif
    while (count < lines.size() && from != end) {
        const auto* const to =
            static_cast<const char*>(std::memchr(from, separator, static_cast<std::size_t>(end - from)));
        const char* const stop = to == nullptr ? end : to;
        lines[count++] = {from, static_cast<std::size_t>(stop - from)};
        from = to == nullptr ? end : to + 1;
    }
    text = {from, static_cast<std::size_t>(end - from)};
    return count;
}

[[nodiscard]] inline std::size_t count_separators(std::string_view text, char separator) noexcept {
    std::size_t count = 0;
#if defined(EVERBLOOM_LINE_MASKS)
    const __m128i wanted = _mm_set1_epi8(separator);
    while (text.size() >= sizeof(__m128i)) {
        // A byte counts down by one where it is equal; its sum is taken before it can overflow.
        constexpr std::size_t most_rounds = 255;
        const std::size_t rounds = std::min(text.size() / sizeof(__m128i), most_rounds);
        __m128i counts = _mm_setzero_si128();
        for (std::size_t i = 0; i < rounds; ++i) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i * sizeof(__m128i)));
            counts = _mm_sub_epi8(counts, _mm_cmpeq_epi8(bytes, wanted));
        }
        const __m128i sums = _mm_sad_epu8(counts, _mm_setzero_si128());
        count += static_cast<std::size_t>(_mm_cvtsi128_si32(sums)) +
                 static_cast<std::size_t>(_mm_cvtsi128_si32(_mm_srli_si128(sums, 8)));
        text.remove_prefix(rounds * sizeof(__m128i));
    }
#endif
    return count + static_cast<std::size_t>(std::count(text.begin(), text.end(), separator));
}

} // namespace everbloom::cli
