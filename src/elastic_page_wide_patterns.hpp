// Patterns of stored hashes with AVX-512: eight at a time, which of their bits does one pattern share?
//
// A pattern is made of six bits of a seed for each lane of a line (filter/kernel/line_pattern.hpp). Two patterns have the same bit in a lane if those six
// are equal: one addition finds out for all lanes of a seed, since a field in which some bit differs carries into its highest one. Patterns of
// more than eight bits have a second seed for some lanes, and their bits may meet in either.
#pragma once

#include "elastic_page_wide.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {

/// unused_lanes[hashes][start]: the highest bits of the lanes that a pattern of this many bits does not use.
inline constexpr auto unused_lanes = [] {
    struct table {
        alignas(64) std::array<std::array<std::uint64_t, lanes>, lanes + 1> word{};
    } made;
    for (unsigned hashes = 0; hashes <= lanes; ++hashes) {
        for (unsigned start = 0; start < lanes; ++start) {
            for (unsigned lane = 0; lane < lanes; ++lane) {
                if (lane_runs[hashes][start].unit[lane] != 0) continue;
                made.word[hashes][start] |= std::uint64_t{1} << (31 - 6 * (lane / 2) + lane % 2 * 32);
            }
        }
    }
    return made;
}();

/// A lane of a pattern is six bits of a seed; these are the lower five of each.
inline constexpr std::uint64_t lane_rests = 0x7df7'df00'7df7'df00;

/// The highest bits of the lanes in which eight seeds differ from another one.
EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] inline eight lanes_that_differ(eight seeds,
                                                                                      eight from) noexcept {
    const eight rests = all(lane_rests);
    const eight changed = _mm512_xor_si512(seeds, from);
    return _mm512_or_si512(_mm512_add_epi64(_mm512_and_si512(changed, rests), rests), changed);
}
/// The six bits of each lane at the top of its unit: even lanes come from the low halves, odd ones from the high halves.
EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] inline __m256i lanes_to_top(__m256i seeds) noexcept {
    return _mm256_sllv_epi32(seeds, _mm256_setr_epi32(0, 0, 6, 6, 12, 12, 18, 18));
}
/// All ones in the units of the lanes in which all of eight seeds differ.
EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] inline __m256i units_alone(eight differ) noexcept {
    const __m256i four = _mm256_and_si256(_mm512_castsi512_si256(differ), _mm512_extracti64x4_epi64(differ, 1));
    const __m256i two = _mm256_and_si256(four, _mm256_permute4x64_epi64(four, 0x4e));
    const __m256i one = _mm256_and_si256(two, _mm256_shuffle_epi32(two, 0x4e));
    return _mm256_srai_epi32(lanes_to_top(one), 31);
}

/// The bits of a run of lanes that are not shared, as a line.
EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] inline eight bits_of_run(std::uint64_t seed, unsigned count,
                                                                                eight differ) noexcept {
    const __m256i sixes = lanes_to_top(_mm256_set1_epi64x(static_cast<long long>(seed)));
    const __m256i index = _mm256_srli_epi32(_mm256_slli_epi32(sixes, 1), 27);
    __m256i bit = _mm256_and_si256(units_alone(differ), _mm256_sllv_epi32(_mm256_set1_epi32(1), index));
    if (count != lanes) {
        const lane_choice& run = lane_runs[count][run_start(seed)];
        bit = _mm256_and_si256(bit, _mm256_load_si256(reinterpret_cast<const __m256i*>(run.unit.data())));
    }
    const __m256i is_second = _mm256_srai_epi32(sixes, 31);
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_andnot_si256(is_second, bit)),
                              _mm256_and_si256(is_second, bit), 1);
}

inline constexpr std::uint64_t seed_factor = 0x9e3779b97f4a7c15; // block_hashing

/// Collects which bits of a pattern of at most eight some hashes share.
class pattern_comparison {
public:
    EVERBLOOM_WIDE_PAGES
    [[gnu::always_inline]] explicit pattern_comparison(const lane_pattern& wanted) noexcept
        : seed_(all(wanted.seed)), factor_(all(seed_factor)), differ_(all(~std::uint64_t{0})),
          unused_lanes_(_mm512_load_si512(unused_lanes.word[wanted.hashes].data())) {}

    /// Of eight hashes those that count.
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void add(eight units, __mmask8 counts) noexcept {
        const eight seeds = _mm512_mullo_epi64(units, factor_);
        // A lane without a bit, which the low bits of a seed tell, differs.
        const eight unused = _mm512_permutexvar_epi64(seeds, unused_lanes_);
        const eight differs = _mm512_or_si512(lanes_that_differ(seeds, seed_), unused);
        differ_ = _mm512_mask_and_epi64(differ_, counts, differ_, differs);
    }

    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void note(shared_lanes& shared) const noexcept {
        auto* const units = reinterpret_cast<__m256i*>(shared.unit.data());
        const __m256i shared_now = _mm256_xor_si256(units_alone(differ_), _mm256_set1_epi32(-1));
        _mm256_store_si256(units, _mm256_or_si256(_mm256_load_si256(units), shared_now));
    }
    /// The bits of the pattern that no hash has.
    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight alone(const lane_pattern& wanted) const noexcept {
        return bits_of_run(wanted.seed, wanted.hashes, differ_);
    }

private:
    eight seed_;
    eight factor_;
    eight differ_;
    eight unused_lanes_;
};

/// The same for patterns of eight bits, one in every lane.
class full_pattern_comparison {
public:
    EVERBLOOM_WIDE_PAGES
    [[gnu::always_inline]] explicit full_pattern_comparison(const lane_pattern& wanted) noexcept
        : seed_(all(wanted.seed)), differ_(all(~std::uint64_t{0})) {}

    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void add(eight units, __mmask8 counts) noexcept {
        const eight rests = all(lane_rests);
        const eight changed = _mm512_xor_si512(_mm512_mullo_epi64(units, all(seed_factor)), seed_);
        const eight carried = _mm512_add_epi64(_mm512_and_si512(changed, rests), rests);
        constexpr int first_and_either = 0xf0 & (0xcc | 0xaa);
        differ_ = _mm512_mask_ternarylogic_epi64(differ_, counts, carried, changed, first_and_either);
    }

    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight alone(const lane_pattern& wanted) const noexcept {
        return bits_of_run(wanted.seed, lanes, differ_);
    }

private:
    eight seed_;
    eight differ_;
};

/// The same for patterns of more than eight bits: one in every lane, and some in a second run.
class long_pattern_comparison {
public:
    EVERBLOOM_WIDE_PAGES
    [[gnu::always_inline]] explicit long_pattern_comparison(const lane_pattern& wanted) noexcept
        : first_seed_(all(wanted.seed)), second_seed_(all(second_hash(wanted.seed))),
          unused_lanes_(_mm512_load_si512(unused_lanes.word[wanted.hashes - lanes].data())) {}

    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void add(eight units, __mmask8 counts) noexcept {
        const eight firsts = _mm512_mullo_epi64(units, all(seed_factor));
        const eight seconds = mixed(firsts);
        const eight unused = _mm512_permutexvar_epi64(seconds, unused_lanes_);
        first_differ_ = both(first_differ_, counts, lanes_that_differ(firsts, first_seed_),
                             _mm512_or_si512(lanes_that_differ(seconds, first_seed_), unused));
        second_differ_ = both(second_differ_, counts, lanes_that_differ(firsts, second_seed_),
                              _mm512_or_si512(lanes_that_differ(seconds, second_seed_), unused));
    }

    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight alone(const lane_pattern& wanted) const noexcept {
        return _mm512_or_si512(bits_of_run(wanted.seed, lanes, first_differ_),
                               bits_of_run(second_hash(wanted.seed), wanted.hashes - lanes, second_differ_));
    }

private:
    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] static eight both(eight before, __mmask8 counts, eight a,
                                                                             eight b) noexcept {
        return _mm512_mask_and_epi64(before, counts, before, _mm512_and_si512(a, b));
    }
    /// everbloom::mix.
    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] static eight mixed(eight value) noexcept {
        value = _mm512_mullo_epi64(_mm512_xor_si512(value, _mm512_srli_epi64(value, 30)), all(0xbf58476d1ce4e5b9));
        value = _mm512_mullo_epi64(_mm512_xor_si512(value, _mm512_srli_epi64(value, 27)), all(0x94d049bb133111eb));
        return _mm512_xor_si512(value, _mm512_srli_epi64(value, 31));
    }

    eight first_seed_;
    eight second_seed_;
    eight unused_lanes_;
    eight first_differ_ = all(~std::uint64_t{0});
    eight second_differ_ = all(~std::uint64_t{0});
};

} // namespace everbloom::kernel::wide
#endif
