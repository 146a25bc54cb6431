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

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/filter/kernel/line_batch.hpp>
#include <everbloom/filter/records/record_geometry.hpp>

#include <array>
#include <cstring>
#include <span>

namespace everbloom {

/// What a query reads, as a value that a loop keeps in registers.
template <class Word>
struct elastic_line_view {
    Word* now = nullptr; // where line 0 would be, even if the first lines are gone
    std::uint64_t now_lines = 0;
    Word* next = nullptr;
    std::uint64_t next_lines = 0;
    std::uint64_t frontier = 0;
    std::uint64_t record_mask = 0;
    unsigned hashes = 0;

    [[nodiscard]] std::uint64_t record_of(digest item) const noexcept { return item.low & record_mask; }

    /// The hash behind the pattern of a record.
    [[nodiscard]] static std::uint64_t pattern_hash(std::uint64_t record) noexcept {
        const wide_product product = multiply_wide(record ^ 0x2545f4914f6cdd1d, 0x9e3779b97f4a7c15);
        return product.high ^ product.low;
    }

    [[nodiscard]] Word* line_of_record(std::uint64_t record) const noexcept {
        const bool moved = record < frontier;
        return (moved ? next : now) + reduce(record, moved ? next_lines : now_lines) * line_words;
    }
    [[nodiscard]] Word* line_of(digest item) const noexcept { return line_of_record(record_of(item)); }
    [[nodiscard]] std::uint64_t hash_of(digest item) const noexcept { return pattern_hash(record_of(item)); }
};

template <WordStore Store>
class elastic_lines {
public:
    elastic_lines() noexcept = default;
    /// `now` holds the lines from `first_line` on.
    elastic_lines(std::uint64_t lines, std::uint64_t first_line, Store now) noexcept
        : lines_(lines), first_line_(first_line), now_(std::move(now)) {}

    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
    [[nodiscard]] std::uint64_t next_lines() const noexcept { return next_lines_; }

    [[nodiscard]] elastic_line_view<const std::uint64_t> view(std::uint64_t frontier, unsigned word_bits,
                                                              unsigned hashes) const noexcept {
        return {zeroth(now_.data()), lines_, next_.data(), next_lines_, frontier, ~low_mask(64 - word_bits), hashes};
    }
    [[nodiscard]] elastic_line_view<std::uint64_t> view(std::uint64_t frontier, unsigned word_bits,
                                                        unsigned hashes) noexcept
        requires WritableWordStore<Store>
    {
        return {zeroth(now_.data()), lines_, next_.data(), next_lines_, frontier, ~low_mask(64 - word_bits), hashes};
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

    /// The line of a record on its side of the frontier, and the records that share it there.
    struct neighbourhood {
        std::uint64_t lowest;
        std::uint64_t highest;
    };
    [[nodiscard]] neighbourhood neighbours(std::uint64_t record, std::uint64_t frontier) const noexcept {
        const bool moved = record < frontier;
        const std::uint64_t range = moved ? next_lines_ : lines_;
        const std::uint64_t line = reduce(record, range);
        const std::uint64_t lowest = record_geometry::start_of(line, range);
        const std::uint64_t highest =
            line + 1 == range ? ~std::uint64_t{0} : record_geometry::start_of(line + 1, range) - 1;
        return moved ? neighbourhood{lowest, std::min(highest, frontier - 1)}
                     : neighbourhood{std::max(lowest, frontier), highest};
    }

    void begin(std::uint64_t lines, Store next) noexcept {
        next_lines_ = lines;
        next_ = std::move(next);
    }
    void settle() noexcept {
        now_ = std::exchange(next_, Store{});
        lines_ = std::exchange(next_lines_, 0);
        first_line_ = 0;
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
    template <class Word>
    [[nodiscard]] Word* zeroth(Word* data) const noexcept {
        // Through a number, because no array begins there when the first lines are gone; nobody looks at those.
        const auto address = reinterpret_cast<std::uintptr_t>(data) - first_line_ * line_bytes;
        return reinterpret_cast<Word*>(address);
    }

    std::uint64_t lines_ = 0;
    std::uint64_t first_line_ = 0;
    Store now_;
    std::uint64_t next_lines_ = 0;
    Store next_;
};

} // namespace everbloom
