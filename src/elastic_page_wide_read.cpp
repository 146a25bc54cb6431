// Pages of stored hashes, read as a whole with AVX-512: their hashes, and what the patterns of those of one block share with a pattern.
// The steps are those of src/elastic_page_read.cpp, for eight slots at a time.
#include "elastic_page_wide.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {
namespace {

using header = hash_page<const std::uint64_t>;

constexpr unsigned bin_bits = 3; // of a position
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

/// Makes hashes of positions in one page.
class hash_maker {
public:
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] hash_maker(const hash_geometry& geometry, std::uint64_t page) noexcept
        : geometry_(geometry), page_(page), units_(all(geometry.stored_mask())),
          shift_(by(64 - bin_bits - geometry.slot_bits())) {
        // A page is this wide, rounded down; its start is a little too low.
        const std::uint64_t width = geometry.page_width();
        const std::uint64_t rest = ~std::uint64_t{0} - width * geometry.pages();
        low_ = all(width);
        high_ = all(width >> 32);
        begins_ = all(page * width + multiply_wide(page * rest, width).high + ~geometry.stored_mask());
    }

    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] eight operator()(eight positions) const noexcept {
        const eight top = _mm512_sll_epi64(positions, shift_);
        const eight top_high = _mm512_srli_epi64(top, 32);
        // The high word of the product, up to two too low.
        const eight in_page = _mm512_add_epi64(_mm512_mul_epu32(top_high, high_),
                                               _mm512_add_epi64(_mm512_srli_epi64(_mm512_mul_epu32(top_high, low_), 32),
                                                                _mm512_srli_epi64(_mm512_mul_epu32(top, high_), 32)));
        const eight guess = _mm512_add_epi64(begins_, in_page);
        const eight most = _mm512_add_epi64(guess, all(slack));
        if (_mm512_test_epi64_mask(_mm512_xor_si512(guess, most), units_) != 0) [[unlikely]]
            return exact(positions);
        return _mm512_and_si512(guess, units_);
    }

private:
    /// By how much a guess may be too low: less than 3 for the product, 2 for the start of the page, 1 for its width.
    static constexpr std::uint64_t slack = 5;

    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::noinline]] eight exact(eight positions) const noexcept {
        alignas(64) std::array<std::uint64_t, group_slots> one;
        _mm512_store_si512(one.data(), positions);
        for (std::uint64_t& each : one) {
            const std::uint64_t bin = each >> geometry_.slot_bits();
            // What is behind the last slot has no place.
            if (bin < hash_geometry::page_bins) {
                each =
                    geometry_.hash_at({page_ * hash_geometry::page_bins + bin, each & low_mask(geometry_.slot_bits())});
            }
        }
        return _mm512_load_si512(one.data());
    }

    const hash_geometry& geometry_;
    std::uint64_t page_;
    eight low_;
    eight high_;
    eight units_;
    eight begins_;
    __m128i shift_;
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
constexpr auto unused_lanes = [] {
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
constexpr std::uint64_t lane_rests = 0x7df7'df00'7df7'df00;

/// Collects in which lanes some of the hashes in a range of positions have the bit of a pattern.
class pattern_comparison {
public:
    EVERBLOOM_WIDE_PAGES
    [[gnu::always_inline]] pattern_comparison(const lane_pattern& wanted, const position_range& range,
                                              const hash_geometry& geometry) noexcept
        : lowest_(all(range.lowest)), highest_(all(range.highest)), seed_(all(wanted.seed)), factor_(all(factor)),
          rests_(all(lane_rests)), differ_(all(~std::uint64_t{0})),
          unused_lanes_(_mm512_load_si512(unused_lanes.word[wanted.hashes].data())),
          unused_(by(geometry.unused_bits())) {}

    /// The hashes at eight positions, of which the first `slots` count if they are in the range.
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void add(const hash_maker& make, eight positions,
                                                         unsigned slots) noexcept {
        const auto there = static_cast<__mmask8>(_bzhi_u32(0xff, slots));
        const __mmask8 counts =
            _mm512_mask_cmple_epu64_mask(_mm512_mask_cmpge_epu64_mask(there, positions, lowest_), positions, highest_);
        const eight seeds = _mm512_mullo_epi64(_mm512_srl_epi64(make(positions), unused_), factor_);
        const eight changed = _mm512_xor_si512(seeds, seed_);
        // The highest bit of a field: whether any of its six differs. So does that of a lane without a bit, which the low bits of a seed tell.
        const eight carried = _mm512_add_epi64(_mm512_and_si512(changed, rests_), rests_);
        const eight unused = _mm512_permutexvar_epi64(seeds, unused_lanes_);
        const eight differs = _mm512_ternarylogic_epi64(carried, changed, unused, 0xfe);
        differ_ = _mm512_mask_and_epi64(differ_, counts, differ_, differs);
    }

    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] void note(shared_lanes& shared) const noexcept {
        const __m256i two = _mm256_and_si256(_mm512_castsi512_si256(differ_), _mm512_extracti64x4_epi64(differ_, 1));
        const __m128i one = _mm_and_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
        const std::uint64_t differs =
            static_cast<std::uint64_t>(_mm_cvtsi128_si64(one)) & static_cast<std::uint64_t>(_mm_extract_epi64(one, 1));
        // Even lanes are in the low halves, odd ones in the high halves: each to the top of its unit, and from there into all of it.
        const std::uint64_t shared_bits = ~differs;
        const __m256i same = _mm256_set1_epi64x(static_cast<long long>(shared_bits));
        const __m256i tops = _mm256_sllv_epi32(same, _mm256_setr_epi32(0, 0, 6, 6, 12, 12, 18, 18));
        auto* const units = reinterpret_cast<__m256i*>(shared.unit.data());
        _mm256_store_si256(units, _mm256_or_si256(_mm256_load_si256(units), _mm256_srai_epi32(tops, 31)));
    }

private:
    static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;

    eight lowest_;
    eight highest_;
    eight seed_;
    eight factor_;
    eight rests_;
    eight differ_;
    eight unused_lanes_;
    __m128i unused_;
};

} // namespace

EVERBLOOM_WIDE_PAGES page_hashes hashes_of_page(page_to_read page, const hash_geometry& geometry,
                                                std::uint64_t* hashes) noexcept {
    const page_parts parts(page, geometry);
    if (!parts.known) [[unlikely]]
        return kernel::hashes_of_page(page, geometry, hashes);
    const hash_maker make(geometry, page.index);
    const std::uint64_t counts = page.words[0];
    const unsigned slots = geometry.slots();
    const unsigned here = std::min(parts.used, slots);
    const slot_positions positions(page.words, geometry, counts, 0);
    // A last group that is not full writes a little too much, which the overflow page overwrites, or the caller has room for.
    for (unsigned group = 0; group * group_slots < here; ++group) {
        _mm512_storeu_si512(hashes + group * group_slots, make(positions.read(group)));
    }
    if (parts.used > slots) [[unlikely]] {
        const slot_positions overflow(parts.more, geometry, counts, slots);
        for (unsigned group = 0; group * group_slots < parts.used - slots; ++group) {
            _mm512_storeu_si512(hashes + slots + group * group_slots, make(overflow.read(group)));
        }
    }
    return {true, parts.used};
}

EVERBLOOM_WIDE_PAGES bool note_shared_of_page(shared_lanes& shared, const lane_pattern& wanted, page_to_read page,
                                              const hash_geometry& geometry, const position_range& range) noexcept {
    const page_parts parts(page, geometry);
    if (!parts.known) [[unlikely]]
        return kernel::note_shared_of_page(shared, wanted, page, geometry, range);
    const unsigned width = geometry.slot_bits();
    const unsigned slots = geometry.slots();
    const std::uint64_t counts = page.words[0];
    const unsigned start = bin_slots(counts, static_cast<unsigned>(range.lowest >> width)).start;
    const unsigned end = bin_slots(counts, static_cast<unsigned>(range.highest >> width)).end;
    const hash_maker make(geometry, page.index);
    pattern_comparison compare(wanted, range, geometry);
    if (start < slots) [[likely]] {
        const slot_positions positions(page.words, geometry, counts, 0);
        const unsigned last = std::min(end, slots);
        for (unsigned group = start / group_slots; group * group_slots < last; ++group) {
            compare.add(make, positions.read(group), last - group * group_slots);
        }
    }
    if (end > slots) [[unlikely]] {
        const slot_positions overflow(parts.more, geometry, counts, slots);
        const unsigned last = end - slots;
        for (unsigned group = (std::max(start, slots) - slots) / group_slots; group * group_slots < last; ++group) {
            compare.add(make, overflow.read(group), last - group * group_slots);
        }
    }
    compare.note(shared);
    return true;
}

} // namespace everbloom::kernel::wide
#endif
