// Scanning a bucket of packed cells (packed_cells.hpp) with AVX2: the twin of scan_bucket.
#pragma once

#include <everbloom/filter/kernel/packed_cells.hpp>

#if defined(EVERBLOOM_PACKED_KERNEL)

namespace everbloom::kernel {

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
    using half = long long __attribute__((vector_size(16)));
    half first{};
    half second{};
    __builtin_memcpy(&first, at, sizeof first); // at any byte
    __builtin_memcpy(&second, at + of.second_half, sizeof second);
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

} // namespace everbloom::kernel
#endif
