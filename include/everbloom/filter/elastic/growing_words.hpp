// Memory for the parts of an elastic filter that it grows into.
//
// A growth begins with empty bits and pages of the next size, and fills them while it moves: they are mapped and not touched, so that
// no insertion clears them all. The system is asked for what is needed next, 64 KiB at a time. It would rather give 2 MiB, a huge page, when
// the first byte of it is touched, and clear it while that one insertion waits: a quarter of a millisecond, and milliseconds in a virtual
// machine that has to get the memory from its host. So parts are filled in pages of the usual size. Where 2 MiB are full the system may make
// a huge page of them, which it does by and by (queries of ten million keys are 1.7 times as fast with them).
#pragma once

#include <everbloom/bits/heap_words.hpp>

#include <algorithm>
#include <cstdint>

namespace everbloom {

/// Fewer are cleared at once.
inline constexpr std::uint64_t few_growing_lines = 1024; // 64 KiB

/// Zeroed words that cost nothing before they are used.
[[nodiscard]] inline result<heap_words> make_growing_words(std::uint64_t lines) {
    const bool by_small_pages = lines >= few_growing_lines && heap_words::has_huge_pages();
    return by_small_pages ? heap_words::make_mapped(lines) : heap_words::make(lines);
}

/// How far the memory of words that are filled from the first to the last has been asked for.
class growing_mark {
public:
    /// Before words up to `end` are written to for the first time.
    void reach(heap_words& words, std::uint64_t end) noexcept {
        if (end > asked_) [[unlikely]]
            ask(words, end);
    }

    /// The first words are there already: a file was opened in the middle of a growth.
    void begin_with(std::uint64_t words) noexcept { asked_ = words; }

    /// The words that take memory, of a part that a growth is filling.
    [[nodiscard]] std::uint64_t reached_words(const heap_words& words) const noexcept {
        return words.is_mapped() ? std::min(asked_, words.words()) : words.words();
    }

private:
    static constexpr std::uint64_t step = few_growing_lines * line_words;

    [[gnu::noinline]] void ask(heap_words& words, std::uint64_t end) noexcept {
        asked_ = std::max(asked_, (end - 1) / step * step);
        words.provide(asked_, std::min(asked_ + step, words.words()));
        asked_ += step;
    }

    std::uint64_t asked_ = 0;
};

} // namespace everbloom
