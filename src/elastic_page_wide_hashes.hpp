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

/// How the slots of a page are read as positions: what all pages of a geometry share.
struct position_reading {
    position_reading() noexcept = default;
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] explicit position_reading(const hash_geometry& geometry) noexcept
        : width(geometry.slot_bits()) {
        const auto page_bytes = static_cast<unsigned>(geometry.page_words() * 8) - header_bytes;
        bytes = _mm512_load_si512(unpackings[width].bytes.data());
        widths = all(width);
        to_top = _mm512_sub_epi64(all(64 - width), _mm512_load_si512(unpackings[width].shifts.data()));
        whole = low_mask(width);
        last_group = geometry.slots() / group_slots * width;
        last = low_mask(std::min(width, page_bytes - last_group));
    }

    eight bytes;  // brings each slot of a group into a word of its own
    eight to_top; // and to its top
    eight widths;
    std::uint64_t whole; // the bytes of a group
    std::uint64_t last;  // of the last one, which is shorter
    unsigned last_group; // where that begins
    unsigned width;
};

/// Reads the slots of one page as positions, group by group, up to the last that has slots of the page. Positions grow with the hashes; those
/// behind the last slot in use are above all of the page.
class position_reader {
public:
    /// From a group on; `ends` are those of the bins, which fit into bytes.
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] position_reader(const position_reading& how, const std::uint64_t* page,
                                                                std::uint64_t ends, unsigned group) noexcept
        : how_(how), slots_(reinterpret_cast<const std::uint8_t*>(page) + header_bytes), from_(group * how.width),
          ends_(all(ends)), numbers_(_mm512_add_epi8(_mm512_load_si512(slot_numbers.data()),
                                                     _mm512_set1_epi8(static_cast<char>(group * group_slots)))) {}

    /// In each byte the number of a slot of the next group, counted from 1.
    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight numbers() const noexcept { return numbers_; }

    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight next() noexcept {
        const std::uint64_t there = from_ < how_.last_group ? how_.whole : from_ == how_.last_group ? how_.last : 0;
        const eight group = _mm512_maskz_loadu_epi8(there, slots_ + from_);
        // A slot is behind all bins that end before it or at it: eight differences of bytes.
        const eight passed = _mm512_min_epu8(_mm512_subs_epu8(numbers_, ends_), _mm512_set1_epi8(1));
        const eight bins = _mm512_sad_epu8(passed, _mm512_setzero_si512());
        numbers_ = _mm512_add_epi8(numbers_, _mm512_set1_epi8(group_slots));
        from_ += how_.width;
        const eight tops = _mm512_sllv_epi64(_mm512_permutexvar_epi8(how_.bytes, group), how_.to_top);
        return _mm512_shldv_epi64(bins, tops, how_.widths);
    }

private:
    static constexpr std::uint64_t ones = 0x0101010101010101;
    alignas(64) static constexpr std::array<std::uint64_t, group_slots> slot_numbers{
        ones, 2 * ones, 3 * ones, 4 * ones, 5 * ones, 6 * ones, 7 * ones, 8 * ones};

    const position_reading& how_;
    const std::uint8_t* slots_;
    unsigned from_;
    eight ends_;
    eight numbers_;
};

/// How positions of the pages of a geometry become units: what all pages share.
struct unit_scale {
    unit_scale() noexcept = default;
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] explicit unit_scale(const hash_geometry& geometry) noexcept
        : unused(geometry.unused_bits()), width(geometry.page_width()) {
        // 2^64 / pages with 64 bits behind the point, too low by at most pages / 2^64.
        const std::uint64_t rest = ~std::uint64_t{0} - width * geometry.pages() + 1;
        width_low = rest * width;
        // A position is worth 2^-(bin_bits + slot_bits) of the width of a page.
        const int shift = 12 + static_cast<int>(bin_bits + geometry.slot_bits() + unused) - 64;
        if (shift > 0) {
            high = width >> shift;
            low = (width << (64 - shift) | width_low >> shift) >> 12;
        } else {
            high = width << -shift | width_low >> (63 + shift) >> 1;
            low = width_low << -shift >> 12;
        }
    }

    unsigned unused;
    std::uint64_t width; // of a page, before and behind the point
    std::uint64_t width_low;
    std::uint64_t high; // what a position is worth
    std::uint64_t low;
};

/// Makes units of positions in one page.
class unit_maker {
public:
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] unit_maker(const hash_geometry& geometry, std::uint64_t page) noexcept
        : unit_maker(unit_scale(geometry), page) {}
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] unit_maker(const unit_scale& scale, std::uint64_t page) noexcept
        : high_(all(scale.high)), low_(all(scale.low)) {
        const wide_product low = multiply_wide(page, scale.width_low);
        const std::uint64_t begin = page * scale.width + low.high;
        base_ = all(begin >> scale.unused);
        // Rounds up.
        fraction_ = all(((begin << (64 - scale.unused) | low.low >> scale.unused) >> 12) + (one - 1));
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
