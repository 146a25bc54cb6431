// chunked_words: owned memory that grows and shrinks by pieces, for kinds that split and unite one line at a time.
//
// One block would have to be copied when it grows, the longer the larger it is. Here lines lie in units of 256 KiB, and an array of
// their addresses says where: `units()[line >> unit_bits] + (line & (unit_lines - 1)) * line_words`. More lines are another unit, fewer
// lines one less; no operation moves more than one unit. The last unit may be shorter than the others, so that small filters take no
// more than they need; it is the only memory that is ever copied.
//
// Where a host brings memory of its own (memory_hook.hpp), every unit is a block of it. Otherwise stores that are made with 2 MiB or more
// are in huge pages, and those that grow beyond that get ranges in which the system can make huge pages later: to have one at once would
// mean to touch 2 MiB in one operation. For the same reason new lines are not set to zero.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/word_pieces.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace everbloom {

class chunked_words {
public:
    static constexpr unsigned unit_bits = 12; // of a line's number
    static constexpr std::uint64_t unit_lines = std::uint64_t{1} << unit_bits;

    chunked_words() noexcept = default;
    chunked_words(chunked_words&& other) noexcept
        : units_(std::move(other.units_)), blocks_(std::move(other.blocks_)), lines_(std::exchange(other.lines_, 0)) {}
    chunked_words& operator=(chunked_words&& other) noexcept {
        units_ = std::move(other.units_);
        blocks_ = std::move(other.blocks_);
        lines_ = std::exchange(other.lines_, 0);
        return *this;
    }
    chunked_words(const chunked_words&) = delete;
    chunked_words& operator=(const chunked_words&) = delete;
    ~chunked_words() = default;

    /// Words for `lines` cache lines, in units that can be given back. What is in them is not specified.
    [[nodiscard]] static result<chunked_words> make(std::uint64_t lines);
    /// In one block, for a section that never changes its size.
    [[nodiscard]] static result<chunked_words> make_whole(std::uint64_t lines);

    [[nodiscard]] result<chunked_words> copy() const;
    /// As one block: the only one, or a copy.
    [[nodiscard]] result<heap_words> whole() &&;

    /// Makes room for `lines` cache lines, at least the present size. After a failure there may be more room than before, but nothing else
    /// has changed.
    [[nodiscard]] result<void> extend(std::uint64_t lines);
    /// Gives back what is behind `lines` cache lines, where possible.
    void shrink(std::uint64_t lines) noexcept;

    /// Lets the host move its blocks.
    void relocate(const block_mover& mover) noexcept;

    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
    [[nodiscard]] std::uint64_t words() const noexcept { return lines_ * line_words; }
    /// Memory, with the addresses of the units.
    [[nodiscard]] std::uint64_t held_words() const noexcept;

    /// Are the units one behind the other?
    [[nodiscard]] bool is_one_piece() const noexcept { return blocks_.size() == 1; }
    [[nodiscard]] std::uint64_t* const* units() noexcept { return units_.data(); }
    [[nodiscard]] const std::uint64_t* const* units() const noexcept { return units_.data(); }
    /// The first `words` of them.
    [[nodiscard]] word_pieces pieces(std::uint64_t words) const noexcept {
        constexpr unsigned words_of_a_line = 3; // as bits
        return {units(), unit_bits + words_of_a_line, words};
    }
    [[nodiscard]] word_pieces pieces() const noexcept { return pieces(words()); }
    /// Calls `fill(span)` for all words, unit by unit, until one returns a failure.
    template <class Fill>
    [[nodiscard]] result<void> fill(Fill fill_unit) {
        for (std::uint64_t line = 0; line < lines_; line += unit_lines) {
            const std::uint64_t count = std::min(unit_lines, lines_ - line) * line_words;
            auto done = fill_unit(std::span(units_[line >> unit_bits], static_cast<std::size_t>(count)));
            if (!done) return done;
        }
        return {};
    }

private:
    struct block {
        heap_words words;
        std::uint64_t first_unit = 0;
    };

    [[nodiscard]] result<void> add_block(std::uint64_t lines);
    void reserve_units(std::uint64_t units);
    void take_block(heap_words words);
    void point_to_last_block();

    std::vector<std::uint64_t*> units_;
    std::vector<block> blocks_; // every one but the last has whole units
    std::uint64_t lines_ = 0;
};

/// The store for lines that come and go, of a filter over `Store`.
template <class Store>
struct growing_store {
    using type = Store;
};
template <>
struct growing_store<heap_words> {
    using type = chunked_words;
};

} // namespace everbloom
