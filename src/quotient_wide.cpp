// Queries for a single key on processors with AVX-512, in a table of its first size with at most 64 buckets in a line.
//
// One instruction compares all bytes of a line, in registers of which older code knows nothing and which need not be left. Bucket b begins
// behind b ends and the items in front of it: at bit b, or up to `slots` bits behind it. So the eight bytes from the one with bit b on, its
// window, have all of it, and nothing has to be chosen between the two words of the ends, as in src/quotient_brief.cpp. Which of the ends
// there is that of the bucket follows from b and the ends in front of the window, all in the first word if there are at most 64 buckets. As
// there, what hardly any key needs is in functions of its own, which are the last thing that is called: the usual way has no frame.
#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <cstring>

// Only a function that is compiled for AVX-512 has values of its own in these registers, and may name them.
#if defined(__AVX512F__)
#define EVERBLOOM_WIDE_REGISTERS "xmm16", "k1"
#else
#define EVERBLOOM_WIDE_REGISTERS
#endif

namespace everbloom {

struct quotient_batch::wide_singles {
    // The last end that must be in a window is behind up to seven other bits, the start of the bucket and all slots.
    static_assert(7 + 1 + line_shape::slots_of(quotient_spec::least_buckets, 0) < word_bits);

    /// Which bytes of a line belong to items that are in the bucket and have the lowest byte of `found`; false if none do. `turn` is
    /// the first byte of an item with the opposite sign, and 1.
    ///
    /// The items are the zeros behind the end with which the bucket starts: adding that to the complement carries through them. A one has no
    /// byte, so the byte of an item is its position without the ones before it. In assembler, because the compiler keeps more values in
    /// registers at once than there are without a frame.
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] static inline bool
    find(const std::uint64_t* line, std::uint32_t number, const std::uint32_t& turn, std::uint64_t& found) noexcept {
        struct whole {
            char bytes[64];
        };
        std::uint64_t ends;
        std::uint64_t other;
        bool is_none;
        asm("vpbroadcastb %k[found], %%zmm16\n\t"
            "movl %[number], %k[found]\n\t"
            "shrl $3, %k[found]\n\t"             // with which byte the window begins
            "leal (,%q[found],8), %k[other]\n\t" // the bits in front of it
            "bzhiq %[other], (%[line]), %[ends]\n\t"
            "popcntq %[ends], %[ends]\n\t"
            "movq (%[line],%q[found]), %[found]\n\t"
            "subl %[number], %k[other]\n\t"
            "subl %k[ends], %[number]\n\t"
            "subl %[turn], %k[other]\n\t"
            "movl $1, %k[ends]\n\t"
            "shlxq %q[number], %[ends], %[ends]\n\t"
            "pdepq %[found], %[ends], %[ends]\n\t" // where the bucket starts
            "notq %[found]\n\t"
            "vpcmpeqb (%[line]), %%zmm16, %%k1\n\t"
            "leaq (%[found],%[ends],2), %[ends]\n\t"
            "andnq %[found], %[ends], %[found]\n\t"
            "kmovq %%k1, %[ends]\n\t"
            "shlxq %[other], %[found], %[found]\n\t"
            "andq %[ends], %[found]"
            : [found] "+&r"(found), [number] "+&r"(number), [ends] "=&r"(ends), [other] "=&r"(other), "=@ccz"(is_none)
            : [line] "r"(line), [turn] "m"(turn), "m"(*reinterpret_cast<const whole*>(line))
            : EVERBLOOM_WIDE_REGISTERS);
        return !is_none;
    }
    /// Has the item with the first of these bytes the extension of this path?
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] static inline bool has_extension(const quotient_places& where,
                                                                                        const std::uint64_t* line,
                                                                                        std::uint64_t found,
                                                                                        std::uint64_t path) noexcept {
        const unsigned bit =
            where.extensions_before_ + static_cast<unsigned>(_tzcnt_u64(found)) * where.extension_bits_;
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(line) + bit / 8, sizeof word);
        return ((static_cast<std::uint32_t>(word >> bit % 8) ^ static_cast<std::uint32_t>(path)) &
                where.extension_mask_) == 0;
    }

    /// In both lines without a shortcut, of a key whose row is known.
    template <class Lines>
    EVERBLOOM_MODERN [[gnu::noinline]] static bool holds_after_all(const quotient_places& where, Lines lines,
                                                                   std::uint64_t row, std::uint64_t high) noexcept {
        return quotient_batch::holds<table_state::growing>(where, lines,
                                                           digest{smallest_reduced_to(row, where.rows_), high});
    }

    template <class Lines>
    EVERBLOOM_MODERN [[gnu::noinline]] static bool holds_in_second(const quotient_places& where, Lines lines,
                                                                   std::uint64_t row, std::uint64_t high) noexcept {
        const std::uint64_t bucket_and_tag = where.bucket_and_tag_of(digest{0, high});
        const std::uint64_t hash = quotient_places::hash_of(bucket_and_tag);
        const std::uint64_t* const line = lines[where.other_row(row, hash)];
        const std::uint64_t path = high ^ hash >> 8;
        std::uint64_t found = bucket_and_tag << quotient_spec::byte_path_bits | _pext_u64(path, where.byte_mask_);
        const auto number = static_cast<std::uint32_t>(bucket_and_tag >> quotient_spec::tag_bits);
        if (!find(line, number, where.turn_, found)) return false;
        if (has_extension(where, line, found, path)) [[likely]]
            return true;
        return holds_after_all(where, lines, row, high);
    }
    template <class Lines>
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline bool holds(const quotient_places& where, Lines lines,
                                                                     std::uint64_t low, std::uint64_t high) noexcept {
        const std::uint64_t row = reduce(low, where.rows_);
        const std::uint64_t bucket_and_tag = where.bucket_and_tag_of(digest{0, high});
        const std::uint64_t* const line = lines[row];
        std::uint64_t found = bucket_and_tag << quotient_spec::byte_path_bits | _pext_u64(high, where.byte_mask_);
        const auto number = static_cast<std::uint32_t>(bucket_and_tag >> quotient_spec::tag_bits);
        if (!find(line, number, where.turn_, found)) return holds_in_second(where, lines, row, high);
        if (has_extension(where, line, found, high)) [[likely]]
            return true;
        return holds_after_all(where, lines, row, high);
    }
};

template <class Lines>
EVERBLOOM_MODERN bool quotient_batch::holds_widely(const quotient_places& where, Lines lines, digest item) noexcept {
    return wide_singles::holds(where, lines, item.low, item.high);
}

using chunked_lines = lines_in_units<const std::uint64_t>;
template bool quotient_batch::holds_widely(const quotient_places&, chunked_lines, digest) noexcept;
template bool quotient_batch::holds_widely(const quotient_places&, lines_in_view, digest) noexcept;

} // namespace everbloom

#endif
