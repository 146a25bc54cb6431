// Stored hashes of a page with AVX-512, eight at a time: their positions, and the hashes themselves.
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

} // namespace everbloom::kernel::wide
#endif
