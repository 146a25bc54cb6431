// Queries for a single key, where src/quotient_brief.cpp does not do: while a table grows, and in lines with very many buckets. A bucket has an item or two, so hardly ever has one of them the byte of another key: a branch on that is
// guessed right.
//
// In a table of its first size most members are in their first line, and it is looked at first; while the table is small, the second one is
// not even computed for them. In a table that has grown both lines are looked at. What hardly any key needs is in functions of its own,
// which are the last thing that is called: the usual way needs no frame.
#include "quotient_slots.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

// Only a function that is compiled for AVX-512 has values of its own in these registers, and may name them.
#if defined(__AVX512F__)
#define EVERBLOOM_WIDE_REGISTERS "xmm16", "k1"
#else
#define EVERBLOOM_WIDE_REGISTERS
#endif

namespace everbloom {
namespace {

/// Which bytes of a line are equal to one, with AVX2.
struct halves {
    [[nodiscard, gnu::always_inline]] static inline std::uint64_t equal_bytes(const std::uint64_t* line,
                                                                              std::uint64_t byte) noexcept {
        return kernel::pdep_select::equal_bytes(line, static_cast<std::uint32_t>(byte));
    }
    [[gnu::always_inline]] static inline void leave() noexcept { kernel::pdep_select::leave_vectors(); }
};
/// The same with AVX-512: one comparison, in registers of which older code knows nothing and which need not be left.
struct wholes {
    [[nodiscard, gnu::always_inline]] static inline std::uint64_t equal_bytes(const std::uint64_t* line,
                                                                              std::uint64_t byte) noexcept {
        struct whole {
            char bytes[64];
        };
        std::uint64_t made;
        asm("vpbroadcastb %k[byte], %%zmm16\n\t"
            "vpcmpeqb %[line], %%zmm16, %%k1\n\t"
            "kmovq %%k1, %[made]"
            : [made] "=r"(made)
            : [byte] "r"(byte), [line] "m"(*reinterpret_cast<const whole*>(line))
            : EVERBLOOM_WIDE_REGISTERS);
        return made;
    }
    [[gnu::always_inline]] static inline void leave() noexcept {}
};

/// Bit i: the item in slot i is in the bucket of `stored`, and has its byte. `ones` as for slots_in_a_word.
template <class Compare>
EVERBLOOM_MODERN [[gnu::always_inline]] inline std::uint64_t
candidates(const std::uint64_t* line, std::uint64_t stored, unsigned ones, const line_shape& shape) noexcept {
    return kernel::slots_in_a_word(line, static_cast<unsigned>(stored >> 8 & 0xff), ones) &
           Compare::equal_bytes(line, stored) >> shape.first_byte;
}

/// What a look at one line comes to. `unclear`: it would take instructions that hardly any key needs.
enum class verdict : std::uint8_t { absent, present, unclear };

template <class Compare>
EVERBLOOM_MODERN [[gnu::always_inline]] inline verdict look(const std::uint64_t* line, std::uint64_t stored,
                                                            const line_shape& shape) noexcept {
    const auto number = static_cast<unsigned>(stored >> 8 & 0xff);
    const auto ones = static_cast<unsigned>(__builtin_popcountll(line[0]));
    if (ones == number + 1) [[unlikely]]
        return verdict::unclear;
    const std::uint64_t slots = candidates<Compare>(line, stored, ones, shape);
    if (slots == 0) return verdict::absent;
    const bool is_equal = kernel::extension_in(line, shape.extensions_at, shape.extension_bits,
                                               static_cast<unsigned>(_tzcnt_u64(slots))) == stored >> 32;
    return is_equal ? verdict::present : verdict::unclear;
}

template <table_state State>
[[nodiscard, gnu::always_inline]] inline const line_shape& shape_of(const quotient_places& where,
                                                                    const packed_place& place) noexcept {
    return where.shape(State == table_state::resting ? 0 : place.is_ahead());
}

/// In both lines, without a shortcut.
template <class Lines>
EVERBLOOM_MODERN [[gnu::noinline]] bool holds_after_all(const quotient_places& where, Lines lines,
                                                        digest item) noexcept {
    const auto [one, other] = where.locate_packed<table_state::growing>(item);
    const auto holds = [&](const packed_place& place) __attribute__((always_inline)) {
        const quotient_line<const std::uint64_t> line(lines[place.line], where.shape(place.is_ahead()));
        return line.template holds<kernel::pdep_select>(place.bucket(), place.item());
    };
    const bool held = holds(one) || holds(other);
    kernel::pdep_select::leave_vectors();
    return held;
}

template <table_state State, class Compare, class Lines>
EVERBLOOM_MODERN [[gnu::noinline]] bool holds_in_other(const quotient_places& where, Lines lines,
                                                       digest item) noexcept {
    const packed_place other = where.locate_other<State>(item);
    const verdict found = look<Compare>(lines[other.line], other.stored, shape_of<State>(where, other));
    Compare::leave();
    if (found == verdict::unclear) [[unlikely]]
        return holds_after_all(where, lines, item);
    return found == verdict::present;
}

/// In both lines at once, without a branch on the line: in a table that grows, members are as likely in one as in the other.
template <table_state State, class Compare, class Lines>
EVERBLOOM_MODERN [[gnu::noinline]] bool holds_in_both(const quotient_places& where, Lines lines, digest item) noexcept {
    const auto [one, other] = where.locate_packed<State>(item);
    const std::uint64_t* line = lines[one.line];
    const std::uint64_t* const second = lines[other.line];
    const unsigned number = one.bucket(); // of both
    const auto ones = static_cast<unsigned>(__builtin_popcountll(line[0]));
    const auto second_ones = static_cast<unsigned>(__builtin_popcountll(second[0]));
    if (ones == number + 1 || second_ones == number + 1) [[unlikely]]
        return holds_after_all(where, lines, item);
    std::uint64_t slots = candidates<Compare>(line, one.stored, ones, shape_of<State>(where, one));
    const std::uint64_t more = candidates<Compare>(second, other.stored, second_ones, shape_of<State>(where, other));
    Compare::leave();
    if ((slots | more) == 0) return false;
    packed_place place = one;
    asm("test %[slots], %[slots]\n\t"
        "cmovz %[more], %[slots]\n\t"
        "cmovz %[second], %[line]\n\t"
        "cmovz %[other], %[stored]"
        : [slots] "+&r"(slots), [line] "+&r"(line), [stored] "+&r"(place.stored)
        : [more] "r"(more), [second] "r"(second), [other] "r"(other.stored)
        : "cc");
    const line_shape& shape = shape_of<State>(where, place);
    if (kernel::extension_in(line, shape.extensions_at, shape.extension_bits,
                             static_cast<unsigned>(_tzcnt_u64(slots))) == place.stored >> 32) [[likely]] {
        return true;
    }
    return holds_after_all(where, lines, item);
}
/// In a table that is not in the cache: the second line is on the way while the first one is looked at.
template <table_state State, class Compare, class Lines>
EVERBLOOM_MODERN [[gnu::noinline]] bool holds_far_away(const quotient_places& where, Lines lines,
                                                       digest item) noexcept {
    const auto [one, other] = where.locate_packed<State>(item);
    const std::uint64_t* const second = lines[other.line];
    prefetch_line(second);
    verdict found = look<Compare>(lines[one.line], one.stored, shape_of<State>(where, one));
    if (found == verdict::absent) found = look<Compare>(second, other.stored, shape_of<State>(where, other));
    Compare::leave();
    if (found == verdict::unclear) [[unlikely]]
        return holds_after_all(where, lines, item);
    return found == verdict::present;
}
/// Lines that are in a cache of the second level: 2 MiB of them.
constexpr std::uint64_t near_lines = std::uint64_t{1} << 15;

template <table_state State, class Compare, class Lines>
EVERBLOOM_MODERN [[gnu::always_inline]] inline bool holds_in_either(const quotient_places& where, Lines lines,
                                                                    digest item) noexcept {
    if (State == table_state::growing) return holds_in_both<State, Compare>(where, lines, item);
    if (where.ahead_lines() > near_lines) return holds_far_away<State, Compare>(where, lines, item);
    const packed_place one = where.locate_first<State>(item);
    const verdict found = look<Compare>(lines[one.line], one.stored, shape_of<State>(where, one));
    if (found == verdict::present) {
        Compare::leave();
        return true;
    }
    if (found == verdict::absent) return holds_in_other<State, Compare>(where, lines, item);
    return holds_after_all(where, lines, item);
}

} // namespace

template <table_state State, class Lines>
EVERBLOOM_MODERN bool quotient_batch::holds(const quotient_places& where, Lines lines, digest item) noexcept {
    return holds_in_either<State, halves>(where, lines, item);
}
template <table_state State, class Lines>
EVERBLOOM_MODERN bool quotient_batch::holds_in_wide(const quotient_places& where, Lines lines, digest item) noexcept {
    return holds_in_either<State, wholes>(where, lines, item);
}

using chunked_lines = lines_in_units<const std::uint64_t>;
template bool quotient_batch::holds<table_state::resting>(const quotient_places&, chunked_lines, digest) noexcept;
template bool quotient_batch::holds<table_state::growing>(const quotient_places&, chunked_lines, digest) noexcept;
template bool quotient_batch::holds<table_state::resting>(const quotient_places&, lines_in_view, digest) noexcept;
template bool quotient_batch::holds<table_state::growing>(const quotient_places&, lines_in_view, digest) noexcept;
template bool quotient_batch::holds_in_wide<table_state::resting>(const quotient_places&, chunked_lines,
                                                                  digest) noexcept;
template bool quotient_batch::holds_in_wide<table_state::growing>(const quotient_places&, chunked_lines,
                                                                  digest) noexcept;
template bool quotient_batch::holds_in_wide<table_state::resting>(const quotient_places&, lines_in_view,
                                                                  digest) noexcept;
template bool quotient_batch::holds_in_wide<table_state::growing>(const quotient_places&, lines_in_view,
                                                                  digest) noexcept;

} // namespace everbloom

#endif
