// What the vector code for pages of stored hashes shares (filter/elastic/stored_hashes/page_kernel.hpp): how slots are read, eight at a time.
#pragma once

#include <everbloom/filter/elastic/stored_hashes/page_kernel.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <everbloom/filter/elastic/stored_hashes/page.hpp>

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace everbloom::kernel {

using words = __m256i;
using bytes = const std::uint8_t*;

inline constexpr unsigned group_slots = 8;
inline constexpr unsigned header_bits = hash_geometry::header_words * 64;

/// How a group of eight slots of one width becomes eight numbers.
struct unpacking {
    alignas(32) std::array<std::array<std::uint8_t, 32>, 2> shuffles{};
    alignas(32) std::array<std::array<std::uint64_t, 4>, 2> shifts{};
    std::array<unsigned, 4> from{}; // the bytes where slots 0, 2, 4 and 6 begin
    unsigned groups = 0;            // that can be loaded without leaving the page
};

inline constexpr unsigned loaded_bytes = 16;

inline constexpr std::array<unpacking, widest_vector_slot + 1> unpackings = [] {
    std::array<unpacking, widest_vector_slot + 1> made{};
    for (unsigned width = hash_geometry::counter_bits; width <= widest_vector_slot; ++width) {
        unpacking& one = made[width];
        for (unsigned slot = 0; slot < group_slots; ++slot) {
            const unsigned begins = slot / 2 * 2 * width / 8; // of the load that has it
            const unsigned lead = slot * width / 8 - begins;
            for (unsigned i = 0; i < 8; ++i) {
                one.shuffles[slot / 4][slot % 4 * 8 + i] = static_cast<std::uint8_t>(lead + i);
            }
            one.shifts[slot / 4][slot % 4] = slot * width % 8;
            if (slot % 2 == 0) one.from[slot / 2] = begins;
        }
        const auto all = static_cast<unsigned>(hash_geometry::page_words_for(width) - hash_geometry::header_words) * 8;
        one.groups = (all - loaded_bytes - one.from[3]) / width + 1;
    }
    return made;
}();

EVERBLOOM_MODERN [[gnu::always_inline]] inline words load(const void* from) noexcept {
    return _mm256_loadu_si256(static_cast<const words*>(from));
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline void store(void* to, words what) noexcept {
    _mm256_storeu_si256(static_cast<words*>(to), what);
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline words all(std::uint64_t word) noexcept {
    return _mm256_set1_epi64x(static_cast<long long>(word));
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline __m128i by(unsigned bits) noexcept {
    return _mm_cvtsi32_si128(static_cast<int>(bits));
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline words two_loads(bytes low, bytes high) noexcept {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline unsigned sign_bits(words value) noexcept {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(value)));
}

/// The slots of a page, for reading.
struct packed_slots {
    bytes begin;
    unsigned width;
    const unpacking& how;

    EVERBLOOM_MODERN [[gnu::always_inline]] packed_slots(const std::uint64_t* page, unsigned slot_bits) noexcept
        : begin(reinterpret_cast<bytes>(page + hash_geometry::header_words)), width(slot_bits),
          how(unpackings[slot_bits]) {}

    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] std::uint64_t get(unsigned slot) const noexcept {
        const unsigned bit = slot * width;
        std::uint64_t loaded = 0;
        std::memcpy(&loaded, begin + bit / 8, sizeof loaded);
        return _bzhi_u64(loaded >> (bit % 8), width);
    }
    /// Slots 0 to 3 of a group, or 4 to 7.
    template <unsigned Half>
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] words half(unsigned group, words mask) const noexcept {
        const bytes at = begin + group * width;
        const words loaded = two_loads(at + how.from[2 * Half], at + how.from[2 * Half + 1]);
        const words moved = _mm256_shuffle_epi8(loaded, load(how.shuffles[Half].data()));
        return _mm256_and_si256(_mm256_srlv_epi64(moved, load(how.shifts[Half].data())), mask);
    }
};

/// From the header: the slots of a bin, and how many of the page are in use.
struct bin_slots {
    unsigned start;
    unsigned end;
    unsigned used;

    EVERBLOOM_MODERN [[gnu::always_inline]] bin_slots(std::uint64_t counts, unsigned bin) noexcept {
        // Running sums of eight bytes that fit into bytes, because a page without overflow pages has at most 255 slots.
        const std::uint64_t sums = counts * 0x0101010101010101;
        end = static_cast<unsigned>(sums >> (8 * bin) & 0xff);
        start = end - static_cast<unsigned>(counts >> (8 * bin) & 0xff);
        used = static_cast<unsigned>(sums >> 56);
    }
};

} // namespace everbloom::kernel
#endif
