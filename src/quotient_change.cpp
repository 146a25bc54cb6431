#include "quotient_slots.hpp"
#include "quotient_wide_change.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <algorithm>
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
    const auto number = static_cast<unsigned>(stored >> 8 & 0xff);
    std::uint64_t slots = (std::uint64_t{high} << 32 | low) >> shape.first_byte & kernel::slots_of(line, number);
    for (; slots != 0; slots = _blsr_u64(slots)) {
        const auto slot = static_cast<unsigned>(_tzcnt_u64(slots));
        if (kernel::extension_in(line, shape.extensions_at, shape.extension_bits, slot) != stored >> 32) continue;
        erase_item(line, shape, slot, slot + number + 1);
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

/// Stores an item in one of its lines, unless both are full or it may have four copies already.
template <table_state State>
EVERBLOOM_MODERN [[gnu::always_inline]] inline bool insert_into(const quotient_places& where, std::uint64_t stored,
                                                                std::uint64_t other, std::uint64_t* line,
                                                                std::uint64_t* other_line) noexcept {
    const line_shape& first_shape = shape_for<State>(where, stored);
    const unsigned room = room_in(line, first_shape);
    if (room <= first_shape.ample_room) {
        const unsigned other_room = room_in(other_line, shape_for<State>(where, other));
        if ((room | other_room) == 0) return false;
        // Which one it is, is as good as random: it is chosen without a branch.
        const std::uint64_t is_other = kernel::all_if_below(room, other_room);
        stored ^= (stored ^ other) & is_other;
        const auto from = reinterpret_cast<std::uintptr_t>(line);
        const auto to = reinterpret_cast<std::uintptr_t>(other_line);
        line = reinterpret_cast<std::uint64_t*>(from ^ ((from ^ to) & is_other)); // NOLINT(performance-no-int-to-ptr)
    }
    const bucket_range range = bucket_in(line, static_cast<unsigned>(stored >> 8 & 0xff));
    if (range.length >= most_plain_copies) return false;
    insert_item(line, shape_for<State>(where, stored), range, stored);
    return true;
}

template <table_state State>
EVERBLOOM_MODERN std::size_t insert_some(const quotient_places& where, const quotient_batch::group& keys,
                                         std::size_t key, std::size_t end) noexcept {
    constexpr std::size_t second = quotient_batch::most_keys;
    const quotient_batch::places& found = keys.found;
    while (key < end && insert_into<State>(where, found.stored[key], found.stored[key + second], keys.at[key],
                                           keys.at[key + second])) {
        ++key;
    }
    return key;
}

template <table_state State>
EVERBLOOM_MODERN std::size_t erase_some(const quotient_places& where, const quotient_batch::group& keys,
                                        std::size_t key, std::size_t end) noexcept {
    const quotient_batch::places& found = keys.found;
    for (; key < end; ++key) {
        const std::size_t likely = key + (keys.second >> key & 1) * quotient_batch::most_keys;
        const std::size_t other = likely ^ quotient_batch::most_keys;
        if (!erase_from(keys.at[likely], shape_for<State>(where, found.stored[likely]), found.stored[likely]) &&
            !erase_from(keys.at[other], shape_for<State>(where, found.stored[other]), found.stored[other]))
            [[unlikely]] {
            break;
        }
    }
    return key;
}

EVERBLOOM_MODERN [[gnu::always_inline]] inline void prefetch_second(std::uint32_t second,
                                                                    quotient_batch::group& keys) noexcept {
    keys.second = second;
    for (; second != 0; second = _blsr_u32(second))
        prefetch_line(keys.at[_tzcnt_u32(second) + quotient_batch::most_keys]);
}

[[gnu::always_inline]] inline void prefetch_both(const writable_line_units& lines, std::size_t key,
                                                 quotient_batch::group& keys) noexcept {
    for (const std::size_t place : {key, key + quotient_batch::most_keys}) {
        keys.at[place] = lines[keys.found.lines[place]];
        prefetch_line(keys.at[place]);
    }
}

/// From the line `first` on, and before the line `end`.
struct line_range {
    words before; // the line before the first
    words end;

    EVERBLOOM_MODERN [[gnu::always_inline]] inline line_range(std::uint64_t first, std::uint64_t past) noexcept
        : before(_mm256_set1_epi64x(static_cast<long long>(first) - 1)),
          end(_mm256_set1_epi64x(static_cast<long long>(past))) {}
    EVERBLOOM_MODERN [[gnu::always_inline]] inline words includes(words line) const noexcept {
        return _mm256_and_si256(_mm256_cmpgt_epi64(line, before), _mm256_cmpgt_epi64(end, line));
    }
};

/// Bit i: one of the lines of key i is among those, or was split from one of them.
EVERBLOOM_MODERN std::uint32_t keys_between(const quotient_batch::group& keys, std::uint64_t first, std::uint64_t end,
                                            std::uint64_t ahead_lines) noexcept {
    const line_range split(first, end);
    const line_range made(first + ahead_lines, end + ahead_lines);
    std::uint32_t found = 0;
    for (std::size_t key = 0; key < keys.count; key += 4) {
        const words one = load(&keys.found.lines[key]);
        const words other = load(&keys.found.lines[key + quotient_batch::most_keys]);
        const words either = _mm256_or_si256(_mm256_or_si256(split.includes(one), made.includes(one)),
                                             _mm256_or_si256(split.includes(other), made.includes(other)));
        found |= static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(either))) << key;
    }
    return found & static_cast<std::uint32_t>(low_mask(static_cast<unsigned>(keys.count)));
}

} // namespace

void quotient_batch::start(const quotient_places& where, const writable_line_units& lines, std::uint64_t moves,
                           std::span<const digest> items, group& keys) noexcept {
    keys.count = std::min(most_keys, items.size());
    keys.size = where.table_size();
    keys.moves = moves;
    keys.is_wide = wide_changes::are_for(where);
    if (keys.is_wide) return wide_changes::start(where, lines, items.data(), keys);
    locate(where, items.first(keys.count), keys.found);
    for (std::size_t key = 0; key < keys.count; ++key) {
        keys.at[key] = lines[keys.found.lines[key]];
        prefetch_line(keys.at[key]);
        keys.at[key + most_keys] = lines[keys.found.lines[key + most_keys]];
    }
}

void quotient_batch::look_to_insert(const quotient_places&, group& keys) noexcept {
    for (std::size_t key = 0; key < keys.count; ++key) prefetch_line(keys.at[key + most_keys]);
}

EVERBLOOM_MODERN void quotient_batch::look_to_erase(const quotient_places& where, group& keys) noexcept {
    if (keys.is_wide) return wide_changes::look_to_erase(where, keys);
    const unsigned first_bytes = where.half_of_bytes_;
    std::uint32_t second = 0;
    for (std::size_t key = 0; key < keys.count; ++key) {
        const words wanted = _mm256_set1_epi8(static_cast<char>(keys.found.stored[key]));
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(keys.at[key]);
        const words equal = _mm256_or_si256(_mm256_cmpeq_epi8(load(bytes + first_bytes), wanted),
                                            _mm256_cmpeq_epi8(load(bytes + 32), wanted));
        second |= static_cast<std::uint32_t>(_mm256_testz_si256(equal, equal)) << key;
    }
    prefetch_second(second, keys);
}

EVERBLOOM_MODERN void quotient_batch::renew(const quotient_places& where, const writable_line_units& lines,
                                            std::uint64_t moves, std::span<const digest> items, group& keys) noexcept {
    const quotient_places::size size = where.table_size();
    if (keys.moves != moves || keys.size.level != size.level) return start(where, lines, moves, items, keys);
    const std::uint64_t first = std::min(keys.size.frontier, size.frontier);
    const std::uint64_t last = std::max(keys.size.frontier, size.frontier);
    keys.size = size;
    if (first == last) return;
    for (std::uint32_t moved = keys_between(keys, first, last, where.ahead_lines()); moved != 0;
         moved = _blsr_u32(moved)) {
        const std::size_t key = _tzcnt_u32(moved);
        const auto [one, other] = where.locate_packed<table_state::growing>(items[key]);
        keys.found.put(key, one);
        keys.found.put(key + most_keys, other);
        prefetch_both(lines, key, keys);
    }
}

std::size_t quotient_batch::insert(const quotient_places& where, const group& keys, std::size_t key,
                                   std::size_t end) noexcept {
    if (keys.is_wide) return wide_changes::insert(where, keys, key, end);
    if (where.is_resting()) return insert_some<table_state::resting>(where, keys, key, end);
    return insert_some<table_state::growing>(where, keys, key, end);
}

EVERBLOOM_MODERN void quotient_batch::put(std::uint64_t* line, const line_shape& shape, std::uint64_t stored) noexcept {
    if (kernel::changes_whole_lines && shape.buckets <= word_bits) return wide_changes::put(line, shape, stored);
    insert_item(line, shape, bucket_in(line, static_cast<unsigned>(stored >> 8 & 0xff)), stored);
}

EVERBLOOM_MODERN bool quotient_batch::insert(const quotient_places& where, const located& there) noexcept {
    return insert_into<table_state::growing>(where, there.one.stored, there.other.stored, there.line_of_one,
                                             there.line_of_other);
}

EVERBLOOM_MODERN bool quotient_batch::erase(const quotient_places& where, const located& there) noexcept {
    return erase_from(there.line_of_one, where.shape(there.one.is_ahead()), there.one.stored) ||
           erase_from(there.line_of_other, where.shape(there.other.is_ahead()), there.other.stored);
}

std::size_t quotient_batch::erase(const quotient_places& where, const group& keys, std::size_t key,
                                  std::size_t end) noexcept {
    if (keys.is_wide) return wide_changes::erase(where, keys, key, end);
    if (where.is_resting()) return erase_some<table_state::resting>(where, keys, key, end);
    return erase_some<table_state::growing>(where, keys, key, end);
}

} // namespace everbloom

#endif
