// Operations on one fingerprint, and batches of queries, with AVX-512: for two subtables, buckets of 32 cells.
//
// Both buckets are unpacked in registers, and all that an operation needs is found there: which cells have the remainder, which are in use, and
// so which one is to be written. One permutation of bytes brings the bytes of two or four cells into each word of 64 bits, and one vpmultishiftqb
// moves the bits of each cell to the low end of a lane of its own; bits of its neighbour behind them are masked by the comparison:
//
//      up to 15 bits: a bucket is one vector      | 12 | 12 | 12 | 12 | ...   ->   | 12, 4 more | 12, 4 more | ...
//      17 to 32 bits: a bucket is two vectors     | 28 | 28 | 28 | ...        ->   | 28, 4 more | 28, 4 more | ...
//
// The bytes of a bucket are loaded as far as it goes, and no further. A cell is changed together with what follows in eight bytes, so that cells
// of the last bucket are left to others.
#include <everbloom/bits/choose.hpp>
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/filter/dleft/dleft_operations.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#if defined(EVERBLOOM_PACKED_KERNEL)

#include <immintrin.h>

#define EVERBLOOM_PAIR [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,bmi,bmi2,lzcnt,popcnt")]]

namespace everbloom {
namespace {

/// `line`: cells of 16 bits, which are in lanes already.
enum class lanes_of : std::uint8_t { line, two_bytes, four_bytes };

// Vectors of the compiler: g++ 12 warns of what is in most functions for AVX-512.
using shorts = std::uint16_t __attribute__((vector_size(64), may_alias));
using longs = std::uint32_t __attribute__((vector_size(64), may_alias));

/// A fingerprint's buckets. `OneCopy`: counters of one bit, so that a cell has only one value for a remainder, and whole cells are compared.
template <lanes_of Lanes, bool OneCopy>
class bucket_pair {
public:
    EVERBLOOM_PAIR [[gnu::always_inline]] inline bucket_pair(const dleft_layout& layout, const std::uint64_t* words,
                                                             std::uint64_t low) noexcept
        : of_(layout.pair) {
        const std::uint64_t left = low & of_.fingerprint;
        const std::uint64_t right = left * detail::multipliers[1] & of_.fingerprint;
        const unsigned counter_bits = OneCopy ? 1 : of_.counter_bits;
        left_cell_ = (left << counter_bits) + 1;
        right_cell_ = (right << counter_bits) + 1;
        left_byte_ = (left >> of_.remainder_bits) * of_.bucket_bytes;
        right_byte_ = (right >> of_.remainder_bits) * of_.bucket_bytes + of_.right_byte;
        first_ = reinterpret_cast<const char*>(words);
    }

    EVERBLOOM_PAIR [[gnu::always_inline]] inline void prefetch() const noexcept {
        prefetch_line(first_ + left_byte_);
        prefetch_line(first_ + left_byte_ + of_.bucket_bytes - 1);
        prefetch_line(first_ + right_byte_);
        prefetch_line(first_ + right_byte_ + of_.bucket_bytes - 1);
    }

    /// Whether an empty cell seems to have the remainder of one of the buckets.
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline bool is_ambiguous() const noexcept {
        return !OneCopy && ((left_cell_ & of_.compared_bits) == 0 || (right_cell_ & of_.compared_bits) == 0);
    }
    /// Whether eight bytes from any cell on are in the table.
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline bool can_change() const noexcept {
        return Lanes == lanes_of::line || right_byte_ != of_.last_bucket_byte;
    }

    EVERBLOOM_PAIR [[gnu::always_inline]] inline void load() noexcept {
        left_.first = unpacked(first_ + left_byte_);
        right_.first = unpacked(first_ + right_byte_);
        if constexpr (Lanes == lanes_of::four_bytes) {
            left_.second = unpacked(first_ + left_byte_ + of_.vector_bytes);
            right_.second = unpacked(first_ + right_byte_ + of_.vector_bytes);
        }
    }
    /// Is there an equal cell?
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline bool has_equal() const noexcept {
        const __m512i left = in_all(left_cell_);
        const __m512i right = in_all(right_cell_);
        if constexpr (Lanes != lanes_of::four_bytes) {
            return _kortestz_mask32_u8(equal_16(left_.first, left), equal_16(right_.first, right)) == 0;
        } else {
            const __mmask16 of_left = _kor_mask16(equal_32(left_.first, left), equal_32(left_.second, left));
            const __mmask16 of_right = _kor_mask16(equal_32(right_.first, right), equal_32(right_.second, right));
            return _kortestz_mask16_u8(of_left, of_right) == 0;
        }
    }
    /// Equal cells: bits 0 to 31 those of the left bucket.
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline std::uint64_t equal() const noexcept {
        const __m512i left = in_all(left_cell_);
        const __m512i right = in_all(right_cell_);
        if constexpr (Lanes != lanes_of::four_bytes) {
            return joined(equal_16(left_.first, left), equal_16(right_.first, right));
        } else {
            return joined(_mm512_kunpackw(equal_32(left_.second, left), equal_32(left_.first, left)),
                          _mm512_kunpackw(equal_32(right_.second, right), equal_32(right_.first, right)));
        }
    }
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline std::uint32_t left_occupied() const noexcept {
        return occupied(left_);
    }
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline std::uint32_t right_occupied() const noexcept {
        return occupied(right_);
    }

    /// Changes a cell, 0 to 31 of the left bucket or 32 to 63 of the right one, from empty to one copy or back; false, and nothing done, if it
    /// has several copies. Which cell it is, is known late, and what waits for it keeps other operations out of the processor: so the steps
    /// from there are few, and none is a branch, which would be mispredicted half the time.
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline bool
    change(std::uint32_t is_left, unsigned cell, std::uint64_t* words, bool is_removal) const noexcept {
        std::uint64_t first = 8 * left_byte_;
        std::uint64_t changed = left_cell_ & of_.cell;
        asm("test %[is_left], %[is_left]\n\t"
            "cmovz %[right_first], %[first]\n\t"
            "cmovz %[right_cell], %[changed]"
            : [first] "+r"(first), [changed] "+r"(changed)
            : [is_left] "r"(is_left), [right_first] "rm"(8 * (right_byte_ - of_.bucket_bytes)),
              [right_cell] "rm"(right_cell_ & of_.cell)
            : "cc");
        const std::uint64_t bit = first + std::uint64_t{cell} * of_.cell_bits;
        char* const at = reinterpret_cast<char*>(words) + bit / 8;
        std::conditional_t<Lanes == lanes_of::line, std::uint16_t, std::uint64_t> around;
        std::memcpy(&around, at, sizeof around);
        const auto made = static_cast<decltype(around)>(around ^ changed << (bit % 8));
        if (!OneCopy && is_removal && (made >> (bit % 8) & of_.cell) != 0) [[unlikely]]
            return false;
        std::memcpy(at, &made, sizeof made);
        return true;
    }

private:
    struct lanes {
        __m512i first;
        __m512i second; // of four bytes only
    };

    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] static inline std::uint64_t joined(__mmask32 left,
                                                                                        __mmask32 right) noexcept {
        return _cvtmask64_u64(_mm512_kunpackd(right, left));
    }
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] static inline __m512i in_all(std::uint64_t cell) noexcept {
        if constexpr (Lanes != lanes_of::four_bytes)
            return reinterpret_cast<__m512i>(shorts{} + static_cast<std::uint16_t>(cell));
        return reinterpret_cast<__m512i>(longs{} + static_cast<std::uint32_t>(cell));
    }
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline __m512i unpacked(const char* from) const noexcept {
        if constexpr (Lanes == lanes_of::line) return _mm512_loadu_si512(from);
        constexpr __mmask64 all = ~std::uint64_t{0};
        const __m512i packed = _mm512_maskz_loadu_epi8(of_.loaded, from);
        const __m512i near = _mm512_maskz_permutexvar_epi8(all, _mm512_load_si512(of_.byte.data()), packed);
        return _mm512_maskz_multishift_epi64_epi8(all, _mm512_load_si512(of_.bit.data()), near);
    }
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline __mmask32 equal_16(__m512i cells,
                                                                               __m512i wanted) const noexcept {
        return _mm512_testn_epi16_mask(_mm512_xor_si512(cells, wanted), _mm512_load_si512(of_.compared.data()));
    }
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline __mmask16 equal_32(__m512i cells,
                                                                               __m512i wanted) const noexcept {
        return _mm512_testn_epi32_mask(_mm512_xor_si512(cells, wanted), _mm512_load_si512(of_.compared.data()));
    }
    EVERBLOOM_PAIR [[nodiscard, gnu::always_inline]] inline std::uint32_t occupied(const lanes& bucket) const noexcept {
        const __m512i bits = _mm512_load_si512(of_.cells.data());
        if constexpr (Lanes != lanes_of::four_bytes) return _mm512_test_epi16_mask(bucket.first, bits);
        return _mm512_kunpackw(_mm512_test_epi32_mask(bucket.second, bits), _mm512_test_epi32_mask(bucket.first, bits));
    }

    const dleft_pair_layout& of_;
    const char* first_;
    std::uint64_t left_cell_;
    std::uint64_t right_cell_;
    std::uint64_t left_byte_;
    std::uint64_t right_byte_;
    lanes left_;
    lanes right_;
};

[[gnu::noinline]] packed_answer holds_slowly(const dleft_layout& layout, const std::uint64_t* words,
                                             std::uint64_t low) noexcept {
    const dleft_table<const std::uint64_t> table(layout, words);
    return dleft_operations(table).count(layout.places.fingerprint({low, 0})) != 0 ? packed_answer::holds
                                                                                   : packed_answer::lacks;
}

template <lanes_of Lanes, bool OneCopy>
struct pair_operations {
    using pair = bucket_pair<Lanes, OneCopy>;

    EVERBLOOM_PAIR static packed_answer hold(const dleft_layout& layout, const std::uint64_t* words,
                                             std::uint64_t low) noexcept {
        pair both(layout, words, low);
        if (both.is_ambiguous()) [[unlikely]]
            return holds_slowly(layout, words, low);
        both.load();
        return static_cast<packed_answer>(both.has_equal());
    }

    EVERBLOOM_PAIR static bool insert_lone(const dleft_layout& layout, std::uint64_t* words,
                                           std::uint64_t low) noexcept {
        pair both(layout, words, low);
        if (both.is_ambiguous() || !both.can_change()) [[unlikely]]
            return false;
        both.load();
        const std::uint32_t left = both.left_occupied();
        const std::uint32_t right = both.right_occupied();
        // Which bucket is the emptier one cannot be predicted, so it must not become a branch.
        const bool is_right = std::popcount(right) < std::popcount(left);
        const auto used = static_cast<std::uint32_t>(choose(is_right, right, left));
        if (both.has_equal() || ~used == 0) [[unlikely]]
            return false;
        return both.change(!is_right,
                           32 * static_cast<unsigned>(is_right) + static_cast<unsigned>(std::countr_one(used)), words,
                           false);
    }

    EVERBLOOM_PAIR static bool erase_lone(const dleft_layout& layout, std::uint64_t* words,
                                          std::uint64_t low) noexcept {
        pair both(layout, words, low);
        if (both.is_ambiguous() || !both.can_change()) [[unlikely]]
            return false;
        both.load();
        const std::uint64_t equal = both.equal();
        if (!std::has_single_bit(equal)) [[unlikely]]
            return false;
        return both.change(static_cast<std::uint32_t>(equal), static_cast<unsigned>(std::countr_zero(equal)), words,
                           true);
    }

    EVERBLOOM_PAIR static void hold_all(const dleft_layout& layout, const std::uint64_t* words,
                                        std::span<const digest> items, std::uint8_t* answers) noexcept {
        constexpr std::size_t lead = 16;
        const std::size_t count = items.size();
        for (std::size_t i = 0; i < std::min(lead, count); ++i) pair(layout, words, items[i].low).prefetch();
        for (std::size_t i = 0; i < count; ++i) {
            if (i + lead < count) pair(layout, words, items[i + lead].low).prefetch();
            answers[i] = static_cast<std::uint8_t>(hold(layout, words, items[i].low));
        }
    }

    static constexpr dleft_pair_calls calls{hold, insert_lone, erase_lone, hold_all};
};

} // namespace

dleft_pair_layout::dleft_pair_layout(const dleft_layout& layout) noexcept {
    const unsigned bits = layout.cell_bits;
    constexpr unsigned beyond_words = 31; // two cells, and what is before the first one in its byte, take 68 bits
    const bool is_possible = kernel::is_modern() && __builtin_cpu_supports("avx512f") != 0 &&
                             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vbmi") != 0;
    const bool is_line = layout.shape == dleft_shape::two_by_32;
    const bool is_packed = layout.shape == dleft_shape::packed_two_by_32 && bits <= 32 && bits != beyond_words;
    if (!(is_line || is_packed) || !is_possible) return;
    using enum lanes_of;
    const bool one_copy = layout.counter_bits == 1;
    if (is_line) {
        calls = one_copy ? pair_operations<line, true>::calls : pair_operations<line, false>::calls;
    } else if (bits < 16) {
        calls = one_copy ? pair_operations<two_bytes, true>::calls : pair_operations<two_bytes, false>::calls;
    } else {
        calls = one_copy ? pair_operations<four_bytes, true>::calls : pair_operations<four_bytes, false>::calls;
    }
    cell_bits = bits;
    counter_bits = layout.counter_bits;
    remainder_bits = bits - counter_bits;
    fingerprint = layout.places.fingerprint({~std::uint64_t{0}, 0});
    bucket_bytes = layout.bucket_cells * bits / 8;
    right_byte = layout.buckets * bucket_bytes;
    last_bucket_byte = 2 * right_byte - bucket_bytes;
    cell = low_mask(bits);
    compared_bits = one_copy ? cell : cell & ~low_mask(counter_bits);
    const unsigned lane_bytes = bits <= 16 ? 2 : 4;
    vector_bytes = 64 / lane_bytes * bits / 8;
    loaded = low_mask(vector_bytes);
    for (unsigned at = 0; at < 64; ++at) {
        const unsigned first = at / 8 * (8 / lane_bytes) * bits; // bit of the vector
        const unsigned cell_in_word = at % 8 / lane_bytes;
        byte[at] = static_cast<std::uint8_t>((first / 8 + at % 8) % 64);
        bit[at] = static_cast<std::uint8_t>((first % 8 + cell_in_word * bits + at % lane_bytes * 8) % 64);
        cells[at] = static_cast<std::uint8_t>(cell >> (at % lane_bytes * 8));
        compared[at] = static_cast<std::uint8_t>(compared_bits >> (at % lane_bytes * 8));
    }
}

} // namespace everbloom
#endif
