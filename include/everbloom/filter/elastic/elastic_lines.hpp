// elastic_lines: the bits of an elastic blocked filter, in lines of 512, old and new ones while it grows.
//
// All that a query needs is here. The hash of a key is compared with the frontier: below it the new lines answer, otherwise the old
// ones. In both the line is chosen by the same hash, so a query is one memory access at any size and at any moment.
//
//      hashes in order   0 ........... frontier ............................ 2^64
//                        | new lines  | old lines                           |
//
// The pattern of a key within its line comes from its record alone: so the lines can be made anew from records.
#pragma once

#include <everbloom/bits/choose.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/filter/elastic/records/record_geometry.hpp>
#include <everbloom/filter/kernel/line_batch.hpp>

#include <array>
#include <cstring>
#include <span>

namespace everbloom {

/// From digests to records, and from a record to the hash behind its pattern.
struct elastic_records {
    std::uint64_t record_mask = 0;
    unsigned unused_bits = 0; // at the low end of a record

    explicit elastic_records(unsigned word_bits = 64) noexcept
        : record_mask(~low_mask(64 - word_bits)), unused_bits(64 - word_bits) {}

    [[nodiscard]] std::uint64_t record_of(digest item) const noexcept { return item.low & record_mask; }
    /// One multiplication by an odd number: the pattern is taken from the middle and the top of the product, which depend on
    /// all the bits that tell records of one line apart.
    [[nodiscard]] std::uint64_t hash_of_record(std::uint64_t record) const noexcept {
        return (record >> unused_bits) * 0x9e3779b97f4a7c15;
    }
    [[nodiscard]] std::uint64_t hash_of(digest item) const noexcept { return hash_of_record(item.low); }
};

/// What a query reads, as a value that a loop keeps in registers.
template <class Word>
struct elastic_line_view : elastic_records {
    static constexpr bool lines_are_costly = true;

    Word* now = nullptr; // where line 0 would be, even if the first lines are gone
    std::uint64_t now_lines = 0;
    Word* next = nullptr;
    std::uint64_t next_lines = 0;
    std::uint64_t frontier = 0;
    unsigned hashes = 0;

    [[nodiscard]] Word* line_of_record(std::uint64_t record) const noexcept {
        const bool moved = record < frontier;
        return choose(moved, next, now) + reduce(record, choose(moved, next_lines, now_lines)) * line_words;
    }
    [[nodiscard]] Word* line_of(digest item) const noexcept { return line_of_record(record_of(item)); }
};

/// The same for a filter at rest, which has no frontier to look at.
template <class Word>
struct resting_line_view : elastic_records {
    Word* now;
    std::uint64_t now_lines;
    unsigned hashes;

    explicit resting_line_view(const elastic_line_view<Word>& view) noexcept
        : elastic_records(view), now(view.now), now_lines(view.now_lines), hashes(view.hashes) {}

    [[nodiscard]] Word* line_of(digest item) const noexcept {
        return now + reduce(record_of(item), now_lines) * line_words;
    }
};

template <WordStore Store>
class elastic_lines {
public:
    elastic_lines() noexcept = default;
    /// `now` holds the lines from `first_line` on.
    elastic_lines(std::uint64_t lines, std::uint64_t first_line, Store now) noexcept
        : lines_(lines), width_(width_of(lines)), first_line_(first_line), now_(std::move(now)) {}

    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
    [[nodiscard]] std::uint64_t next_lines() const noexcept { return next_lines_; }

    [[nodiscard]] elastic_line_view<const std::uint64_t> view(std::uint64_t frontier, unsigned word_bits,
                                                              unsigned hashes) const noexcept {
        return {elastic_records(word_bits), zeroth(now_.data()), lines_, next_.data(), next_lines_, frontier, hashes};
    }
    /// The new line of a record, to be written.
    [[nodiscard]] std::uint64_t* new_line_of(std::uint64_t record) noexcept
        requires WritableWordStore<Store>
    {
        return next_.data() + reduce(record, next_lines_) * line_words;
    }

    /// What a file keeps: the old lines from the frontier on, and the new ones up to it.
    [[nodiscard]] static std::array<std::uint64_t, 2> section_lines(std::uint64_t lines, std::uint64_t next_lines,
                                                                    std::uint64_t frontier) noexcept {
        return {lines - first_needed(lines, frontier), frontier == 0 ? 0 : reduce(frontier - 1, next_lines) + 1};
    }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 2> sections(std::uint64_t frontier) const noexcept {
        const auto sizes = section_lines(lines_, next_lines_, frontier);
        const std::uint64_t gone = (lines_ - sizes[0] - first_line_) * line_words;
        return {std::span(now_.data(), now_.words()).subspan(gone),
                std::span(next_.data(), next_.words()).first(sizes[1] * line_words)};
    }
    /// The first old line that a record at the frontier or behind it can have.
    [[nodiscard]] static std::uint64_t first_needed(std::uint64_t lines, std::uint64_t frontier) noexcept {
        return reduce(frontier, lines);
    }

    /// A line, and bounds between which all of its records lie. They are a little too wide, because exact ones cost divisions: whoever
    /// goes through the records asks each for its line.
    struct neighbourhood {
        std::uint64_t lines;
        std::uint64_t line;
        std::uint64_t lowest;
        std::uint64_t highest;

        [[nodiscard]] bool has(std::uint64_t record) const noexcept { return reduce(record, lines) == line; }
    };
    [[nodiscard]] neighbourhood neighbours_in_old(std::uint64_t record) const noexcept {
        return around(reduce(record, lines_), lines_, width_);
    }
    /// On the new side nobody behind the frontier has arrived yet.
    [[nodiscard]] neighbourhood neighbours_in_new(std::uint64_t record, std::uint64_t frontier) const noexcept {
        neighbourhood near = around(reduce(record, next_lines_), next_lines_, next_width_);
        near.highest = std::min(near.highest, frontier - 1);
        return near;
    }

    void begin(std::uint64_t lines, Store next) noexcept {
        next_lines_ = lines;
        next_width_ = width_of(lines);
        next_ = std::move(next);
    }
    /// The new lines are the lines; returns the old ones.
    [[nodiscard]] Store settle() noexcept {
        lines_ = std::exchange(next_lines_, 0);
        width_ = next_width_;
        first_line_ = 0;
        return std::exchange(now_, std::exchange(next_, Store{}));
    }
    /// Makes room for all new lines, where a file holds the first ones only.
    [[nodiscard]] result<void> complete()
        requires std::same_as<Store, heap_words>
    {
        return next_.extend(next_lines_);
    }
    void forget_before(std::uint64_t frontier) noexcept
        requires std::same_as<Store, heap_words>
    {
        now_.forget_before((first_needed(lines_, frontier) - first_line_) * line_words);
    }
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(now_.data(), 0, now_.words() * sizeof(std::uint64_t));
    }

private:
    /// How many hashes lead to a line, rounded down.
    [[nodiscard]] static std::uint64_t width_of(std::uint64_t lines) noexcept { return ~std::uint64_t{0} / lines; }
    [[nodiscard]] static neighbourhood around(std::uint64_t line, std::uint64_t lines, std::uint64_t width) noexcept {
        // A line begins at line * 2^64 / lines, which is between line * width and line * (width + 1).
        return {lines, line, line * width, line + 1 == lines ? ~std::uint64_t{0} : (line + 1) * width + line + 1};
    }

    template <class Word>
    [[nodiscard]] Word* zeroth(Word* data) const noexcept {
        // Through a number, because no array begins there when the first lines are gone; nobody looks at those.
        const auto address = reinterpret_cast<std::uintptr_t>(data) - first_line_ * line_bytes;
        return reinterpret_cast<Word*>(address);
    }

    std::uint64_t lines_ = 0;
    std::uint64_t width_ = 0;
    std::uint64_t first_line_ = 0;
    Store now_;
    std::uint64_t next_lines_ = 0;
    std::uint64_t next_width_ = 0;
    Store next_;
};

} // namespace everbloom
