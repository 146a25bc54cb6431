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
    const unsigned start = bin_slots(counts, what.first_bin).start;
    const unsigned end = bin_slots(counts, what.last_bin).end;

    const unsigned unused = geometry.unused_bits();
    const bool is_between = (what.block.lowest & ~geometry.stored_mask()) != 0;
    const std::uint64_t lowest = (what.block.lowest >> unused) + (is_between ? 1 : 0);
    const eight first = all(lowest);
    const eight most = all((what.block.highest >> unused) - lowest);
    const eight wanted = all(what.hash >> unused);
    const slot_positions positions(words, geometry, counts, 0);
    const unit_maker make(geometry, what.place.page());
    pattern_comparison compare(what.pattern);
    eight number = _mm512_add_epi64(first_numbers(), all(start / group_slots * group_slots));
    eight found = _mm512_setzero_si512(); // the number of its slot, and one
    const eight behind = all(end);
    for (unsigned group = start / group_slots; group * group_slots < end; ++group) {
        const eight units = make(positions.read(group));
        const __mmask8 there = _mm512_cmplt_epu64_mask(number, behind);
        const __mmask8 within = _mm512_mask_cmple_epu64_mask(there, _mm512_sub_epi64(units, first), most);
        const __mmask8 same = _mm512_mask_cmpeq_epu64_mask(within, units, wanted);
        number = _mm512_add_epi64(number, all(1));
        found = _mm512_mask_mov_epi64(found, same, number);
        number = _mm512_add_epi64(number, all(group_slots - 1));
        compare.add(units, static_cast<__mmask8>(within ^ same));
    }
    const auto slot = static_cast<unsigned>(_mm512_reduce_max_epu64(found));
    if (slot == 0) return page_removal::absent;
    compare.alone(what.pattern, shared, alone);
    erase_bits(words, geometry.page_lines(), header_bits + (slot - 1) * width, width);
    words[0] = counts - (std::uint64_t{1} << (8 * what.place.bin_in_page()));
    return page_removal::removed;
}

} // namespace everbloom::kernel::wide
#endif
