// Changes of one page of stored hashes: a slot is found, put in and taken out with vectors.
#include "elastic_page_vectors.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel {
namespace {

/// The first slot of the bin that is not below the remainder. Remainders are spread evenly: sixteen slots around the place that its value
/// tells are looked at together, and hardly ever any others.
EVERBLOOM_MODERN [[gnu::always_inline]] inline unsigned first_not_below(const packed_slots& slots, const bin_slots& bin,
                                                                        std::uint64_t remainder) noexcept {
    const unsigned count = bin.end - bin.start;
    const unsigned near = bin.start + static_cast<unsigned>(((remainder >> (slots.width - 20)) * count) >> 20);
    const unsigned group = std::min((std::max(near, 4U) - 4) / group_slots, slots.how.groups - 2);
    const words wanted = all(remainder);
    const words mask = all(low_mask(slots.width));
    const unsigned below = sign_bits(_mm256_cmpgt_epi64(wanted, slots.half<0>(group, mask))) |
                           sign_bits(_mm256_cmpgt_epi64(wanted, slots.half<1>(group, mask))) << 4 |
                           sign_bits(_mm256_cmpgt_epi64(wanted, slots.half<0>(group + 1, mask))) << 8 |
                           sign_bits(_mm256_cmpgt_epi64(wanted, slots.half<1>(group + 1, mask))) << 12;
    const unsigned first = std::max(group * group_slots, bin.start);
    const unsigned end = std::min((group + 2) * group_slots, bin.end);
    if (first >= end) { // an empty bin, or one at the very end of a page
        unsigned at = bin.start;
        while (at < bin.end && slots.get(at) < remainder) ++at;
        return at;
    }
    unsigned at =
        first + static_cast<unsigned>(_mm_popcnt_u32(_bzhi_u32(below >> (first - group * group_slots), end - first)));
    if ((at == first && first != bin.start) || (at == end && end != bin.end)) [[unlikely]] {
        while (at > bin.start && slots.get(at - 1) >= remainder) --at;
        while (at < bin.end && slots.get(at) < remainder) ++at;
    }
    return at;
}

/// Whether a bin must be left to hash_page: there is an overflow page, or a hash with a second copy.
[[nodiscard, gnu::always_inline]] inline bool is_unusual(std::uint64_t second_word, unsigned bin) noexcept {
    using page = hash_page<const std::uint64_t>;
    return (second_word & (low_mask(page::link_bits) | std::uint64_t{1} << (page::link_bits + bin))) != 0;
}

/// Moves the bits from `bit` on up by the width of a slot, and puts a slot there; `last` is the last word in use after that.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void insert_bits(std::uint64_t* page, unsigned bit, unsigned last,
                                                                unsigned width, std::uint64_t value) noexcept {
    const unsigned word = bit / 64;
    const unsigned lead = bit % 64;
    const std::uint64_t before = page[word - 1];
    const std::uint64_t here = page[word];
    const std::uint64_t next = page[word + 1];
    const __m128i up = by(width);
    const __m128i down = by(64 - width);
    // From the top; the last step may go up to three words too far down, which are set again below.
    for (auto at = static_cast<int>(last); at >= static_cast<int>(word) + 2; at -= 4) {
        std::uint64_t* const to = page + at - 3;
        const words high = load(to);
        const words low = load(to - 1);
        store(to, _mm256_or_si256(_mm256_sll_epi64(high, up), _mm256_srl_epi64(low, down)));
    }
    const std::uint64_t stays = _bzhi_u64(here, lead);
    const std::uint64_t moves = here ^ stays;
    page[word - 1] = before;
    page[word] = stays | value << lead | moves << width;
    page[word + 1] = next << width | moves >> (64 - width) | value >> 1 >> (63 - lead);
}

/// Takes the slot at `bit` out and moves the bits behind it down; `last` is the last word in use before.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void erase_bits(std::uint64_t* page, unsigned bit, unsigned last,
                                                               unsigned width, unsigned page_words) noexcept {
    const unsigned word = bit / 64;
    const unsigned lead = bit % 64;
    const std::uint64_t here = page[word];
    const std::uint64_t moved = here >> width | page[word + 1] << (64 - width);
    const __m128i down = by(width);
    const __m128i up = by(64 - width);
    unsigned at = word + 1;
    for (; at <= last && at + 4 < page_words; at += 4) {
        const words low = load(page + at);
        const words high = load(page + at + 1);
        store(page + at, _mm256_or_si256(_mm256_srl_epi64(low, down), _mm256_sll_epi64(high, up)));
    }
    for (; at <= last; ++at) {
        const std::uint64_t high = at + 1 < page_words ? page[at + 1] << (64 - width) : 0;
        page[at] = page[at] >> width | high;
    }
    const std::uint64_t stays = _bzhi_u64(here, lead);
    page[word] = stays | (moved >> lead) << lead;
}

} // namespace

EVERBLOOM_MODERN bool insert_into_page(page_to_change where, const hash_geometry& geometry, unsigned bin,
                                       std::uint64_t remainder) noexcept {
    std::uint64_t* const page = where.words;
    const std::uint64_t counts = page[0];
    const bin_slots here(counts, bin);
    const unsigned width = geometry.slot_bits();
    if (is_unusual(page[1], bin) || here.used >= geometry.slots()) [[unlikely]]
        return false;
    const packed_slots slots(page, width);
    const unsigned at = first_not_below(slots, here, remainder);
    if (at < here.end && slots.get(at) == remainder) [[unlikely]]
        return false;
    insert_bits(page, header_bits + at * width, (header_bits + (here.used + 1) * width - 1) / 64, width, remainder);
    page[0] = counts + (std::uint64_t{1} << (8 * bin));
    return true;
}

EVERBLOOM_MODERN bool erase_from_page(page_to_change where, const hash_geometry& geometry, unsigned bin,
                                      std::uint64_t remainder) noexcept {
    std::uint64_t* const page = where.words;
    const std::uint64_t counts = page[0];
    const bin_slots here(counts, bin);
    const unsigned width = geometry.slot_bits();
    if (is_unusual(page[1], bin)) [[unlikely]]
        return false;
    const packed_slots slots(page, width);
    const unsigned at = first_not_below(slots, here, remainder);
    if (at >= here.end || slots.get(at) != remainder) [[unlikely]]
        return false;
    erase_bits(page, header_bits + at * width, (header_bits + here.used * width - 1) / 64, width,
               static_cast<unsigned>(geometry.page_words()));
    page[0] = counts - (std::uint64_t{1} << (8 * bin));
    return true;
}

EVERBLOOM_MODERN page_answer find_in_page(const std::uint64_t* page, const hash_geometry& geometry, unsigned bin,
                                          std::uint64_t remainder) noexcept {
    const bin_slots here(page[0], bin);
    if (is_unusual(page[1], bin)) [[unlikely]]
        return page_answer::unknown;
    const packed_slots slots(page, geometry.slot_bits());
    const unsigned at = first_not_below(slots, here, remainder);
    return at < here.end && slots.get(at) == remainder ? page_answer::present : page_answer::absent;
}

EVERBLOOM_MODERN std::size_t append_to_page(std::uint64_t* page, const hash_geometry& geometry, std::uint64_t index,
                                            std::span<const std::uint64_t> hashes) noexcept {
    using one_page = hash_page<const std::uint64_t>;
    if (one_page::link(page) != 0) [[unlikely]]
        return 0;
    const unsigned width = geometry.slot_bits();
    const std::uint64_t bins = geometry.bins();
    std::uint64_t counts = page[0];
    const unsigned used = bin_slots(counts, 0).used;
    const std::size_t most = std::min<std::size_t>(hashes.size(), geometry.slots() - used);
    auto* at = reinterpret_cast<std::uint8_t*>(page + hash_geometry::header_words) + used * width / 8;
    unsigned lead = used * width % 8;
    std::uint64_t pending = _bzhi_u64(*at, lead);
    std::size_t done = 0;
    for (; done < most; ++done) {
        const wide_product product = multiply_wide(hashes[done], bins);
        if (product.high / hash_geometry::page_bins != index) break;
        counts += std::uint64_t{1} << (8 * (product.high % hash_geometry::page_bins));
        pending |= product.low >> (64 - width) << lead;
        std::memcpy(at, &pending, sizeof pending);
        lead += width;
        at += lead / 8;
        pending >>= lead / 8 * 8;
        lead %= 8;
    }
    page[0] = counts;
    return done;
}

} // namespace everbloom::kernel
#endif
