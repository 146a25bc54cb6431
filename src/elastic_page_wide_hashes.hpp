// Stored hashes of a page with AVX-512, eight at a time: their positions, the hashes themselves, and what their patterns share with one pattern.
//
// Hashes are numbers of `units` here: without the bits that are not stored. The position of a slot in its page (bin and remainder) and the
// page tell its unit: the position times a constant, at most 1, plus where the page begins, rounded up. The constant has 104 bits behind the
// point, in two halves of 52, the width of the multiplications of AVX-512 IFMA: three of them make eight units. It is rounded down. That makes
// no other unit: before rounding up, a unit is a whole number or at least 1 / pages above one, and the error is less (`suits_wide`).
#pragma once

#include "elastic_page_wide.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {

using header = hash_page<const std::uint64_t>;

inline constexpr unsigned bin_bits = 3; // of a position
static_assert(hash_geometry::page_bins == 1U << bin_bits);

/// Reads slots as positions in their page: the number of the bin, and below it the remainder. Positions grow with the hashes; those behind the
/// last slot in use are above all of the page. Slots of an overflow page are counted behind those of the page.
class slot_positions {
public:
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] slot_positions(const std::uint64_t* page, const hash_geometry& geometry,
                                                               std::uint64_t counts, unsigned first_slot) noexcept
        : slots_(page, geometry), first_(first_slot), ends_(all(counts * 0x0101010101010101)), up_(by(slots_.width())) {
    }

    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight read(unsigned group) const noexcept {
        const eight steps =
            _mm512_setr_epi64(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303, 0x0404040404040404,
                              0x0505050505050505, 0x0606060606060606, 0x0707070707070707);
        const unsigned first = first_ + group * group_slots;
        const eight index = _mm512_adds_epu8(_mm512_set1_epi8(static_cast<char>(first)), steps);
        // A slot is behind all bins that end before it or at it: eight comparisons of bytes. No slot in use has the number 255.
        const eight passed = _mm512_maskz_set1_epi8(_mm512_cmple_epu8_mask(ends_, index), 1);
        const eight bins = _mm512_sad_epu8(passed, _mm512_setzero_si512());
        return _mm512_or_si512(slots_.read(group), _mm512_sll_epi64(bins, up_));
    }

private:
    packed_slots slots_;
    unsigned first_;
    eight ends_; // of the eight bins, which fit into bytes
    __m128i up_;
};

/// Makes units of positions in one page.
class unit_maker {
public:
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] unit_maker(const hash_geometry& geometry, std::uint64_t page) noexcept {
        const unsigned unused = geometry.unused_bits();
        // 2^64 / pages with 64 bits behind the point, too low by at most pages / 2^64.
        const std::uint64_t width = geometry.page_width();
        const std::uint64_t rest = ~std::uint64_t{0} - width * geometry.pages() + 1;
        const std::uint64_t width_low = rest * width;
        const wide_product low = multiply_wide(page, width_low);
        const std::uint64_t begin = page * width + low.high;
        base_ = all(begin >> unused);
        fraction_ = all(((begin << (64 - unused) | low.low >> unused) >> 12) + (one - 1)); // rounds up
        // A position is worth 2^-(bin_bits + slot_bits) of the width of a page.
        const int shift = 12 + static_cast<int>(bin_bits + geometry.slot_bits() + unused) - 64;
        if (shift > 0) {
            high_ = all(width >> shift);
            low_ = all((width << (64 - shift) | width_low >> shift) >> 12);
        } else {
            high_ = all(width << -shift | width_low >> (63 + shift) >> 1);
            low_ = all(width_low << -shift >> 12);
        }
    }

    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight operator()(eight positions) const noexcept {
        const eight behind = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(fraction_, positions, high_), positions, low_);
        return _mm512_add_epi64(_mm512_madd52hi_epu64(base_, positions, high_), _mm512_srli_epi64(behind, 52));
    }

private:
    static constexpr std::uint64_t one = std::uint64_t{1} << 52;

    eight base_;
    eight fraction_;
    eight high_;
    eight low_;
};

/// The overflow page of a page, or nothing; and whether the two can be read so: no copies, no second overflow page, few enough slots.
struct page_parts {
    const std::uint64_t* more = nullptr;
    unsigned used = 0;
    bool known = false;

    EVERBLOOM_WIDE_PAGES
    [[gnu::always_inline]] page_parts(const page_to_read& page, const hash_geometry& geometry) noexcept
        : used(used_slots(page.words[0])) {
        const std::uint64_t link = page.words[1];
        known = link == 0;
        if (known) [[likely]]
            return;
        if (link > low_mask(header::link_bits)) return;
        more = page.overflow + (link - 1) * geometry.page_words();
        known = more[1] == 0 && used <= most_used;
    }
};

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

/// Collects in which lanes some hashes have the bit of a pattern.
class pattern_comparison {
public:
    EVERBLOOM_WIDE_PAGES
    [[gnu::always_inline]] explicit pattern_comparison(const lane_pattern& wanted) noexcept
        : seed_(all(wanted.seed)), factor_(all(factor)), rests_(all(lane_rests)), differ_(all(~std::uint64_t{0})),
          unused_lanes_(_mm512_load_si512(unused_lanes.word[wanted.hashes].data())) {}

    /// Of eight hashes those that count.
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void add(eight units, __mmask8 counts) noexcept {
        const eight seeds = _mm512_mullo_epi64(units, factor_);
        const eight changed = _mm512_xor_si512(seeds, seed_);
        // The highest bit of a field: whether any of its six differs. So does that of a lane without a bit, which the low bits of a seed tell.
        const eight carried = _mm512_add_epi64(_mm512_and_si512(changed, rests_), rests_);
        const eight unused = _mm512_permutexvar_epi64(seeds, unused_lanes_);
        const eight differs = _mm512_ternarylogic_epi64(carried, changed, unused, 0xfe);
        differ_ = _mm512_mask_and_epi64(differ_, counts, differ_, differs);
    }

    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void note(shared_lanes& shared) const noexcept {
        auto* const units = reinterpret_cast<__m256i*>(shared.unit.data());
        _mm256_store_si256(units, _mm256_or_si256(_mm256_load_si256(units), lanes_shared()));
    }
    /// The bits of the pattern that no hash has, with those that were noted before.
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void alone(const lane_pattern& wanted, const shared_lanes& shared,
                                                           line_mask& bits) const noexcept {
        const __m256i before = _mm256_load_si256(reinterpret_cast<const __m256i*>(shared.unit.data()));
        const __m256i run = _mm256_load_si256(
            reinterpret_cast<const __m256i*>(lane_runs[wanted.hashes][run_start(wanted.seed)].unit.data()));
        const __m256i kept = _mm256_andnot_si256(_mm256_or_si256(before, lanes_shared()), run);
        const __m256i sixes = to_top(_mm256_set1_epi64x(static_cast<long long>(wanted.seed)));
        const __m256i index = _mm256_srli_epi32(_mm256_slli_epi32(sixes, 1), 27);
        const __m256i bit = _mm256_and_si256(_mm256_sllv_epi32(_mm256_set1_epi32(1), index), kept);
        const __m256i second = _mm256_srai_epi32(sixes, 31);
        auto* const halves = reinterpret_cast<__m256i*>(bits.data());
        _mm256_storeu_si256(halves, _mm256_andnot_si256(second, bit));
        _mm256_storeu_si256(halves + 1, _mm256_and_si256(second, bit));
    }

private:
    static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;

    /// The six bits of each lane at the top of its unit: even lanes come from the low halves, odd ones from the high halves.
    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] static __m256i to_top(__m256i seeds) noexcept {
        return _mm256_sllv_epi32(seeds, _mm256_setr_epi32(0, 0, 6, 6, 12, 12, 18, 18));
    }
    /// All ones in the units of the lanes that are shared.
    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] __m256i lanes_shared() const noexcept {
        const __m256i two = _mm256_and_si256(_mm512_castsi512_si256(differ_), _mm512_extracti64x4_epi64(differ_, 1));
        const __m256i one = _mm256_and_si256(two, _mm256_permute4x64_epi64(two, 0x4e));
        const __m256i differs = _mm256_and_si256(one, _mm256_permute4x64_epi64(one, 0xb1));
        return _mm256_srai_epi32(to_top(_mm256_xor_si256(differs, _mm256_set1_epi32(-1))), 31);
    }

    eight seed_;
    eight factor_;
    eight rests_;
    eight differ_;
    eight unused_lanes_;
};

} // namespace everbloom::kernel::wide
#endif
