// Stored hashes of a page with AVX2, four at a time: their positions, the hashes themselves, and what their patterns share with one pattern.
#pragma once

#include "elastic_page_vectors.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel {

/// Reads slots as positions in their page: the number of the bin, and below it the remainder. Positions grow with the hashes.
class slot_positions {
public:
    /// Of a page without overflow pages.
    EVERBLOOM_MODERN [[gnu::always_inline]] slot_positions(const std::uint64_t* page, unsigned slot_bits) noexcept
        : slots_(page, slot_bits), mask_(all(low_mask(slot_bits))), ends_(all(page[0] * 0x0101010101010101)),
          up_(by(slot_bits)) {}

    /// How many slots can be read so.
    [[nodiscard]] unsigned readable() const noexcept { return slots_.how.groups * group_slots; }

    /// Of the slots 8 * group + 4 * Half and the next three; behind the last slot in use, above all positions of the page.
    template <unsigned Half>
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] words read(unsigned group) const noexcept {
        const words steps = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
        const words index = _mm256_add_epi8(
            _mm256_set1_epi8(static_cast<char>(static_cast<unsigned char>(group * group_slots + 4 * Half))), steps);
        // A slot is behind all bins that end before it or at it: eight comparisons of bytes.
        const words passed = _mm256_cmpeq_epi8(_mm256_max_epu8(index, ends_), index);
        const words bins = _mm256_sad_epu8(_mm256_and_si256(passed, _mm256_set1_epi8(1)), _mm256_setzero_si256());
        return _mm256_or_si256(slots_.half<Half>(group, mask_), _mm256_sll_epi64(bins, up_));
    }

private:
    packed_slots slots_;
    words mask_;
    words ends_; // of the eight bins, which fit into bytes
    __m128i up_;
};

/// Makes hashes of positions in one page, four at a time.
class hash_maker {
public:
    EVERBLOOM_MODERN [[gnu::always_inline]] hash_maker(const hash_geometry& geometry, std::uint64_t page) noexcept
        : geometry_(geometry), page_(page), units_(all(geometry.stored_mask())),
          shift_(by(64 - bin_bits - geometry.slot_bits())) {
        // A page is this wide, rounded down; its start is a little too low.
        const std::uint64_t width = geometry.page_width();
        const std::uint64_t rest = ~std::uint64_t{0} - width * geometry.pages();
        low_ = all(width);
        high_ = all(width >> 32);
        begins_ = all(page * width + multiply_wide(page * rest, width).high + ~geometry.stored_mask());
    }

    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] words operator()(words positions) const noexcept {
        const words top = _mm256_sll_epi64(positions, shift_);
        const words top_high = _mm256_srli_epi64(top, 32);
        // The high word of the product, up to two too low.
        const words in_page = _mm256_add_epi64(_mm256_mul_epu32(top_high, high_),
                                               _mm256_add_epi64(_mm256_srli_epi64(_mm256_mul_epu32(top_high, low_), 32),
                                                                _mm256_srli_epi64(_mm256_mul_epu32(top, high_), 32)));
        const words guess = _mm256_add_epi64(begins_, in_page);
        const words most = _mm256_add_epi64(guess, all(slack));
        if (_mm256_testz_si256(_mm256_xor_si256(guess, most), units_) == 0) [[unlikely]]
            return exact(positions);
        return _mm256_and_si256(guess, units_);
    }

private:
    static constexpr unsigned bin_bits = 3; // of a position
    /// By how much a guess may be too low: less than 3 for the product, 2 for the start of the page, 1 for its width.
    static constexpr std::uint64_t slack = 8;

    EVERBLOOM_MODERN [[nodiscard, gnu::noinline]] words exact(words positions) const noexcept {
        alignas(32) std::array<std::uint64_t, 4> one;
        store(one.data(), positions);
        for (std::uint64_t& each : one) {
            const std::uint64_t bin = each >> geometry_.slot_bits();
            // What is behind the last slot has no place.
            if (bin < hash_geometry::page_bins) {
                each =
                    geometry_.hash_at({page_ * hash_geometry::page_bins + bin, each & low_mask(geometry_.slot_bits())});
            }
        }
        return load(one.data());
    }

    const hash_geometry& geometry_;
    std::uint64_t page_;
    words low_;
    words high_;
    words units_;
    words begins_;
    __m128i shift_;
};

/// The low words of products of 64-bit numbers.
EVERBLOOM_MODERN [[gnu::always_inline]] inline words multiply_low(words a, words b, words b_high) noexcept {
    const words crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b), _mm256_mul_epu32(a, b_high));
    return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(crossed, 32));
}

/// A lane of a pattern is six bits of a seed; these are the lower five of each.
inline constexpr std::uint64_t lane_rests = 0x7df7'df00'7df7'df00;

/// unused_lanes[hashes][start]: the highest bits of the lanes that a pattern of this many bits does not use, low halves and high
/// halves of the words.
struct lane_halves {
    alignas(32) std::array<std::uint32_t, lanes> low{};
    alignas(32) std::array<std::uint32_t, lanes> high{};
};
inline constexpr std::array<lane_halves, lanes + 1> unused_lanes = [] {
    std::array<lane_halves, lanes + 1> made{};
    for (unsigned hashes = 0; hashes <= lanes; ++hashes) {
        for (unsigned start = 0; start < lanes; ++start) {
            for (unsigned lane = 0; lane < lanes; ++lane) {
                if (lane_runs[hashes][start].unit[lane] != 0) continue;
                auto& half = lane % 2 == 0 ? made[hashes].low : made[hashes].high;
                half[start] |= std::uint32_t{1} << (31 - 6 * (lane / 2));
            }
        }
    }
    return made;
}();

/// Collects in which lanes some of the hashes in a range of positions have the bit of a pattern.
class pattern_comparison {
public:
    EVERBLOOM_MODERN [[gnu::always_inline]] pattern_comparison(const lane_pattern& wanted, const position_range& range,
                                                               const hash_geometry& geometry) noexcept
        : before_(all(range.lowest - 1)), behind_(all(range.highest + 1)), seed_(all(wanted.seed)),
          factor_(all(factor)), factor_high_(all(factor >> 32)), rests_(all(lane_rests)),
          differ_(all(~std::uint64_t{0})), low_lanes_(load(unused_lanes[wanted.hashes].low.data())),
          high_lanes_(load(unused_lanes[wanted.hashes].high.data())), unused_(by(geometry.unused_bits())),
          all_used_(wanted.hashes == lanes) {}

    /// From here on another range counts.
    EVERBLOOM_MODERN [[gnu::always_inline]] void look_in(const position_range& range) noexcept {
        before_ = all(range.lowest - 1);
        behind_ = all(range.highest + 1);
    }
    /// The hashes at four positions, of which those in the range count.
    EVERBLOOM_MODERN [[gnu::always_inline]] void add(const hash_maker& make, words positions) noexcept {
        add(make, positions, within(positions));
    }
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] words within(words positions) const noexcept {
        return _mm256_and_si256(_mm256_cmpgt_epi64(positions, before_), _mm256_cmpgt_epi64(behind_, positions));
    }
    EVERBLOOM_MODERN [[gnu::always_inline]] void add(const hash_maker& make, words positions, words counts) noexcept {
        const words hashes = make(positions);
        const words other = multiply_low(_mm256_srl_epi64(hashes, unused_), factor_, factor_high_);
        const words changed = _mm256_xor_si256(other, seed_);
        // The highest bit of a field: whether any of its six differs.
        words differs = _mm256_or_si256(_mm256_add_epi64(_mm256_and_si256(changed, rests_), rests_), changed);
        if (!all_used_) {
            const words start = _mm256_and_si256(other, all(lanes - 1));
            const words low = _mm256_and_si256(_mm256_permutevar8x32_epi32(low_lanes_, start), all(0xffffffff));
            const words high = _mm256_slli_epi64(_mm256_permutevar8x32_epi32(high_lanes_, start), 32);
            differs = _mm256_or_si256(differs, _mm256_or_si256(low, high));
        }
        differ_ = _mm256_andnot_si256(_mm256_andnot_si256(differs, counts), differ_);
    }

    EVERBLOOM_MODERN [[gnu::always_inline]] void note(shared_lanes& shared) const noexcept {
        alignas(32) std::array<std::uint64_t, 4> each;
        store(each.data(), differ_);
        const std::uint64_t same = ~(each[0] & each[1] & each[2] & each[3]);
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const unsigned top = 31 - 6 * (lane / 2) + lane % 2 * 32;
            shared.unit[lane] |= -static_cast<std::uint32_t>(same >> top & 1);
        }
    }

private:
    static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;

    words before_;
    words behind_;
    words seed_;
    words factor_;
    words factor_high_;
    words rests_;
    words differ_;
    words low_lanes_;
    words high_lanes_;
    __m128i unused_;
    bool all_used_;
};

} // namespace everbloom::kernel
#endif
