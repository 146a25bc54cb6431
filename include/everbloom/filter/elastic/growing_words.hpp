// Memory for the parts of an elastic filter that it grows into.
//
// A growth begins with empty bits and pages of the next size, and fills them while it moves: they are mapped and not touched, so that
// no insertion clears them all. The system provides what is written to. Up to 8 MiB that is 4 KiB at a time: as much as a processor
// can address without its tables, and no operation waits for 2 MiB. Larger parts have huge pages: without them queries of ten million
// keys take 1.7 times as long.
#pragma once

#include <everbloom/bits/heap_words.hpp>

#include <cstdint>

namespace everbloom {

/// Fewer are cleared at once.
inline constexpr std::uint64_t few_growing_lines = 1024; // 64 KiB
/// More are in huge pages.
inline constexpr std::uint64_t many_growing_lines = 4 * heap_words::huge_page_lines;

/// Zeroed words that cost nothing before they are used.
[[nodiscard]] inline result<heap_words> make_growing_words(std::uint64_t lines) {
    const bool by_small_pages =
        lines >= few_growing_lines && lines <= many_growing_lines && heap_words::has_huge_pages();
    return by_small_pages ? heap_words::make_mapped(lines) : heap_words::make(lines);
}

} // namespace everbloom
