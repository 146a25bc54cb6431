#include "quotient_wide.hpp"

#include <everbloom/filter/quotient/line_sieve.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <cstring>

namespace everbloom {

namespace {

/// Extensions that are handled at once: as many as are in 56 bits, which can be read from any bit on.
struct extension_group {
    unsigned items = 0;
    std::uint64_t first_bits = 0;
};
/// By their width.
constexpr auto groups = [] {
    std::array<extension_group, 57> made;
    for (unsigned width = 1; width < made.size(); ++width) {
        made[width].items = 56 / width;
        for (unsigned i = 0; i < 56 / width; ++i) made[width].first_bits |= std::uint64_t{1} << i * width;
    }
    return made;
}();

[[nodiscard, gnu::always_inline]] inline std::uint64_t bits_from(const std::uint64_t* line, unsigned at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(line) + at / 8, sizeof word);
    return word >> at % 8;
}

/// Eight bytes of a line, or what is left of it.
[[nodiscard, gnu::always_inline]] inline std::uint64_t bytes_from(const std::uint64_t* line, unsigned at) noexcept {
    constexpr unsigned last = line_bytes - sizeof(std::uint64_t);
    const unsigned byte = std::min(at, last);
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(line) + byte, sizeof word);
    return word >> 8 * (at - byte);
}

[[nodiscard, gnu::always_inline]] inline unsigned ones(std::uint64_t word) noexcept {
    return static_cast<unsigned>(__builtin_popcountll(word));
}

/// A line that is made from its beginning on. Two words more than it has: the last bytes are written eight at a time.
using new_line = std::array<std::uint64_t, line_words + 2>;

EVERBLOOM_MODERN [[gnu::always_inline]] inline void keep_ends(const std::uint64_t* line, const line_shape& shape,
                                                              std::uint64_t kept, new_line& made) noexcept {
    const std::uint64_t low = line[0] & shape.ends[0];
    const std::uint64_t high = line[1] & shape.ends[1];
    const std::uint64_t items_in_low = ~line[0] & shape.ends[0];
    const std::uint64_t items_in_high = ~line[1] & shape.ends[1];
    const std::uint64_t stay_low = low | _pdep_u64(kept, items_in_low);
    const std::uint64_t stay_high = high | _pdep_u64(kept >> ones(items_in_low), items_in_high);
    const std::uint64_t second = _pext_u64(high, stay_high);
    const unsigned first_bits = ones(stay_low); // 1 at least
    made[0] |= _pext_u64(low, stay_low) | second << 1 << (first_bits - 1);
    made[1] |= second >> (64 - first_bits);
}

EVERBLOOM_MODERN [[gnu::always_inline]] inline void keep_extensions(const std::uint64_t* line, const line_shape& shape,
                                                                    std::uint64_t kept, const line_shape& made_shape,
                                                                    new_line& made) noexcept {
    const unsigned width = shape.extension_bits;
    const unsigned made_width = made_shape.extension_bits;
    if (made_width == 0) return;
    const extension_group& group = groups[width];
    unsigned from = shape.extensions_at;
    unsigned to = made_shape.extensions_at;
    for (; kept != 0; kept >>= group.items) {
        const std::uint64_t starts = _pdep_u64(kept, group.first_bits);
        const std::uint64_t whole = (starts << width) - starts;
        const std::uint64_t bits = _pext_u64(bits_from(line, from), made_width == width ? whole : whole ^ starts);
        made[to / 64] |= bits << to % 64;
        made[to / 64 + 1] |= bits >> 1 >> (63 - to % 64);
        from += group.items * width;
        to += ones(starts) * made_width;
    }
}

EVERBLOOM_MODERN [[gnu::always_inline]] inline void keep_bytes(const std::uint64_t* line, const line_shape& shape,
                                                               std::uint64_t kept, const line_shape& made_shape,
                                                               new_line& made) noexcept {
    unsigned from = shape.first_byte;
    unsigned to = made_shape.first_byte;
    for (; kept != 0; kept >>= 8) {
        const std::uint64_t lowest_bits = _pdep_u64(kept, 0x0101010101010101);
        const std::uint64_t bytes = _pext_u64(bytes_from(line, from), (lowest_bits << 8) - lowest_bits);
        std::memcpy(reinterpret_cast<char*>(made.data()) + to, &bytes, sizeof bytes);
        from += 8;
        to += ones(lowest_bits);
    }
}

alignas(64) constexpr auto numbers = [] {
    std::array<std::uint8_t, 128> made{};
    for (unsigned i = 0; i < made.size(); ++i) made[i] = static_cast<std::uint8_t>(i);
    return made;
}();
/// The positions of the zeros among the ends. A zero is behind one end for each bucket before it, the first bit, and the items before it.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void find_items(const std::array<std::uint64_t, 2>& zeros,
                                                               std::uint8_t* to) noexcept {
    std::uint64_t positions = 0x0706050403020100; // eight at a time
    for (const std::uint64_t word : zeros) {
        for (unsigned byte = 0; byte < 8; ++byte) {
            const std::uint64_t lowest_bits = _pdep_u64(word >> 8 * byte, 0x0101010101010101);
            const std::uint64_t found = _pext_u64(positions, (lowest_bits << 8) - lowest_bits);
            std::memcpy(to, &found, sizeof found);
            to += ones(lowest_bits);
            positions += 0x0808080808080808;
        }
    }
}

// The same with AVX-512, all at once.

EVERBLOOM_WIDE_CHANGE [[gnu::noinline]] void keep_all_bytes(const std::uint64_t* line, const line_shape& shape,
                                                            std::uint64_t kept, const line_shape& made_shape,
                                                            new_line& made) noexcept {
    const __m512i bytes = _mm512_maskz_compress_epi8(kept << shape.first_byte, _mm512_loadu_si512(line));
    _mm512_storeu_si512(made.data(), _mm512_maskz_expand_epi8(~std::uint64_t{0} << made_shape.first_byte, bytes));
}
EVERBLOOM_WIDE_CHANGE [[gnu::noinline]] void find_all_items(const std::array<std::uint64_t, 2>& zeros,
                                                            std::uint8_t* to) noexcept {
    const __m512i low = _mm512_maskz_compress_epi8(zeros[0], _mm512_loadu_si512(numbers.data()));
    const __m512i high = _mm512_maskz_compress_epi8(zeros[1], _mm512_loadu_si512(numbers.data() + 64));
    _mm512_storeu_si512(to, _mm512_mask_expand_epi8(low, ~low_mask(ones(zeros[0])), high));
}

EVERBLOOM_MODERN [[gnu::always_inline]] inline __m256i all(std::uint32_t number) noexcept {
    return _mm256_set1_epi16(static_cast<short>(number));
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline __m256i widened(const std::uint8_t* bytes) noexcept {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}

} // namespace

EVERBLOOM_MODERN std::uint64_t line_sieve::lowest_bits(const std::uint64_t* line, const line_shape& shape) noexcept {
    const extension_group& group = groups[shape.extension_bits];
    std::uint64_t made = 0;
    unsigned at = shape.extensions_at;
    for (unsigned slot = 0; slot < shape.slots; slot += group.items) {
        made |= _pext_u64(bits_from(line, at), group.first_bits) << slot;
        at += group.items * shape.extension_bits;
    }
    return made;
}

EVERBLOOM_MODERN void line_sieve::keep(const std::uint64_t* line, const line_shape& shape, std::uint64_t kept,
                                       const line_shape& made_shape, std::uint64_t* made) noexcept {
    new_line words{};
    if (kernel::changes_whole_lines && shape.buckets <= word_bits) {
        keep_all_bytes(line, shape, kept, made_shape, words);
    } else {
        keep_bytes(line, shape, kept, made_shape, words);
    }
    keep_ends(line, shape, kept, words);
    keep_extensions(line, shape, kept, made_shape, words);
    std::copy(words.begin(), words.begin() + line_words, made);
}

EVERBLOOM_MODERN void line_sieve::choose(const std::uint64_t* line, const line_shape& shape,
                                         const quotient_places::roomy_others& others, chosen_items& chosen) noexcept {
    const std::array<std::uint64_t, 2> zeros{~line[0] & shape.ends[0], ~line[1] & shape.ends[1]};
    if (kernel::changes_whole_lines && shape.buckets <= word_bits) {
        find_all_items(zeros, chosen.buckets.data());
    } else {
        find_items(zeros, chosen.buckets.data());
    }
    if (others.room.first == 0 && others.room.last == low_mask(16)) { // all of them
        for (std::size_t slot = 0; slot < 64; slot += 32) {
            auto* const buckets = reinterpret_cast<__m256i*>(chosen.buckets.data() + slot);
            const auto* const before = reinterpret_cast<const __m256i*>(numbers.data() + slot + 1);
            _mm256_store_si256(buckets, _mm256_sub_epi8(_mm256_load_si256(buckets), _mm256_loadu_si256(before)));
        }
        chosen.slots = low_mask(shape.slots);
        return;
    }
    std::array<std::uint8_t, line_bytes + 32> bytes; // nothing is read behind the line
    std::memcpy(bytes.data(), line, line_bytes);

    using others_type = quotient_places::roomy_others;
    const __m128i level = _mm_cvtsi32_si128(static_cast<int>(others.level));
    const __m128i unused = _mm_cvtsi32_si128(static_cast<int>(16 - others.level));
    __m256i before = _mm256_setr_epi16(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    chosen.slots = 0;
    for (unsigned slot = 0; slot < shape.slots; slot += 16) {
        const __m256i bucket = _mm256_sub_epi16(widened(chosen.buckets.data() + slot), before);
        before = _mm256_add_epi16(before, all(16));
        const __m256i tag =
            _mm256_srli_epi16(widened(bytes.data() + shape.first_byte + slot), quotient_spec::byte_path_bits);
        const __m256i factor =
            _mm256_add_epi16(_mm256_or_si256(_mm256_slli_epi16(bucket, quotient_spec::tag_bits), tag), all(1));
        const __m256i hash = _mm256_add_epi16(_mm256_mullo_epi16(factor, all(others_type::sixteenth(3))),
                                              _mm256_mulhi_epu16(factor, all(others_type::sixteenth(2))));
        const __m256i low = _mm256_mullo_epi16(factor, all(others_type::sixteenth(0)));
        const __m256i next = _mm256_add_epi16(_mm256_mullo_epi16(factor, all(others_type::sixteenth(1))),
                                              _mm256_mulhi_epu16(factor, all(others_type::sixteenth(0))));
        const __m256i path = _mm256_and_si256(
            _mm256_xor_si256(_mm256_or_si256(_mm256_srli_epi16(low, 8), _mm256_slli_epi16(next, 8)), all(others.start)),
            all(others.level_mask));
        const __m256i row = _mm256_sub_epi16(hash, all(others.row));
        const __m256i part = _mm256_or_si256(_mm256_sll_epi16(path, unused), _mm256_srl_epi16(row, level));
        const __m256i way = _mm256_sub_epi16(part, all(others.room.first));
        const __m256i in_half = _mm256_and_si256(part, all(0x7fff));
        const __m256i is_likely =
            _mm256_or_si256(_mm256_cmpeq_epi16(_mm256_min_epu16(way, all(others.room.last)), way),
                            _mm256_cmpeq_epi16(_mm256_max_epu16(in_half, all(others.room.older)), in_half));
        const auto mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(is_likely));
        chosen.slots |= std::uint64_t{_pext_u32(mask, 0x55555555)} << slot;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(chosen.buckets.data() + slot),
                         _mm_packus_epi16(_mm256_castsi256_si128(bucket), _mm256_extracti128_si256(bucket, 1)));
    }
}

} // namespace everbloom

#endif
