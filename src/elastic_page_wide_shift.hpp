// Opening and closing a gap of one slot in a page of stored hashes with AVX-512.
//
// All words of the page go through registers, whether they move or not: each takes the bits that come to it from its neighbour, and a
// comparison with the number of the word where the gap is chooses those that are written. So the loop has as many rounds as the page has cache
// lines, for every slot, and the processor never guesses its end wrong; that would cost more than the work that is saved.
#pragma once

#include "elastic_page_wide.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {

/// The numbers of the eight words of a cache line, counted from its first.
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline eight first_numbers() noexcept {
    return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
}

/// Moves the bits from `bit` on up by the width of a slot, and puts a slot there. What is moved out of the page must be zero.
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline void
insert_bits(std::uint64_t* page, std::uint64_t lines, unsigned bit, unsigned width, std::uint64_t value) noexcept {
    const unsigned word = bit / 64;
    const unsigned lead = bit % 64;
    const bool is_last = word + 1 == lines * line_words;
    const std::uint64_t here = page[word];
    const std::uint64_t next = is_last ? 0 : page[word + 1];
    const eight up = all(width);
    // Relative to the line of the round, so that one register does for all of them.
    eight gap = all(word - (lines - 1) * line_words);
    std::uint64_t* line = page + (lines - 1) * line_words;
    eight high = _mm512_loadu_si512(line);
    for (std::uint64_t left = lines - 1; left > 0; --left, line -= line_words) {
        const eight below = _mm512_loadu_si512(line - line_words);
        const eight low = _mm512_alignr_epi64(high, below, 7);
        _mm512_mask_storeu_epi64(line, _mm512_cmpgt_epi64_mask(first_numbers(), gap),
                                 _mm512_shldv_epi64(high, low, up));
        high = below;
        gap = _mm512_add_epi64(gap, all(line_words));
    }
    const eight low = _mm512_alignr_epi64(high, _mm512_setzero_si512(), 7);
    _mm512_mask_storeu_epi64(line, _mm512_cmpgt_epi64_mask(first_numbers(), gap), _mm512_shldv_epi64(high, low, up));
    const std::uint64_t stays = _bzhi_u64(here, lead);
    const std::uint64_t moves = here ^ stays;
    page[word] = stays | value << lead | moves << width;
    // Again, because the bits in front of the gap do not move.
    if (!is_last) [[likely]]
        page[word + 1] = next << width | moves >> (64 - width) | value >> 1 >> (63 - lead);
}

/// Takes the slot at `bit` out and moves the bits behind it down.
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline void erase_bits(std::uint64_t* page, std::uint64_t lines,
                                                                   unsigned bit, unsigned width) noexcept {
    const unsigned word = bit / 64;
    const unsigned lead = bit % 64;
    const std::uint64_t here = page[word];
    const std::uint64_t next = word + 1 == lines * line_words ? 0 : page[word + 1];
    const eight down = all(width);
    eight gap = all(word);
    std::uint64_t* line = page;
    eight low = _mm512_loadu_si512(line);
    for (std::uint64_t left = lines - 1; left > 0; --left, line += line_words) {
        const eight above = _mm512_loadu_si512(line + line_words);
        const eight high = _mm512_alignr_epi64(above, low, 1);
        _mm512_mask_storeu_epi64(line, _mm512_cmpgt_epi64_mask(first_numbers(), gap),
                                 _mm512_shrdv_epi64(low, high, down));
        low = above;
        gap = _mm512_sub_epi64(gap, all(line_words));
    }
    const eight high = _mm512_alignr_epi64(_mm512_setzero_si512(), low, 1);
    _mm512_mask_storeu_epi64(line, _mm512_cmpgt_epi64_mask(first_numbers(), gap), _mm512_shrdv_epi64(low, high, down));
    const std::uint64_t moved = here >> width | next << (64 - width);
    page[word] = _bzhi_u64(here, lead) | (moved >> lead) << lead;
}

} // namespace everbloom::kernel::wide
#endif
