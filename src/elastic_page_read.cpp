// Pages of stored hashes, read as a whole: their hashes, and what the patterns of those of one block share with a pattern.
#include "elastic_page_hashes.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel {
namespace {

using page_positions = std::array<std::uint64_t, page_hash_room>;

/// Unpacks the slots [from, end), and some around them, each to its own index.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void unpack_words(const packed_slots& slots, unsigned from, unsigned end,
                                                                 std::uint64_t* made) noexcept {
    const words mask = all(low_mask(slots.width));
    unsigned group = from / group_slots;
    const unsigned groups = std::min((end + group_slots - 1) / group_slots, slots.how.groups);
    for (; group < groups; ++group) {
        store(made + group * group_slots, slots.half<0>(group, mask));
        store(made + group * group_slots + 4, slots.half<1>(group, mask));
    }
    for (unsigned slot = group * group_slots; slot < end; ++slot) made[slot] = slots.get(slot);
}

/// The positions of the slots of some bins, each at its own index and the four behind them above all positions, in a page that may continue
/// in an overflow page.
EVERBLOOM_MODERN [[gnu::noinline]] inline void unpack(const page_to_read& page, const hash_geometry& geometry,
                                                      unsigned first, unsigned last, page_positions& made) noexcept {
    const unsigned slots = geometry.slots();
    const unsigned width = geometry.slot_bits();
    const hash_page<const std::uint64_t> header(geometry, page.words, nullptr);
    const unsigned from = header.bin_start(first);
    const unsigned end = header.bin_start(last + 1);
    if (from < slots) unpack_words({page.words, width}, from, std::min(end, slots), made.data());
    if (end > slots) {
        const std::uint64_t* const more = page.overflow + (page.words[1] - 1) * geometry.page_words();
        unpack_words({more, width}, from < slots ? 0 : from - slots, end - slots, made.data() + slots);
    }
    unsigned at = from;
    for (unsigned bin = first; bin <= last; ++bin) {
        for (const unsigned next = at + header.bin_slots(bin); at < next; ++at) made[at] |= std::uint64_t{bin} << width;
    }
    for (unsigned i = 0; i < 4; ++i) made[end + i] = std::uint64_t{hash_geometry::page_bins} << width;
}
/// Whether a page can be read so: no copies, and one overflow page at most.
[[nodiscard, gnu::always_inline]] inline bool can_unpack(const page_to_read& page,
                                                         const hash_geometry& geometry) noexcept {
    const std::uint64_t link = page.words[1];
    if (link == 0) [[likely]]
        return true;
    return link <= low_mask(hash_page<const std::uint64_t>::link_bits) &&
           page.overflow[(link - 1) * geometry.page_words() + 1] == 0;
}

} // namespace

EVERBLOOM_MODERN page_hashes hashes_of_page(page_to_read page, const hash_geometry& geometry,
                                            std::uint64_t* hashes) noexcept {
    if (!can_unpack(page, geometry)) [[unlikely]]
        return {};
    const unsigned used = hash_page<const std::uint64_t>(geometry, page.words, nullptr).used_slots();
    const hash_maker make(geometry, page.index);
    const slot_positions positions(page.words, geometry.slot_bits());
    if (page.words[1] == 0 && used <= positions.readable()) [[likely]] {
        for (unsigned group = 0; group * group_slots < used; ++group) {
            store(hashes + group * group_slots, make(positions.read<0>(group)));
            store(hashes + group * group_slots + 4, make(positions.read<1>(group)));
        }
        return {true, used};
    }
    page_positions unpacked;
    unpack(page, geometry, 0, hash_geometry::page_bins - 1, unpacked);
    for (unsigned four = 0; four < used; four += 4) store(hashes + four, make(load(unpacked.data() + four)));
    return {true, used};
}

EVERBLOOM_MODERN bool note_shared_of_page(shared_lanes& shared, const lane_pattern& wanted, page_to_read page,
                                          const hash_geometry& geometry, const position_range& range) noexcept {
    if (!can_unpack(page, geometry)) [[unlikely]]
        return false;
    const unsigned width = geometry.slot_bits();
    const auto first = static_cast<unsigned>(range.lowest >> width);
    const auto last = static_cast<unsigned>(range.highest >> width);
    const hash_page<const std::uint64_t> header(geometry, page.words, nullptr);
    const unsigned start = header.bin_start(first);
    const unsigned end = header.bin_start(last + 1);
    const hash_maker make(geometry, page.index);
    pattern_comparison compare(wanted, range, geometry);
    const slot_positions positions(page.words, width);
    if (page.words[1] == 0 && end <= positions.readable()) [[likely]] {
        for (unsigned group = start / group_slots; group * group_slots < end; ++group) {
            compare.add(make, positions.read<0>(group));
            compare.add(make, positions.read<1>(group));
        }
    } else {
        page_positions unpacked;
        unpack(page, geometry, first, last, unpacked);
        for (unsigned four = start; four < end; four += 4) compare.add(make, load(unpacked.data() + four));
    }
    compare.note(shared);
    return true;
}

} // namespace everbloom::kernel
#endif
