// Slots of a page of stored hashes with AVX2: one is found, put in and taken out.
#pragma once

#include "elastic_page_vectors.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel {

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

} // namespace everbloom::kernel
#endif
