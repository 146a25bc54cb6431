// Removing a hash from a page of stored hashes with AVX-512, and finding out which bits of its pattern no other hash of its block has.
//
// One pass over the slots of the bins in which hashes of the block can be does both: it finds the hash itself, and compares the patterns
// of all others. Then the slot is taken out. One block in four lies in two pages.
#include "elastic_page_wide_hashes.hpp"
#include "elastic_page_wide_patterns.hpp"
#include "elastic_page_wide_shift.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {
namespace {

/// Adds the hashes of a page in a range of positions to a comparison, but not the one at the position `but`. Returns the slot of that one, counted
/// from 1, or 0.
template <class Comparison>
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline unsigned
compare_page(Comparison& compare, const page_to_read& page, const hash_geometry& geometry, const position_range& range,
             std::uint64_t but) noexcept {
    const unsigned width = geometry.slot_bits();
    const std::uint64_t counts = page.words[0];
    const unsigned start = bin_slots(counts, static_cast<unsigned>(range.lowest >> width)).start;
    const unsigned end = bin_slots(counts, static_cast<unsigned>(range.highest >> width)).end;
    const slot_positions positions(page.words, geometry, counts, 0);
    const unit_maker make(geometry, page.index);
    const eight lowest = all(range.lowest);
    const eight highest = all(range.highest);
    const eight wanted = all(but);
    eight number = _mm512_add_epi64(first_numbers(), all(start / group_slots * group_slots + 1));
    eight found = _mm512_setzero_si512();
    for (unsigned group = start / group_slots; group * group_slots < end; ++group) {
        // Slots behind the last are in a bin that no page has, and so behind the range.
        const eight some = positions.read(group);
        const __mmask8 within = _mm512_mask_cmple_epu64_mask(_mm512_cmpge_epu64_mask(some, lowest), some, highest);
        const __mmask8 same = _mm512_cmpeq_epu64_mask(some, wanted);
        found = _mm512_mask_mov_epi64(found, same, number);
        number = _mm512_add_epi64(number, all(group_slots));
        compare.add(make(some), static_cast<__mmask8>(within & ~same));
    }
    return static_cast<unsigned>(_mm512_reduce_max_epu64(found));
}

template <class Comparison>
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline page_removal
remove_comparing(page_to_change page, const hash_geometry& geometry, const hash_in_block& what,
                 line_mask& alone) noexcept {
    constexpr std::uint64_t nothing = ~std::uint64_t{0}; // no position
    std::uint64_t* const words = page.words;
    const unsigned width = geometry.slot_bits();
    const unsigned bin = what.place.bin_in_page();
    Comparison compare(what.pattern);
    const unsigned slot = compare_page(compare, {words, nullptr, what.place.page()}, geometry, what.range,
                                       std::uint64_t{bin} << width | what.place.remainder);
    if (slot == 0) return page_removal::absent;
    if (what.neighbour.words != nullptr)
        (void)compare_page(compare, what.neighbour, geometry, what.neighbour_range, nothing);
    compare.alone(what.pattern, alone);
    erase_bits(words, geometry.page_lines(), header_bits + (slot - 1) * width, width);
    words[0] -= std::uint64_t{1} << (8 * bin);
    return page_removal::removed;
}

} // namespace

EVERBLOOM_WIDE_PAGES page_removal remove_from_page(page_to_change page, const hash_geometry& geometry,
                                                   const hash_in_block& what, line_mask& alone) noexcept {
    if (page.words[1] != 0 || (what.neighbour.words != nullptr && what.neighbour.words[1] != 0)) [[unlikely]]
        return page_removal::unknown;
    return what.pattern.hashes <= lanes ? remove_comparing<pattern_comparison>(page, geometry, what, alone)
                                        : remove_comparing<long_pattern_comparison>(page, geometry, what, alone);
}

} // namespace everbloom::kernel::wide
#endif
