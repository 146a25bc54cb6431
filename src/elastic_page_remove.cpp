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

/// The same for the hashes of a page in a range of positions. False if they cannot be read so.
EVERBLOOM_MODERN [[gnu::always_inline]] inline bool compare_page(pattern_comparison& compare, const page_to_read& page,
                                                                 const hash_geometry& geometry,
                                                                 const position_range& range,
                                                                 std::uint64_t but) noexcept {
    const unsigned width = geometry.slot_bits();
    const std::uint64_t counts = page.words[0];
    const unsigned start = bin_slots(counts, static_cast<unsigned>(range.lowest >> width)).start;
    const unsigned end = bin_slots(counts, static_cast<unsigned>(range.highest >> width)).end;
    const slot_positions positions(page.words, width);
    if (end > positions.readable()) [[unlikely]]
        return false;
    const hash_maker make(geometry, page.index);
    compare.look_in(range);
    for (unsigned group = start / group_slots; group * group_slots < end; ++group) {
        add_others(compare, make, positions.read<0>(group), all(but));
        add_others(compare, make, positions.read<1>(group), all(but));
    }
    return true;
}

} // namespace

EVERBLOOM_MODERN page_removal remove_from_page(page_to_change page, const hash_geometry& geometry,
                                               const hash_in_block& what, line_mask& alone) noexcept {
    constexpr std::uint64_t nothing = low_mask(63); // no position
    std::uint64_t* const slot_words = page.words;
    const bool has_neighbour = what.neighbour.words != nullptr;
    if (slot_words[1] != 0 || (has_neighbour && what.neighbour.words[1] != 0) || what.pattern.hashes > lanes)
        [[unlikely]]
        return page_removal::unknown;
    const unsigned width = geometry.slot_bits();
    const unsigned bin = what.place.bin_in_page();
    const bin_slots own(slot_words[0], bin);
    const packed_slots slots(slot_words, width);
    const unsigned at = first_not_below(slots, own, what.place.remainder);
    if (at >= own.end || slots.get(at) != what.place.remainder) return page_removal::absent;

    pattern_comparison compare(what.pattern, what.range, geometry);
    if (!compare_page(compare, {slot_words, nullptr, what.place.page()}, geometry, what.range,
                      std::uint64_t{bin} << width | what.place.remainder) ||
        (has_neighbour && !compare_page(compare, what.neighbour, geometry, what.neighbour_range, nothing)))
        return page_removal::unknown;
    shared_lanes shared;
    compare.note(shared);
    alone = {};
    unshared_avx2(alone, what.pattern.seed, what.pattern.hashes, shared);
    erase_bits(slot_words, header_bits + at * width, (header_bits + own.used * width - 1) / 64, width,
               static_cast<unsigned>(geometry.page_words()));
    slot_words[0] -= std::uint64_t{1} << (8 * bin);
    return page_removal::removed;
}

} // namespace everbloom::kernel
#endif
