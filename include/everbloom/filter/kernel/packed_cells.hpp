// Scanning a bucket of packed cells, eight or sixteen at a time, for processors with AVX2: the twin of scan_bucket for widths of up to 25
// bits and buckets of 8, 16, 24 ... cells.
//
// Eight cells of w bits are w bytes, so that every eight of them begin with a byte. One shuffle brings the bytes in which each cell begins into
// a unit of its own:
//
//      bytes    | cell 0 .. cell 7, w bytes ........................ |
//      units    | cell 0, and what follows | cell 1 | ... | cell 7 |           each cell up to 7 bits above the low end of its unit
//
// Shuffle, shifts and masks are the same for all eights of a table. Cells stay where they are in their units; the remainder that is looked
// for is shifted to where they are, once for a bucket. Two forms:
//
//      two_bytes    widths of which no cell lies in three bytes (up to 10, and 12): units of 16 bits, sixteen cells in a vector
//      four_bytes   all others: units of 32 bits, eight cells in a vector; where these are more than 16 bytes, the second four cells are read
//                   from the byte in which they begin
//
// Whole vectors are read: the buckets at the end of a table, where that would be beyond its words, are left to scan_bucket.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/filter/kernel/bucket_scan.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#if defined(EVERBLOOM_MODERN_X86) && !defined(EVERBLOOM_SMALL)
#define EVERBLOOM_PACKED_KERNEL 1

namespace everbloom::kernel {

enum class packed_form : std::uint8_t { two_bytes, four_bytes };

/// Where the cells of a table are in vectors, worked out once.
struct packed_cells {
    /// `all_cells` in the table, `bucket_cells` (at most 64) in each bucket.
    packed_cells(std::uint64_t all_cells, unsigned bucket_cells, unsigned cell_bits, unsigned counter_bits) noexcept
        : bits(cell_bits), counter(counter_bits), eights(bucket_cells / 8), bucket_bytes(eights * cell_bits) {
        constexpr unsigned most_bits = 25; // and up to 7 before them
        if (cell_bits > most_bits || bucket_cells % 8 != 0 || !is_modern()) return;
        const bool fits_pairs = (cell_bits <= 10 || cell_bits == 12) && bucket_cells % 16 == 0;
        form = fits_pairs ? packed_form::two_bytes : packed_form::four_bytes;
        second_half = fits_pairs ? cell_bits : cell_bits > 16 ? cell_bits / 2 : 0;
        const unsigned unit_bytes = fits_pairs ? 2 : 4;
        for (unsigned i = 0; i < 32 / unit_bytes; ++i) {
            const bool in_second_half = !fits_pairs && i >= 4;
            const unsigned from = i % 8 * cell_bits - (in_second_half ? second_half * 8 : 0); // bits
            const std::uint64_t cell = low_mask(cell_bits) << (from % 8);
            const std::uint64_t remainder = (low_mask(cell_bits) & ~low_mask(counter_bits)) << (from % 8);
            const std::uint64_t factor = std::uint64_t{1} << (from % 8);
            for (unsigned byte = 0; byte < unit_bytes; ++byte) {
                const unsigned at = unit_bytes * i + byte;
                shuffle[at] = static_cast<std::uint8_t>(from / 8 + byte);
                factors[at] = static_cast<std::uint8_t>(factor >> (8 * byte));
                remainders[at] = static_cast<std::uint8_t>(remainder >> (8 * byte));
                cells[at] = static_cast<std::uint8_t>(cell >> (8 * byte));
            }
        }
        // The last bucket of which neither a vector nor the four bytes of a cell reach beyond the words of the table.
        const std::uint64_t table_bytes = all_cells * cell_bits / 8;
        const unsigned last_eight = eights - (fits_pairs ? 2 : 1);
        const unsigned of_last_vector =
            std::max(second_half + 16, (fits_pairs ? 2 : 1) * cell_bits - cell_bits / 8 + 3);
        const std::uint64_t read_bytes = std::uint64_t{last_eight} * cell_bits + of_last_vector;
        if (table_bytes >= read_bytes) readable = (table_bytes - read_bytes) / bucket_bytes + 1;
        readable_cells = readable * bucket_cells;
    }

    /// Whether this bucket, counted over all subtables, can be scanned here.
    [[nodiscard]] bool can_read(std::uint64_t bucket) const noexcept { return bucket < readable; }
    [[nodiscard]] const char* first_byte(const std::uint64_t* words, std::uint64_t bucket) const noexcept {
        return reinterpret_cast<const char*>(words) + bucket * bucket_bytes;
    }

    using vector_bytes = std::array<std::uint8_t, 32>;
    alignas(32) vector_bytes shuffle{};
    alignas(32) vector_bytes factors{};    // of each unit: 1, shifted as its cell is
    alignas(32) vector_bytes remainders{}; // their bits
    alignas(32) vector_bytes cells{};      // the bits of remainder and counter
    unsigned bits;
    unsigned counter;
    unsigned eights;
    unsigned bucket_bytes;
    unsigned second_half = 0; // its first byte
    packed_form form = packed_form::four_bytes;
    std::uint64_t readable = 0; // buckets below this one
    std::uint64_t readable_cells = 0;
};

using packed_bytes = char __attribute__((vector_size(32), may_alias));
using packed_quads = long long __attribute__((vector_size(32), may_alias));

/// A vector's units by form: 16 or 32 bits.
template <packed_form Form>
struct packed_units {
    using unit = std::uint32_t;
    using vector = std::uint32_t __attribute__((vector_size(32), may_alias));
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] static vector in_all(unit a) noexcept {
        return vector{a, a, a, a, a, a, a, a};
    }
};
template <>
struct packed_units<packed_form::two_bytes> {
    using unit = std::uint16_t;
    using vector = std::uint16_t __attribute__((vector_size(32), may_alias));
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] static vector in_all(unit a) noexcept {
        return vector{a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a};
    }
};

template <packed_form Form>
inline constexpr unsigned eights_in_vector = Form == packed_form::two_bytes ? 2 : 1;

/// Cells that begin with this byte, each in a unit of its own, with other bits around it.
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline packed_bytes load_units(const char* at,
                                                                                  const packed_cells& of) noexcept {
    using half = long long __attribute__((vector_size(16), may_alias, aligned(1)));
    const half first = *reinterpret_cast<const half*>(at);
    const half second = *reinterpret_cast<const half*>(at + of.second_half);
    const packed_quads both =
        __builtin_ia32_insert128i256(__builtin_shufflevector(first, first, 0, 1, -1, -1), second, 1);
    return __builtin_ia32_pshufb256(reinterpret_cast<packed_bytes>(both),
                                    *reinterpret_cast<const packed_bytes*>(of.shuffle.data()));
}

template <packed_form Form>
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline auto
units_of(const packed_cells::vector_bytes& bytes) noexcept {
    return *reinterpret_cast<const typename packed_units<Form>::vector*>(bytes.data());
}

/// A bucket, and the remainder to look for where its cells have theirs.
template <packed_form Form>
struct packed_bucket {
    using vector = typename packed_units<Form>::vector;

    EVERBLOOM_MODERN [[gnu::always_inline]] packed_bucket(const char* first_byte, const packed_cells& cells,
                                                          std::uint64_t remainder) noexcept
        : at(first_byte), of(cells),
          wanted(
              units_of<Form>(cells.factors) *
              packed_units<Form>::in_all(static_cast<typename packed_units<Form>::unit>(remainder << cells.counter))) {}

    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] packed_bytes load(unsigned eight) const noexcept {
        return load_units(at + std::size_t{eight} * of.bits, of);
    }
    /// -1 in the units that have the remainder, 0 in the others.
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] packed_bytes equal(packed_bytes units) const noexcept {
        return reinterpret_cast<packed_bytes>((reinterpret_cast<vector>(units) & units_of<Form>(of.remainders)) ==
                                              wanted);
    }
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] packed_bytes empty(packed_bytes units) const noexcept {
        return reinterpret_cast<packed_bytes>((reinterpret_cast<vector>(units) & units_of<Form>(of.cells)) == 0);
    }

    const char* at;
    const packed_cells& of;
    vector wanted;
};

/// Bits of cells in order: bit i is the verdict of cell i of the units that begin with cell 0.
template <packed_form Form>
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline std::uint64_t mask_of_units(packed_bytes verdicts) noexcept {
    if constexpr (Form == packed_form::two_bytes) {
        using words = short __attribute__((vector_size(32)));
        const auto packed = reinterpret_cast<packed_quads>(
            __builtin_ia32_packsswb256(reinterpret_cast<words>(verdicts), reinterpret_cast<words>(verdicts)));
        const auto low = static_cast<std::uint64_t>(packed[0]);
        const auto high = static_cast<std::uint64_t>(packed[2]);
        constexpr std::uint64_t lowest = 0x0101010101010101;
        return __builtin_ia32_pext_di(low, lowest) | __builtin_ia32_pext_di(high, lowest) << 8;
    } else {
        using floats = float __attribute__((vector_size(32)));
        return static_cast<unsigned>(__builtin_ia32_movmskps256(reinterpret_cast<floats>(verdicts)));
    }
}

/// The verdicts of 32 cells, from two vectors of pairs or four others.
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline std::uint64_t mask_of_pairs(packed_bytes a,
                                                                                      packed_bytes b) noexcept {
    using words = short __attribute__((vector_size(32)));
    const auto packed = reinterpret_cast<packed_quads>(
        __builtin_ia32_packsswb256(reinterpret_cast<words>(a), reinterpret_cast<words>(b))); // eights 0 2 1 3
    const packed_quads in_order = __builtin_shufflevector(packed, packed, 0, 2, 1, 3);
    return static_cast<unsigned>(__builtin_ia32_pmovmskb256(reinterpret_cast<packed_bytes>(in_order)));
}
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline std::uint64_t
mask_of_four(packed_bytes a, packed_bytes b, packed_bytes c, packed_bytes d) noexcept {
    using units = int __attribute__((vector_size(32)));
    const auto low = __builtin_ia32_packssdw256(reinterpret_cast<units>(a), reinterpret_cast<units>(b));
    const auto high = __builtin_ia32_packssdw256(reinterpret_cast<units>(c), reinterpret_cast<units>(d));
    const auto packed =
        reinterpret_cast<units>(__builtin_ia32_packsswb256(low, high)); // the first fours of all, then the second
    const units in_order = __builtin_shufflevector(packed, packed, 0, 4, 1, 5, 2, 6, 3, 7);
    return static_cast<unsigned>(__builtin_ia32_pmovmskb256(reinterpret_cast<packed_bytes>(in_order)));
}

/// Not all zero if a cell of the bucket holds this remainder, which is not 0: no empty cell does. `Eights` is 0 where it is known at run time
/// only. Only where can_read.
template <packed_form Form, unsigned Eights>
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline packed_bytes
equal_packed(const char* first_byte, const packed_cells& of, std::uint64_t remainder) noexcept {
    const packed_bucket<Form> bucket(first_byte, of, remainder);
    constexpr unsigned step = eights_in_vector<Form>;
    packed_bytes found = bucket.equal(bucket.load(0));
    if constexpr (Eights == 4) { // written out, because a loop of four is not unrolled at -O2
        if constexpr (step == 1) found |= bucket.equal(bucket.load(1));
        found |= bucket.equal(bucket.load(2));
        if constexpr (step == 1) found |= bucket.equal(bucket.load(3));
    } else if constexpr (Eights != 1) {
        for (unsigned i = step; i < of.eights; i += step) found |= bucket.equal(bucket.load(i));
    }
    return found;
}

EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline bool any_packed(packed_bytes found) noexcept {
    using quads = long long __attribute__((vector_size(32)));
    return __builtin_ia32_ptestz256(reinterpret_cast<quads>(found), reinterpret_cast<quads>(found)) == 0;
}

/// The same marks as scan_bucket. Only where can_read.
template <packed_form Form, unsigned Eights>
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline bucket_marks
marks_of_packed(const char* first_byte, const packed_cells& of, std::uint64_t remainder) noexcept {
    const packed_bucket<Form> bucket(first_byte, of, remainder);
    std::uint64_t empty = 0;
    std::uint64_t equal = 0;
    if constexpr (Eights == 4) {
        if constexpr (Form == packed_form::two_bytes) {
            const packed_bytes a = bucket.load(0);
            const packed_bytes b = bucket.load(2);
            empty = mask_of_pairs(bucket.empty(a), bucket.empty(b));
            equal = mask_of_pairs(bucket.equal(a), bucket.equal(b));
        } else {
            const packed_bytes a = bucket.load(0);
            const packed_bytes b = bucket.load(1);
            const packed_bytes c = bucket.load(2);
            const packed_bytes d = bucket.load(3);
            empty = mask_of_four(bucket.empty(a), bucket.empty(b), bucket.empty(c), bucket.empty(d));
            equal = mask_of_four(bucket.equal(a), bucket.equal(b), bucket.equal(c), bucket.equal(d));
        }
    } else if constexpr (Eights == 1) {
        const packed_bytes units = bucket.load(0);
        empty = mask_of_units<Form>(bucket.empty(units));
        equal = mask_of_units<Form>(bucket.equal(units));
    } else {
        for (unsigned i = 0; i < of.eights; i += eights_in_vector<Form>) {
            const packed_bytes units = bucket.load(i);
            empty |= mask_of_units<Form>(bucket.empty(units)) << (8 * i);
            equal |= mask_of_units<Form>(bucket.equal(units)) << (8 * i);
        }
    }
    const std::uint64_t occupied = ~empty & low_mask(8 * (Eights != 0 ? Eights : of.eights));
    return {occupied, equal & occupied};
}

EVERBLOOM_MODERN [[gnu::noinline]] inline bucket_marks scan_packed(const char* first_byte, const packed_cells& of,
                                                                   std::uint64_t remainder) noexcept {
    if (of.form == packed_form::two_bytes) return marks_of_packed<packed_form::two_bytes, 0>(first_byte, of, remainder);
    return marks_of_packed<packed_form::four_bytes, 0>(first_byte, of, remainder);
}

} // namespace everbloom::kernel
#endif
