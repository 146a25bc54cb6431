// Memory for the parts of an elastic filter that it grows into.
//
// A growth begins with empty bits and pages of the next size, and fills them while it moves. Where it can, it fills the memory that it empties:
// words of the next size end where those of this size end, and begin before them.
//
//      this size                     | moved already | still to be moved            |
//      next size     | filled                 | not yet |                           |
//                    ^ new memory    ^ cleared when it is reached
//
// What is filled stays behind what is to be moved: both are in the order of hashes, and the next size has more to fill than there is to move.
// So only as much memory is asked for as the filter grows by. Address space for that is set aside when words are mapped (`make_mapped` with room);
// when it is used up, the next size gets words of its own, and the memory of what has moved goes back to the system bit by bit.
//
// New memory is mapped and not touched, so that no insertion clears it all. The system is asked for what is needed next, 64 KiB at a time. It would
// rather give 2 MiB, a huge page, when the first byte of it is touched, and clear it while that one insertion waits: a quarter of a millisecond,
// and milliseconds in a virtual machine that has to get the memory from its host. So parts are filled in pages of the usual size. Where 2 MiB are
// full the system may make a huge page of them, which it does by and by (queries of ten million keys are 1.7 times as fast with them).
#pragma once

#include <everbloom/bits/heap_words.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace everbloom {

/// Fewer are cleared at once.
inline constexpr std::uint64_t few_growing_lines = 1024; // 64 KiB

/// Zeroed words that cost nothing before they are used; with `room`, for ten growths by 0.3 in the same memory, or more if they are few.
[[nodiscard]] inline result<heap_words> make_growing_words(std::uint64_t lines, bool room = false) {
    constexpr std::uint64_t least_room = std::uint64_t{1} << 20; // lines: 64 MiB
    const bool by_small_pages = lines >= few_growing_lines && heap_words::has_huge_pages();
    if (!by_small_pages) return heap_words::make(lines);
    const bool has_addresses = sizeof(void*) > 4;
    return heap_words::make_mapped(lines, room && has_addresses ? std::max(least_room, 15 * lines) : 0);
}

/// How many words of the next size begin before those of this size, if they can lie over them: `apart` words are enough to keep what is filled in
/// one step from what is still to be moved.
[[nodiscard]] inline std::optional<std::uint64_t> open_growth_in_place(heap_words& words, std::uint64_t wanted,
                                                                       std::uint64_t apart) noexcept {
    // What lies behind the end stays unused: no more than a few per cent.
    if (wanted < words.words() || 32 * (words.spent_words() + apart) > wanted) return std::nullopt;
    const std::uint64_t before = wanted + apart - words.words();
    if (!words.open_before(before)) return std::nullopt;
    return before;
}

/// How far words that are filled from the first to the last have memory, and are zero.
class growing_mark {
public:
    growing_mark() noexcept = default;
    /// The words from `new_words` on are those of the size before.
    explicit growing_mark(std::uint64_t new_words) noexcept : new_words_(new_words) {}

    /// Before words up to `end` are written to for the first time. The first `left` words of the size before are not needed any more: that is
    /// enough for `end`, where one size lies over the other.
    void reach(heap_words& words, std::uint64_t end, std::uint64_t left) noexcept {
        if (end > asked_) [[unlikely]]
            ask(words, end, left);
    }

    /// The first words are there already: a file was opened in the middle of a growth.
    void begin_with(std::uint64_t words) noexcept { asked_ = words; }

    /// The words that take memory, of a part that a growth is filling, without those of the size before.
    [[nodiscard]] std::uint64_t reached_words(const heap_words& words) const noexcept {
        return words.is_mapped() ? std::min({asked_, new_words_, words.words()}) : words.words();
    }

private:
    static constexpr std::uint64_t step = few_growing_lines * line_words;

    [[gnu::noinline]] void ask(heap_words& words, std::uint64_t end, std::uint64_t left) noexcept {
        if (asked_ < new_words_) {
            const std::uint64_t most = std::min(new_words_, words.words());
            asked_ = std::min(std::max(asked_, (end - 1) / step * step), most);
            const std::uint64_t to = std::min(asked_ + step, most);
            words.provide(asked_, to, to == new_words_ ? words.words() : 0);
            asked_ = to == most ? most : asked_ + step;
        }
        if (asked_ < new_words_ || end <= asked_) return;
        const std::uint64_t to = std::min({std::max(end, asked_ + step), new_words_ + left, words.words()});
        std::memset(words.data() + asked_, 0, static_cast<std::size_t>(to - asked_) * sizeof(std::uint64_t));
        asked_ = to;
    }

    std::uint64_t asked_ = 0;
    std::uint64_t new_words_ = ~std::uint64_t{0};
};

} // namespace everbloom
