// What the AVX-512 code for pages of stored hashes shares (filter/elastic/stored_hashes/page_kernel.hpp): eight slots in one register.
//
// A group of eight slots is as many bytes as a slot has bits, at most 56. One load reads it, one permutation of bytes brings each slot into a word
// of its own, and one shift to its beginning. The load of a group near the end of the page begins earlier, and the permutation takes its bytes
// from farther behind: no byte outside the page is touched, and no group has to be treated differently because it is the last.
#pragma once

#include <everbloom/filter/elastic/stored_hashes/page_kernel.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <everbloom/filter/elastic/stored_hashes/page.hpp>

// g++ 12 takes the registers that its intrinsics leave open on purpose for a mistake of the caller.
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <algorithm>
#include <array>
#include <cstring>

#define EVERBLOOM_WIDE_TARGET                                                                                          \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma,avx2,bmi,bmi2,lzcnt,popcnt"
#define EVERBLOOM_WIDE_PAGES [[gnu::target(EVERBLOOM_WIDE_TARGET)]]
// Where an attribute of a lambda's call operator goes.
#define EVERBLOOM_WIDE_PAGES_LAMBDA __attribute__((target(EVERBLOOM_WIDE_TARGET), always_inline))

namespace everbloom::kernel::wide {

inline constexpr unsigned group_slots = 8;
inline constexpr unsigned header_bits = hash_geometry::header_words * 64;
inline constexpr unsigned header_bytes = header_bits / 8;

using eight = __m512i; // words

/// How a group of slots of one width becomes eight words.
struct unpacking {
    alignas(64) std::array<std::uint8_t, 64> bytes{};
    alignas(64) std::array<std::uint64_t, group_slots> shifts{};
};
inline constexpr std::array<unpacking, widest_vector_slot + 1> unpackings = [] {
    std::array<unpacking, widest_vector_slot + 1> made{};
    for (unsigned width = hash_geometry::counter_bits; width <= widest_vector_slot; ++width) {
        for (unsigned slot = 0; slot < group_slots; ++slot) {
            for (unsigned i = 0; i < 8; ++i) {
                made[width].bytes[8 * slot + i] = static_cast<std::uint8_t>(slot * width / 8 + i);
            }
            made[width].shifts[slot] = slot * width % 8;
        }
    }
    return made;
}();

EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline eight all(std::uint64_t word) noexcept {
    return _mm512_set1_epi64(static_cast<long long>(word));
}
/// The lanes of `which`; the others are zero, and their memory is not touched.
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline eight load(__mmask8 which, const std::uint64_t* from) noexcept {
    return _mm512_maskz_loadu_epi64(which, from);
}
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline __m128i by(unsigned bits) noexcept {
    return _mm_cvtsi32_si128(static_cast<int>(bits));
}

/// The slots of one page or overflow page, for reading.
class packed_slots {
public:
    EVERBLOOM_WIDE_PAGES
    [[gnu::always_inline]] packed_slots(const std::uint64_t* page, const hash_geometry& geometry) noexcept
        : begin_(reinterpret_cast<const std::uint8_t*>(page) + header_bytes), width_(geometry.slot_bits()),
          page_bytes_(static_cast<unsigned>(geometry.page_words() * 8) - header_bytes),
          bytes_(_mm512_load_si512(unpackings[width_].bytes.data())),
          shifts_(_mm512_load_si512(unpackings[width_].shifts.data())), mask_(all(low_mask(width_))) {}

    [[nodiscard, gnu::always_inline]] unsigned width() const noexcept { return width_; }

    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] std::uint64_t get(unsigned slot) const noexcept {
        const unsigned bit = slot * width_;
        std::uint64_t loaded = 0;
        std::memcpy(&loaded, begin_ + bit / 8, sizeof loaded);
        return _bzhi_u64(loaded >> (bit % 8), width_);
    }
    /// Slots 8 * group to 8 * group + 7. Behind the last slot of the page there is anything.
    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight read(unsigned group) const noexcept {
        // The last 64 bytes of the page instead of some behind it.
        const unsigned at = group * width_;
        const unsigned from = std::min(at, page_bytes_ - 64);
        const eight bytes = _mm512_add_epi8(bytes_, _mm512_set1_epi8(static_cast<char>(at - from)));
        const eight moved = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(begin_ + from));
        return _mm512_and_si512(_mm512_srlv_epi64(moved, shifts_), mask_);
    }

private:
    const std::uint8_t* begin_;
    unsigned width_;
    unsigned page_bytes_;
    eight bytes_;
    eight shifts_;
    eight mask_;
};

/// From the header: the slots of a bin, and how many are in use. They are right if `used` is at most 255: the running sums of eight bytes
/// then fit into bytes.
struct bin_slots {
    unsigned start;
    unsigned end;

    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] bin_slots(std::uint64_t counts, unsigned bin) noexcept {
        const std::uint64_t sums = counts * 0x0101010101010101;
        end = static_cast<unsigned>(sums >> (8 * bin) & 0xff);
        start = end - static_cast<unsigned>(counts >> (8 * bin) & 0xff);
    }
};
EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] inline unsigned used_slots(std::uint64_t counts) noexcept {
    return static_cast<unsigned>(
        _mm_cvtsi128_si32(_mm_sad_epu8(_mm_cvtsi64_si128(static_cast<long long>(counts)), _mm_setzero_si128())));
}
inline constexpr unsigned most_used = 255;
/// The same where there is no overflow page: no more than `most_used`.
[[nodiscard, gnu::always_inline]] inline unsigned used_slots_of_one(std::uint64_t counts) noexcept {
    return static_cast<unsigned>(counts * 0x0101010101010101 >> 56);
}

} // namespace everbloom::kernel::wide
#endif
