// Pages of stored hashes, read as a whole with AVX-512: their hashes, and what the patterns of those of one block share with a pattern.
// The steps are those of src/elastic_page_read.cpp, for eight slots at a time.
#include "elastic_page_wide_hashes.hpp"
#include "elastic_page_wide_patterns.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {

EVERBLOOM_WIDE_PAGES page_hashes hashes_of_page(page_to_read page, const hash_geometry& geometry,
                                                std::uint64_t* hashes) noexcept {
    const page_parts parts(page, geometry);
    if (!parts.known) [[unlikely]]
        return kernel::hashes_of_page(page, geometry, hashes);
    const unit_maker make(geometry, page.index);
    const __m128i unused = by(geometry.unused_bits());
    const std::uint64_t counts = page.words[0];
    const unsigned slots = geometry.slots();
    const unsigned here = std::min(parts.used, slots);
    const slot_positions positions(page.words, geometry, counts, 0);
    // A last group that is not full writes a little too much, which the overflow page overwrites, or the caller has room for.
    for (unsigned group = 0; group * group_slots < here; ++group) {
        _mm512_storeu_si512(hashes + group * group_slots, _mm512_sll_epi64(make(positions.read(group)), unused));
    }
    if (parts.used > slots) [[unlikely]] {
        const slot_positions overflow(parts.more, geometry, counts, slots);
        for (unsigned group = 0; group * group_slots < parts.used - slots; ++group) {
            _mm512_storeu_si512(hashes + slots + group * group_slots,
                                _mm512_sll_epi64(make(overflow.read(group)), unused));
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
    const unit_maker make(geometry, page.index);
    pattern_comparison compare(wanted);
    const eight lowest = all(range.lowest);
    const eight highest = all(range.highest);
    const auto add = [&](eight positions, unsigned count) EVERBLOOM_WIDE_PAGES_LAMBDA {
        const auto there = static_cast<__mmask8>(_bzhi_u32(0xff, count));
        compare.add(make(positions), _mm512_mask_cmple_epu64_mask(
                                         _mm512_mask_cmpge_epu64_mask(there, positions, lowest), positions, highest));
    };
    if (start < slots) [[likely]] {
        const slot_positions positions(page.words, geometry, counts, 0);
        const unsigned last = std::min(end, slots);
        for (unsigned group = start / group_slots; group * group_slots < last; ++group) {
            add(positions.read(group), last - group * group_slots);
        }
    }
    if (end > slots) [[unlikely]] {
        const slot_positions overflow(parts.more, geometry, counts, slots);
        const unsigned last = end - slots;
        for (unsigned group = (std::max(start, slots) - slots) / group_slots; group * group_slots < last; ++group) {
            add(overflow.read(group), last - group * group_slots);
        }
    }
    compare.note(shared);
    return true;
}

} // namespace everbloom::kernel::wide
#endif
