// Removing a hash from a page of stored hashes with AVX2, and finding out which bits of its pattern no other hash of its block has.
#include "elastic_page_hashes.hpp"
#include "elastic_page_slots.hpp"

#include <everbloom/filter/kernel/line_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel {
namespace {

/// Those of the hashes at four positions that are in the range, but not the one at the position `but`.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void add_others(pattern_comparison& compare, const hash_maker& make,
                                                               words positions, words but) noexcept {
    const words counts = _mm256_andnot_si256(_mm256_cmpeq_epi64(positions, but), compare.within(positions));
    compare.add(make, positions, counts);
}

} // namespace

EVERBLOOM_MODERN page_removal remove_from_page(page_to_change page, const hash_geometry& geometry,
                                               const hash_in_block& what, const shared_lanes& shared,
                                               line_mask& alone) noexcept {
    std::uint64_t* const words_of_page = page.words;
    if (words_of_page[1] != 0) [[unlikely]]
        return page_removal::unknown;
    const std::uint64_t counts = words_of_page[0];
    const unsigned width = geometry.slot_bits();
    const unsigned own_bin = what.place.bin_in_page();
    const bin_slots own(counts, own_bin);
    const unsigned start = bin_slots(counts, static_cast<unsigned>(what.range.lowest >> width)).start;
    const unsigned end = bin_slots(counts, static_cast<unsigned>(what.range.highest >> width)).end;
    const slot_positions positions(words_of_page, width);
    if (end > positions.readable()) [[unlikely]]
        return page_removal::unknown;

    const packed_slots slots(words_of_page, width);
    const unsigned at = first_not_below(slots, own, what.place.remainder);
    if (at >= own.end || slots.get(at) != what.place.remainder) return page_removal::absent;

    const hash_maker make(geometry, what.place.page());
    pattern_comparison compare(what.pattern, what.range, geometry);
    const words wanted = all(std::uint64_t{own_bin} << width | what.place.remainder);
    for (unsigned group = start / group_slots; group * group_slots < end; ++group) {
        add_others(compare, make, positions.read<0>(group), wanted);
        add_others(compare, make, positions.read<1>(group), wanted);
    }
    shared_lanes all_shared = shared;
    compare.note(all_shared);
    unshared_avx2(alone, what.pattern.seed, what.pattern.hashes, all_shared);
    erase_bits(words_of_page, header_bits + at * width, (header_bits + own.used * width - 1) / 64, width,
               static_cast<unsigned>(geometry.page_words()));
    words_of_page[0] = counts - (std::uint64_t{1} << (8 * own_bin));
    return page_removal::removed;
}

} // namespace everbloom::kernel
#endif
