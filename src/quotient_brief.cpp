// Queries for a single key in a table of its first size whose ends take at most 96 bits, as those of nearly all tables do.
//
// The fewer instructions a query has, the more keys a processor looks for at once, and the less it waits for lines: 64 for a member in its first
// line, where most are. So nothing is kept that can be computed again, and what hardly any key needs is in functions of its own, which are
// the last thing that is called: the usual way has no frame.
#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <cstring>

namespace everbloom {

struct quotient_batch::singles {
    enum class outcome : std::uint8_t { none, some, too_long };
    /// Which bytes of a line belong to items that are in the bucket and have this byte.
    ///
    /// The items of a bucket are the zeros behind the one with which it starts: adding that to the complement carries through them. A one has
    /// no byte, so the byte of an item is its position without the ones before it. A bucket of up to 32 items is within the first 64 bits,
    /// or within those from the 32nd on; which of them is as good as random, so it is chosen by conditional moves, between which nothing
    /// changes the flags. In assembler, because the compiler keeps twice as many values in registers, and has to save those first.
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline outcome find(const std::uint64_t* line, std::uint32_t number,
                                                                       const std::uint32_t& turn, std::uint64_t byte,
                                                                       std::uint64_t& found) noexcept {
        struct whole {
            std::uint64_t words[line_words];
        };
        std::uint64_t items = byte;
        std::uint64_t zeros;
        std::uint64_t shift;
        asm goto("vmovd %k[items], %%xmm0\n\t"
                 "vpbroadcastb %%xmm0, %%ymm0\n\t"
                 "popcntl (%[line]), %k[zeros]\n\t"
                 "movl %[number], %k[items]\n\t"
                 "subl %k[zeros], %k[items]\n\t" // carry: the first window
                 "movq 4(%[line]), %[zeros]\n\t"
                 "cmovbl %[number], %k[items]\n\t"
                 "cmovbq (%[line]), %[zeros]\n\t"
                 "movl $1, %k[shift]\n\t"
                 "shlxq %[items], %[shift], %[items]\n\t"
                 "pdepq %[zeros], %[items], %[items]\n\t" // where the bucket starts
                 "leal 32(%q[number]), %k[shift]\n\t"
                 "cmovbl %[number], %k[shift]\n\t"
                 "addq %[items], %[items]\n\t"
                 "notq %[zeros]\n\t"
                 "addq %[zeros], %[items]\n\t"
                 "jc %l[too_long]\n\t"
                 "andnq %[zeros], %[items], %[items]\n\t"
                 "addl %[turn], %k[shift]\n\t"
                 "rorq %b[shift], %[items]\n\t"
                 "vpcmpeqb 32(%[line]), %%ymm0, %%ymm1\n\t"
                 "vpcmpeqb (%[line]), %%ymm0, %%ymm0\n\t"
                 "vpmovmskb %%ymm1, %k[shift]\n\t"
                 "vpmovmskb %%ymm0, %k[zeros]\n\t"
                 "vzeroupper\n\t"
                 "shlq $32, %[shift]\n\t"
                 "orq %[zeros], %[shift]\n\t"
                 "andq %[shift], %[items]\n\t"
                 "jz %l[none]"
                 : [items] "+&r"(items), [zeros] "=&r"(zeros), [shift] "=&c"(shift)
                 : [line] "r"(line), [number] "r"(number), [turn] "m"(turn), "m"(*reinterpret_cast<const whole*>(line))
                 : "cc", EVERBLOOM_ALL_VECTORS
                 : none, too_long);
        found = items;
        return outcome::some;
    none:
        return outcome::none;
    too_long:
        return outcome::too_long;
    }
    /// Has the item with the first of these bytes the extension of this path?
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline bool has_extension(const quotient_places& places,
                                                                             const std::uint64_t* line,
                                                                             std::uint64_t found,
                                                                             std::uint32_t path) noexcept {
        const quotient_places* again = &places;
        asm("" : "+r"(again)); // what was read of it before is not kept in a register
        const quotient_places& where = *again;
        const unsigned bit =
            where.extensions_before_ + static_cast<unsigned>(_tzcnt_u64(found)) * where.extension_bits_;
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(line) + bit / 8, sizeof word);
        return ((static_cast<std::uint32_t>(word >> bit % 8) ^ path) & where.extension_mask_) == 0;
    }

    /// In the long way, of a key whose row is known.
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
        const std::uint32_t path = static_cast<std::uint32_t>(hash >> 8) ^ static_cast<std::uint32_t>(high);
        const auto number = static_cast<std::uint32_t>(bucket_and_tag >> quotient_spec::tag_bits);
        const std::uint32_t byte = static_cast<std::uint32_t>(bucket_and_tag) << quotient_spec::byte_path_bits |
                                   (path & where.path_mask_) >> where.extension_bits_;
        std::uint64_t found = 0;
        const outcome seen = find(line, number, where.turn_, byte, found);
        if (seen == outcome::none) return false;
        if (seen == outcome::too_long) [[unlikely]]
            return holds_after_all(where, lines, row, high);
        if (has_extension(where, line, found, path)) return true;
        return holds_after_all(where, lines, row, high);
    }
    template <class Lines>
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline bool holds(const quotient_places& where, Lines lines,
                                                                     std::uint64_t low, std::uint64_t high) noexcept {
        const std::uint64_t row = reduce(low, where.rows_);
        const std::uint64_t bucket_and_tag = where.bucket_and_tag_of(digest{0, high});
        const std::uint64_t* const line = lines[row];
        const auto number = static_cast<std::uint32_t>(bucket_and_tag >> quotient_spec::tag_bits);
        const std::uint32_t byte = static_cast<std::uint32_t>(bucket_and_tag) << quotient_spec::byte_path_bits |
                                   (static_cast<std::uint32_t>(high) & where.path_mask_) >> where.extension_bits_;
        std::uint64_t found = 0;
        const outcome seen = find(line, number, where.turn_, byte, found);
        if (seen == outcome::none) return holds_in_second(where, lines, row, high);
        if (seen == outcome::too_long) [[unlikely]]
            return holds_after_all(where, lines, row, high);
        if (has_extension(where, line, found, static_cast<std::uint32_t>(high))) [[likely]]
            return true;
        return holds_after_all(where, lines, row, high);
    }
};

template <class Lines>
EVERBLOOM_MODERN bool quotient_batch::holds_briefly(const quotient_places& where, Lines lines, digest item) noexcept {
    return singles::holds(where, lines, item.low, item.high);
}

using chunked_lines = lines_in_units<const std::uint64_t>;
template bool quotient_batch::holds_briefly(const quotient_places&, chunked_lines, digest) noexcept;
template bool quotient_batch::holds_briefly(const quotient_places&, lines_in_view, digest) noexcept;

} // namespace everbloom

#endif
