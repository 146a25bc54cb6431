// All buckets of a fingerprint in one call with AVX-512, for cells of more bits than src/dleft_packed.cpp can shift (26 to 32).
//
// One vector takes 16 cells. The bytes of a bucket are loaded as far as it goes, and no further: so there is no last bucket that must be left
// to others. One instruction brings the bytes of two cells into each word of 64 bits, and another one moves the bits of each cell to the
// beginning of its lane; bits of its neighbour behind them are masked by the comparison:
//
//   | 28 | 28 | 28 | ...   ->   | 7 bytes, 1 more | 7 bytes, 1 more | ...   ->   | 28, 4 more | 28, 4 more | ...
#include <everbloom/filter/dleft/dleft_layout.hpp>

#if defined(EVERBLOOM_PACKED_KERNEL)

#include <immintrin.h>

#define EVERBLOOM_UNPACKING [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,bmi,bmi2,lzcnt,popcnt")]]

namespace everbloom {
namespace {

using kernel::bucket_marks;

constexpr unsigned least_bits = 26;
constexpr unsigned most_bits = 32;
constexpr unsigned lanes = 16;

/// How cells of one width are brought into lanes: from which byte, and from which bit of a word.
struct unpacking {
    alignas(64) std::array<std::uint8_t, 64> byte{};
    alignas(64) std::array<std::uint8_t, 64> bit{};
};
constexpr std::array<unpacking, most_bits - least_bits + 1> unpackings = [] {
    std::array<unpacking, most_bits - least_bits + 1> made{};
    for (unsigned bits = least_bits; bits <= most_bits; ++bits) {
        for (unsigned at = 0; at < 64; ++at) {
            const unsigned first = at / 8 * 2 * bits; // bit of the vector
            const unsigned cell = at % 8 / 4;
            made[bits - least_bits].byte[at] = static_cast<std::uint8_t>((first / 8 + at % 8) % 64);
            made[bits - least_bits].bit[at] = static_cast<std::uint8_t>((first % 8 + cell * bits + at % 4 * 8) % 64);
        }
    }
    return made;
}();

/// Whether the cells of a word, with what is before them in their first byte, always fit 64 bits.
constexpr bool fits_words(unsigned cell_bits) noexcept { return cell_bits != 31; }

// Vectors of the compiler: g++ 12 warns of what is in most functions for AVX-512.
using longs = std::uint32_t __attribute__((vector_size(64), may_alias));

/// A remainder in the buckets of one layout.
struct wanted_remainder {
    EVERBLOOM_UNPACKING [[gnu::always_inline]] inline explicit wanted_remainder(const dleft_layout& layout) noexcept
        : how(unpackings[layout.cell_bits - least_bits]), bytes_of_lanes(lanes * layout.cell_bits / 8),
          cell(in_all(static_cast<std::uint32_t>(low_mask(layout.cell_bits)))),
          rest(in_all(static_cast<std::uint32_t>(low_mask(layout.cell_bits) & ~low_mask(layout.counter_bits)))) {}

    EVERBLOOM_UNPACKING [[nodiscard, gnu::always_inline]] static inline __m512i in_all(std::uint32_t value) noexcept {
        return reinterpret_cast<__m512i>(longs{} + value);
    }
    /// Up to `lanes` cells that take `bytes` bytes.
    EVERBLOOM_UNPACKING [[nodiscard, gnu::always_inline]] inline __m512i load(const char* from,
                                                                              unsigned bytes) const noexcept {
        constexpr __mmask64 all = ~std::uint64_t{0};
        const __m512i packed = _mm512_maskz_loadu_epi8(all >> (64 - bytes), from);
        const __m512i near = _mm512_maskz_permutexvar_epi8(all, _mm512_load_si512(how.byte.data()), packed);
        return _mm512_maskz_multishift_epi64_epi8(all, _mm512_load_si512(how.bit.data()), near);
    }
    EVERBLOOM_UNPACKING [[nodiscard, gnu::always_inline]] inline std::uint64_t equal(__m512i cells,
                                                                                     __m512i wanted) const noexcept {
        return _mm512_testn_epi32_mask(_mm512_xor_si512(cells, wanted), rest);
    }
    EVERBLOOM_UNPACKING [[nodiscard, gnu::always_inline]] inline std::uint64_t occupied(__m512i cells) const noexcept {
        return _mm512_test_epi32_mask(cells, cell);
    }

    const unpacking& how;
    unsigned bytes_of_lanes;
    __m512i cell; // its bits
    __m512i rest; // those of the remainder
};

/// The numbers are 0 where they are known at run time only.
template <unsigned FixedSubtables, unsigned FixedCells>
struct wide_buckets {
    EVERBLOOM_UNPACKING static packed_answer hold(const dleft_layout& layout, const std::uint64_t* words,
                                                  std::uint64_t fingerprint) noexcept {
        std::uint64_t found = 0;
        const bool done = visit<false>(
            layout, words, fingerprint, [&found](unsigned, const bucket_marks& marks) __attribute__((always_inline)) {
                found |= marks.equal;
            });
        if (!done) return packed_answer::cannot_tell;
        return found != 0 ? packed_answer::holds : packed_answer::lacks;
    }
    EVERBLOOM_UNPACKING static bool scan(const dleft_layout& layout, const std::uint64_t* words,
                                         std::uint64_t fingerprint, bucket_marks* marks) noexcept {
        return visit<true>(
            layout, words,
            fingerprint, [marks](unsigned subtable, const bucket_marks& found) __attribute__((always_inline)) {
                marks[subtable] = found;
            });
    }

private:
    /// Calls `act(subtable, marks)` for each subtable. Without `Occupied` only what is equal is found, for a remainder that is not 0; false
    /// if it is.
    template <bool Occupied, class Act>
    EVERBLOOM_UNPACKING [[nodiscard, gnu::always_inline]] static inline bool
    visit(const dleft_layout& layout, const std::uint64_t* words, std::uint64_t fingerprint, Act act) noexcept {
        const wanted_remainder of(layout);
        const unsigned subtables = FixedSubtables != 0 ? FixedSubtables : layout.subtables;
        const unsigned cells = FixedCells != 0 ? FixedCells : layout.bucket_cells;
        const unsigned bucket_bytes = cells / 8 * layout.cell_bits;
#pragma GCC unroll 4
        for (unsigned subtable = 0; subtable < subtables; ++subtable) {
            const bucket_place where = layout.places.place(fingerprint, subtable);
            if (!Occupied && where.remainder == 0) [[unlikely]]
                return false;
            const char* const first =
                reinterpret_cast<const char*>(words) + (subtable * layout.buckets + where.bucket) * bucket_bytes;
            const __m512i wanted = of.in_all(static_cast<std::uint32_t>(where.remainder << layout.counter_bits));
            bucket_marks marks;
            unsigned from = 0;
#pragma GCC unroll 2
            for (unsigned cell = 0; cell < cells; cell += lanes, from += of.bytes_of_lanes) {
                const __m512i some = of.load(first + from, std::min(of.bytes_of_lanes, bucket_bytes - from));
                marks.equal |= of.equal(some, wanted) << cell;
                if constexpr (Occupied) marks.occupied |= of.occupied(some) << cell;
            }
            marks.occupied &= low_mask(cells);
            marks.equal &= Occupied ? marks.occupied : low_mask(cells);
            act(subtable, marks);
        }
        return true;
    }
};

template <unsigned FixedSubtables, unsigned FixedCells>
constexpr packed_calls wide_calls{wide_buckets<FixedSubtables, FixedCells>::hold,
                                  wide_buckets<FixedSubtables, FixedCells>::scan};

} // namespace

packed_calls wide_packed_calls(const dleft_layout& layout) noexcept {
    const bool is_possible = kernel::is_modern() && __builtin_cpu_supports("avx512f") != 0 &&
                             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vbmi") != 0;
    const unsigned bits = layout.cell_bits;
    if (!is_possible || bits < least_bits || bits > most_bits || !fits_words(bits) || layout.bucket_cells % 8 != 0) {
        return {};
    }
    if (layout.shape == dleft_shape::packed_two_by_32) return wide_calls<2, 32>;
    if (layout.shape == dleft_shape::packed_four_by_8) return wide_calls<4, 8>;
    return wide_calls<0, 0>;
}

} // namespace everbloom
#endif
