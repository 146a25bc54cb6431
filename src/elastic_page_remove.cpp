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

/// Whether the hash was there. Nothing is changed if `known` becomes false.
EVERBLOOM_MODERN [[gnu::always_inline]] inline bool remove_one(const hash_geometry& geometry, const hash_in_block& what,
                                                               unsigned hashes, bool& known) noexcept {
    constexpr std::uint64_t nothing = low_mask(63); // no position
    std::uint64_t* const words = what.page;
    const unsigned width = geometry.slot_bits();
    const auto bin = static_cast<unsigned>(what.position >> width);
    const std::uint64_t remainder = what.position & low_mask(width);
    const bin_slots own(words[0], bin);
    const packed_slots slots(words, width);
    const unsigned at = first_not_below(slots, own, remainder);
    if (at >= own.end || slots.get(at) != remainder) return false;

    pattern_comparison compare({what.seed, hashes}, what.range, geometry);
    known = compare_page(compare, {words, nullptr, what.index}, geometry, what.range, what.position) &&
            (what.neighbour == words || compare_page(compare, {what.neighbour, nullptr, what.neighbour_index}, geometry,
                                                     what.neighbour_range, nothing));
    if (!known) [[unlikely]]
        return false;
    shared_lanes shared;
    compare.note(shared);
    alignas(line_bytes) line_mask alone{};
    unshared_avx2(alone, what.seed, hashes, shared);
    for (unsigned i = 0; i < line_words; ++i) what.block[i] &= ~alone[i];
    erase_bits(words, header_bits + at * width, (header_bits + own.used * width - 1) / 64, width,
               static_cast<unsigned>(geometry.page_words()));
    words[0] -= std::uint64_t{1} << (8 * bin);
    return true;
}

} // namespace

EVERBLOOM_MODERN std::size_t remove_from_pages(const removal_setting& setting, std::span<const hash_in_block> some,
                                               std::uint8_t* removed) noexcept {
    if (setting.hashes > lanes) return 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
        const hash_in_block& what = some[i];
        bool known = has_usual_pages(what);
        if (known) [[likely]]
            removed[i] = remove_one(*setting.geometries[what.side], what, setting.hashes, known) ? 1 : 0;
        if (!known) [[unlikely]]
            return i;
    }
    return some.size();
}

} // namespace everbloom::kernel
#endif
