// Removing hashes from pages of stored hashes with AVX-512, and finding out which bits of their patterns no other hash of their blocks has.
//
// One pass over the slots of the bins in which hashes of the block can be does both: it finds the hash itself, and compares the patterns
// of all others. Then the slot is taken out, when the next hash has been looked for. One block in four lies in two pages. Two groups of slots are
// looked at in a round, even if the second is not needed: fewer loops end where the processor does not expect it.
#include "elastic_page_wide_hashes.hpp"
#include "elastic_page_wide_patterns.hpp"
#include "elastic_page_wide_shift.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {
namespace {

constexpr std::uint64_t no_position = ~std::uint64_t{0};

/// What all pages of a geometry share.
struct page_constants {
    page_constants() noexcept = default;
    EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] explicit page_constants(const hash_geometry& geometry) noexcept
        : slots(geometry), scale(geometry), lines(geometry.page_lines()) {}

    position_reading slots;
    unit_scale scale;
    std::uint64_t lines;
};

/// Adds the hashes of a page in a range of positions to a comparison, but not the one at the position `but`. Returns the slot of that one,
/// counted from 1, in each byte of a word, or zero.
template <class Comparison>
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline eight
compare_page(Comparison& compare, const page_constants& constants, const std::uint64_t* words, std::uint64_t index,
             const position_range& range, std::uint64_t but) noexcept {
    const unsigned width = constants.slots.width;
    const std::uint64_t ends = words[0] * 0x0101010101010101;
    const auto start = static_cast<unsigned>((ends << 8) >> (8 * (range.lowest >> width)) & 0xff);
    const auto end = static_cast<unsigned>(ends >> (8 * (range.highest >> width)) & 0xff);
    const unit_maker make(constants.scale, index);
    position_reader positions(constants.slots, words, ends, start / group_slots);
    const eight lowest = all(range.lowest);
    const eight most = all(range.highest - range.lowest);
    const eight wanted = all(but);
    eight found = _mm512_setzero_si512();
    const auto look_at_group = [&]() EVERBLOOM_WIDE_PAGES_LAMBDA {
        // Slots behind the last are in a bin that no page has, and so behind the range.
        const eight numbers = positions.numbers();
        const eight some = positions.next();
        const __mmask8 others = _mm512_cmpneq_epu64_mask(some, wanted);
        found = _mm512_mask_blend_epi64(others, numbers, found);
        compare.add(make(some), _mm512_mask_cmple_epu64_mask(others, _mm512_sub_epi64(some, lowest), most));
    };
    for (unsigned first = start / group_slots * group_slots; first < end; first += 2 * group_slots) {
        look_at_group();
        look_at_group();
    }
    return found;
}
/// The lowest byte of the one word that is not zero.
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline unsigned only_byte(eight words) noexcept {
    const eight first = _mm512_maskz_compress_epi64(_mm512_test_epi64_mask(words, words), words);
    return static_cast<unsigned>(_mm_cvtsi128_si32(_mm512_castsi512_si128(first))) & 0xff;
}

/// A hash that has been looked for, and compared with the others of its block.
template <class Comparison>
struct searched_hash {
    const hash_in_block* what = nullptr; // null: none
    eight found;
    Comparison compare;
};

template <class Comparison>
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline searched_hash<Comparison>
search(const page_constants& constants, const hash_in_block& what, unsigned hashes) noexcept {
    searched_hash<Comparison> made{&what, {}, Comparison({what.seed, hashes})};
    made.found = compare_page(made.compare, constants, what.page, what.index, what.range, what.position);
    if (what.neighbour != what.page)
        (void)compare_page(made.compare, constants, what.neighbour, what.neighbour_index, what.neighbour_range,
                           no_position);
    return made;
}
/// Takes it out. Whether it was there.
template <class Comparison>
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline bool
take_out(const page_constants& constants, const searched_hash<Comparison>& one, unsigned hashes) noexcept {
    const hash_in_block& what = *one.what;
    const unsigned slot = only_byte(one.found);
    if (slot == 0) [[unlikely]]
        return false;
    const unsigned width = constants.slots.width;
    const eight kept = _mm512_andnot_si512(one.compare.alone({what.seed, hashes}), _mm512_loadu_si512(what.block));
    _mm512_storeu_si512(what.block, kept);
    erase_bits(what.page, constants.lines, header_bits + (slot - 1) * width, width);
    what.page[0] -= std::uint64_t{1} << (8 * (what.position >> width));
    return true;
}

/// Adds the hashes of a page in a range of positions to a comparison, but not the one at the position `but`; of a page that may continue in an
/// overflow page. False if it cannot.
template <class Comparison>
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline bool
compare_parts(Comparison& compare, const page_to_read& page, const hash_geometry& geometry, const position_range& range,
              std::uint64_t but) noexcept {
    const page_parts parts(page, geometry);
    if (!parts.known) return false;
    const std::uint64_t counts = page.words[0];
    const unsigned slots = geometry.slots();
    const unit_maker make(geometry, page.index);
    const auto add = [&](const slot_positions& positions, unsigned from, unsigned end) EVERBLOOM_WIDE_PAGES_LAMBDA {
        for (unsigned group = from / group_slots; group * group_slots < end; ++group) {
            const eight some = positions.read(group);
            __mmask8 others = _mm512_mask_cmpneq_epu64_mask(
                static_cast<__mmask8>(_bzhi_u32(0xff, std::min(end - group * group_slots, group_slots))), some,
                all(but));
            others = _mm512_mask_cmpge_epu64_mask(others, some, all(range.lowest));
            compare.add(make(some), _mm512_mask_cmple_epu64_mask(others, some, all(range.highest)));
        }
    };
    const unsigned width = geometry.slot_bits();
    const unsigned start = bin_slots(counts, static_cast<unsigned>(range.lowest >> width)).start;
    const unsigned end = bin_slots(counts, static_cast<unsigned>(range.highest >> width)).end;
    if (start < slots) add({page.words, geometry, counts, 0}, start, std::min(end, slots));
    if (end > slots) add({parts.more, geometry, counts, slots}, std::max(start, slots) - slots, end - slots);
    return true;
}
/// Takes a hash out, where its page or the neighbour continues in an overflow page. False, and nothing is changed, if it is not there or if that
/// cannot be done.
template <class Comparison>
EVERBLOOM_WIDE_PAGES [[gnu::noinline]] bool remove_with_overflow(const removal_setting& setting,
                                                                 const hash_in_block& what) noexcept {
    const hash_geometry& geometry = *setting.geometries[what.side];
    std::uint64_t* const overflow = setting.overflow[what.side];
    const lane_pattern pattern{what.seed, setting.hashes};
    Comparison compare(pattern);
    if (!compare_parts(compare, {what.page, overflow, what.index}, geometry, what.range, what.position)) return false;
    if (what.neighbour != what.page && !compare_parts(compare, {what.neighbour, overflow, what.neighbour_index},
                                                      geometry, what.neighbour_range, no_position))
        return false;
    const unsigned width = geometry.slot_bits();
    if (!erase_from_page({what.page, overflow}, geometry, static_cast<unsigned>(what.position >> width),
                         what.position & low_mask(width)))
        return false;
    _mm512_storeu_si512(what.block, _mm512_andnot_si512(compare.alone(pattern), _mm512_loadu_si512(what.block)));
    return true;
}

/// A hash is taken out when the next one has been looked for, so that the processor need not wait for its slot; unless both have to do with
/// one page.
template <class Comparison>
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline std::size_t
remove_some(const removal_setting& setting, std::span<const hash_in_block> some, std::uint8_t* removed) noexcept {
    std::array<page_constants, 2> constants;
    constants[0] = page_constants(*setting.geometries[0]);
    if (setting.geometries[1] != nullptr) constants[1] = page_constants(*setting.geometries[1]);
    searched_hash<Comparison> waiting{nullptr, {}, Comparison({0, setting.hashes})};
    const auto take_out_waiting = [&]() EVERBLOOM_WIDE_PAGES_LAMBDA {
        removed[waiting.what - some.data()] = take_out(constants[waiting.what->side], waiting, setting.hashes) ? 1 : 0;
    };
    std::size_t i = 0;
    for (; i < some.size(); ++i) {
        const hash_in_block& what = some[i];
        if (!has_usual_pages(what)) [[unlikely]] {
            if (waiting.what != nullptr) take_out_waiting();
            waiting.what = nullptr;
            if (what.is_simple == 0 || !remove_with_overflow<Comparison>(setting, what)) break;
            removed[i] = 1;
            continue;
        }
        if (waiting.what != nullptr && (what.page == waiting.what->page || what.neighbour == waiting.what->page))
            [[unlikely]] {
            take_out_waiting();
            waiting.what = nullptr;
        }
        const auto next = search<Comparison>(constants[what.side], what, setting.hashes);
        if (waiting.what != nullptr) [[likely]]
            take_out_waiting();
        waiting = next;
    }
    if (waiting.what != nullptr) take_out_waiting();
    return i;
}

} // namespace

EVERBLOOM_WIDE_PAGES std::size_t remove_from_pages(const removal_setting& setting, std::span<const hash_in_block> some,
                                                   std::uint8_t* removed) noexcept {
    if (setting.hashes == lanes) [[likely]]
        return remove_some<full_pattern_comparison>(setting, some, removed);
    return setting.hashes < lanes ? remove_some<pattern_comparison>(setting, some, removed)
                                  : remove_some<long_pattern_comparison>(setting, some, removed);
}

} // namespace everbloom::kernel::wide
#endif
