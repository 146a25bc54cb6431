#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <cstring>

namespace everbloom {
namespace {

using words = __m256i;

EVERBLOOM_MODERN [[gnu::always_inline]] inline words load(const void* from) noexcept {
    return _mm256_loadu_si256(static_cast<const words*>(from));
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline void store(void* to, words what) noexcept {
    _mm256_storeu_si256(static_cast<words*>(to), what);
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline __m128i by(unsigned bits) noexcept {
    return _mm_cvtsi32_si128(static_cast<int>(bits));
}
/// The bits of a line from `at` on, in two halves.
[[nodiscard, gnu::always_inline]] inline const std::uint8_t* mask_from_bit(unsigned at) noexcept {
    return kernel::bits_from[at % 8].data() + 64 - at / 8;
}

/// What is behind the last end, as far as there are slots for it.
EVERBLOOM_MODERN [[gnu::always_inline]] inline unsigned room_in(const std::uint64_t* line,
                                                                const line_shape& shape) noexcept {
    const auto unused = static_cast<unsigned>(_lzcnt_u64(line[1] & shape.ends[1]));
    // In a line with few items all ends are in the first word. Hardly ever while it matters: a branch is right.
    if (unused == 64) [[unlikely]]
        return static_cast<unsigned>(_lzcnt_u64(line[0] & shape.ends[0])) + shape.extensions_at - 64;
    return unused + shape.extensions_at - 128;
}

EVERBLOOM_MODERN [[gnu::always_inline]] inline bucket_range bucket_in(const std::uint64_t* line,
                                                                      unsigned number) noexcept {
    const unsigned at = kernel::pdep_select::position(line[0], line[1], number) + 1;
    std::uint64_t ends = 0;
    std::memcpy(&ends, reinterpret_cast<const char*>(line) + at / 8, sizeof ends);
    return {at - number - 1, static_cast<unsigned>(_tzcnt_u64(ends >> at % 8)), at};
}

/// quotient_line::insert, with the line in two registers: each field is the bits behind the place, shifted by one item.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void
insert_item(std::uint64_t* line, const line_shape& shape, const bucket_range& range, std::uint64_t stored) noexcept {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(line);
    const unsigned byte = shape.first_byte + range.first;
    const words low = load(line);
    const words high = load(line + 4);
    const words raised = _mm256_alignr_epi8(low, _mm256_permute2x128_si256(low, low, 0x08), 15);
    const std::uint8_t* const behind = mask_from_bit(8 * byte + 8);
    words made_low = _mm256_blendv_epi8(low, raised, load(behind));
    words made_high = _mm256_blendv_epi8(high, load(bytes + 31), load(behind + 32));

    const words ends =
        _mm256_and_si256(_mm256_and_si256(low, load(mask_from_bit(range.at))), load(shape.field_of_ends.data()));
    const words end_carry = _mm256_slli_si256(_mm256_srli_epi64(ends, 63), 8);
    made_low =
        _mm256_xor_si256(made_low, _mm256_xor_si256(_mm256_xor_si256(ends, _mm256_add_epi64(ends, ends)), end_carry));

    const unsigned width = shape.extension_bits;
    const unsigned extension = shape.extensions_at + range.first * width;
    if (width != 0) {
        const std::uint8_t* const from = mask_from_bit(extension);
        const __m128i up = by(width);
        const __m128i down = by(64 - width);
        const words kept = _mm256_and_si256(_mm256_and_si256(low, load(from)), load(shape.field_of_extensions.data()));
        const words carry =
            _mm256_permute4x64_epi64(_mm256_srl_epi64(kept, down), 0x93); // the highest one is for the other half
        const words none = _mm256_setzero_si256();
        made_low = _mm256_xor_si256(made_low, _mm256_xor_si256(_mm256_xor_si256(kept, _mm256_sll_epi64(kept, up)),
                                                               _mm256_blend_epi32(carry, none, 3)));
        if (shape.extensions_end > 256) {
            const words more =
                _mm256_and_si256(_mm256_and_si256(high, load(from + 32)), load(shape.field_of_extensions.data() + 4));
            const words more_carry = _mm256_permute4x64_epi64(_mm256_srl_epi64(more, down), 0x93);
            made_high = _mm256_xor_si256(made_high, _mm256_xor_si256(_mm256_xor_si256(more, _mm256_sll_epi64(more, up)),
                                                                     _mm256_blend_epi32(more_carry, carry, 3)));
        }
    }
    store(line, made_low);
    store(line + 4, made_high);
    if (width != 0) {
        std::uint64_t word = 0; // of eight bytes, in which there is room for any extension
        std::memcpy(&word, bytes + extension / 8, sizeof word);
        word |= (stored >> 32) << extension % 8;
        std::memcpy(bytes + extension / 8, &word, sizeof word);
    }
    bytes[byte] = static_cast<std::uint8_t>(stored);
}

/// quotient_line::erase, in the same way.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void erase_item(std::uint64_t* line, const line_shape& shape,
                                                               unsigned slot, unsigned end) noexcept {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(line);
    const words low = load(line);
    const words high = load(line + 4);
    const words lowered = _mm256_alignr_epi8(_mm256_permute2x128_si256(high, high, 0x81), high, 1);
    const std::uint8_t* const from_byte = mask_from_bit(8 * (shape.first_byte + slot));
    words made_low = _mm256_blendv_epi8(low, load(bytes + 1), load(from_byte));
    words made_high = _mm256_blendv_epi8(high, lowered, load(from_byte + 32));

    const words ends =
        _mm256_and_si256(_mm256_and_si256(low, load(mask_from_bit(end))), load(shape.field_of_ends.data()));
    const words end_carry = _mm256_srli_si256(_mm256_slli_epi64(ends, 63), 8);
    made_low =
        _mm256_xor_si256(made_low, _mm256_xor_si256(_mm256_xor_si256(ends, _mm256_srli_epi64(ends, 1)), end_carry));

    const unsigned width = shape.extension_bits;
    if (width != 0) {
        const std::uint8_t* const from = mask_from_bit(shape.extensions_at + slot * width);
        const __m128i down = by(width);
        const __m128i up = by(64 - width);
        const words mask = _mm256_and_si256(load(from), load(shape.field_of_extensions.data()));
        const words kept = _mm256_and_si256(low, mask);
        words carry = _mm256_permute4x64_epi64(_mm256_sll_epi64(kept, up), 0x39);
        words carry_in = _mm256_setzero_si256();
        if (shape.extensions_end > 256) {
            const words more_mask = _mm256_and_si256(load(from + 32), load(shape.field_of_extensions.data() + 4));
            const words more = _mm256_and_si256(high, more_mask);
            carry_in =
                _mm256_permute4x64_epi64(_mm256_sll_epi64(more, up), 0x39); // the highest one is for the other half
            const words moved = _mm256_or_si256(_mm256_srl_epi64(more, down),
                                                _mm256_blend_epi32(carry_in, _mm256_setzero_si256(), 0xc0));
            made_high = _mm256_xor_si256(made_high, _mm256_xor_si256(more, _mm256_and_si256(moved, more_mask)));
        }
        carry = _mm256_blend_epi32(carry, carry_in, 0xc0);
        const words moved = _mm256_or_si256(_mm256_srl_epi64(kept, down), carry);
        made_low = _mm256_xor_si256(made_low, _mm256_xor_si256(kept, _mm256_and_si256(moved, mask)));
    }
    store(line, made_low);
    store(line + 4, made_high);
}

/// Takes an item that is equal to `stored` out of the line, if there is one.
EVERBLOOM_MODERN [[gnu::always_inline]] inline bool erase_from(std::uint64_t* line, const line_shape& shape,
                                                               std::uint64_t stored) noexcept {
    const words wanted = _mm256_set1_epi8(static_cast<char>(stored));
    const auto low = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(line), wanted)));
    const auto high = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(line + 4), wanted)));
    const bucket_range range = bucket_in(line, static_cast<unsigned>(stored >> 8 & 0xff));
    std::uint64_t slots = _bzhi_u64((std::uint64_t{high} << 32 | low) >> shape.first_byte >> range.first, range.length);
    for (; slots != 0; slots = _blsr_u64(slots)) {
        const unsigned slot = range.first + static_cast<unsigned>(_tzcnt_u64(slots));
        const unsigned bit = shape.extensions_at + slot * shape.extension_bits;
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(line) + bit / 8, sizeof word);
        if (_bzhi_u64(word >> bit % 8, shape.extension_bits) != stored >> 32) continue;
        erase_item(line, shape, slot, range.at);
        return true;
    }
    return false;
}

/// A table that is not growing has lines of one shape.
template <table_state State>
[[nodiscard, gnu::always_inline]] inline const line_shape& shape_for(const quotient_places& where,
                                                                     std::uint64_t stored) noexcept {
    return where.shape(State == table_state::resting ? 0 : stored >> 16 & 1);
}

template <table_state State>
EVERBLOOM_MODERN std::size_t insert_some(const quotient_places& where, const quotient_batch::places& found,
                                         const quotient_batch::addresses& at, std::size_t key,
                                         std::size_t end) noexcept {
    for (; key < end; ++key) {
        std::uint64_t stored = found.stored[key];
        std::uint64_t* line = at[key];
        const line_shape& first_shape = shape_for<State>(where, stored);
        const unsigned room = room_in(line, first_shape);
        if (room <= first_shape.ample_room) {
            const std::uint64_t other = found.stored[key + quotient_batch::most_keys];
            std::uint64_t* const other_line = at[key + quotient_batch::most_keys];
            const unsigned other_room = room_in(other_line, shape_for<State>(where, other));
            if ((room | other_room) == 0) break;
            // Which one it is, is as good as random: it is chosen without a branch.
            const std::uint64_t is_other = kernel::all_if_below(room, other_room);
            stored ^= (stored ^ other) & is_other;
            const auto from = reinterpret_cast<std::uintptr_t>(line);
            const auto to = reinterpret_cast<std::uintptr_t>(other_line);
            line = reinterpret_cast<std::uint64_t*>(from ^ ((from ^ to) & is_other));
        }
        const bucket_range range = bucket_in(line, static_cast<unsigned>(stored >> 8 & 0xff));
        if (range.length >= most_plain_copies) break;
        insert_item(line, shape_for<State>(where, stored), range, stored);
    }
    return key;
}

template <table_state State>
EVERBLOOM_MODERN std::size_t erase_some(const quotient_places& where, const quotient_batch::places& found,
                                        const quotient_batch::addresses& at, std::size_t key,
                                        std::size_t end) noexcept {
    for (; key < end; ++key) {
        const std::uint64_t one = found.stored[key];
        const std::uint64_t other = found.stored[key + quotient_batch::most_keys];
        if (!erase_from(at[key], shape_for<State>(where, one), one) &&
            !erase_from(at[key + quotient_batch::most_keys], shape_for<State>(where, other), other)) {
            break;
        }
    }
    return key;
}

} // namespace

std::size_t quotient_batch::insert(const quotient_places& where, const places& found, const addresses& at,
                                   std::size_t key, std::size_t end) noexcept {
    if (where.is_resting()) return insert_some<table_state::resting>(where, found, at, key, end);
    return insert_some<table_state::growing>(where, found, at, key, end);
}

std::size_t quotient_batch::erase(const quotient_places& where, const places& found, const addresses& at,
                                  std::size_t key, std::size_t end) noexcept {
    if (where.is_resting()) return erase_some<table_state::resting>(where, found, at, key, end);
    return erase_some<table_state::growing>(where, found, at, key, end);
}

} // namespace everbloom

#endif
