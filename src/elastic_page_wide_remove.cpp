// Removing a hash from a page of stored hashes with AVX-512, and finding out which bits of its pattern no other hash of its block has.
//
// One pass over the slots of the bins in which hashes of the block can be does both: it finds the hash itself, and compares the patterns
// of all others. Then the slot is taken out.
#include "elastic_page_wide_hashes.hpp"
#include "elastic_page_wide_shift.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {

EVERBLOOM_WIDE_PAGES page_removal remove_from_page(page_to_change page, const hash_geometry& geometry,
                                                   const hash_in_block& what, const shared_lanes& shared,
                                                   line_mask& alone) noexcept {
    std::uint64_t* const words = page.words;
    const unsigned width = geometry.slot_bits();
    if (words[1] != 0) [[unlikely]]
        return page_removal::unknown;
    const std::uint64_t counts = words[0];
    const unsigned own_bin = what.place.bin_in_page();
    const unsigned start = bin_slots(counts, static_cast<unsigned>(what.range.lowest >> width)).start;
    const unsigned end = bin_slots(counts, static_cast<unsigned>(what.range.highest >> width)).end;
    const slot_positions positions(words, geometry, counts, 0);
    const unit_maker make(geometry, what.place.page());
    pattern_comparison compare(what.pattern);
    const eight lowest = all(what.range.lowest);
    const eight highest = all(what.range.highest);
    const eight wanted = all(std::uint64_t{own_bin} << width | what.place.remainder);
    eight number = _mm512_add_epi64(first_numbers(), all(start / group_slots * group_slots + 1));
    eight found = _mm512_setzero_si512(); // the number of its slot, counted from one
    for (unsigned group = start / group_slots; group * group_slots < end; ++group) {
        // Slots behind the last are in a bin that no page has, and so behind the range.
        const eight some = positions.read(group);
        const __mmask8 within = _mm512_mask_cmple_epu64_mask(_mm512_cmpge_epu64_mask(some, lowest), some, highest);
        const __mmask8 same = _mm512_cmpeq_epu64_mask(some, wanted);
        found = _mm512_mask_mov_epi64(found, same, number);
        number = _mm512_add_epi64(number, all(group_slots));
        compare.add(make(some), static_cast<__mmask8>(within & ~same));
    }
    const auto slot = static_cast<unsigned>(_mm512_reduce_max_epu64(found));
    if (slot == 0) return page_removal::absent;
    compare.alone(what.pattern, shared, alone);
    erase_bits(words, geometry.page_lines(), header_bits + (slot - 1) * width, width);
    words[0] = counts - (std::uint64_t{1} << (8 * own_bin));
    return page_removal::removed;
}

} // namespace everbloom::kernel::wide
#endif
