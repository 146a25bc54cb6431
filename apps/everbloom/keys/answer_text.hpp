// answer_text: the lines that `check` prints, for a block of keys.
//
// A worker does not know the line numbers of its block, since blocks before it may not be counted yet. It leaves a mark where a number
// belongs; the numbers are put in when the block's turn has come. Marks also end matches, so that -m can cut after one.
#pragma once

#include "keys/check_keys.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

class answer_text {
public:
    void clear() {
        text_.clear();
        numbers_.clear();
        ends_.clear();
    }

    [[nodiscard]] std::string& text() noexcept { return text_; }
    /// A line number belongs here, and a colon after it.
    void mark_number(std::uint64_t line) { numbers_.push_back({text_.size(), line}); }
    void mark_end() { ends_.push_back(text_.size()); }

    /// The text of the first matches, with their line numbers. Valid until `into` or this changes.
    [[nodiscard]] std::string_view first(std::uint64_t matches, std::uint64_t first_line, std::string& into) const;

private:
    struct number {
        std::size_t at;
        std::uint64_t line;
    };
    std::string text_;
    std::vector<number> numbers_;   // none, if lines have no numbers
    std::vector<std::size_t> ends_; // none, if all matches are printed
};

/// A key that matched.
struct matched_key {
    std::string_view text;
    std::string_view line;
    std::uint64_t line_number; // in the block
    std::size_t in_batch;
};

class answer_writer {
public:
    answer_writer(const check_request& request, const std::string& file, text_arena& arena)
        : request_(request), file_(file), arena_(arena) {}

    void write(const matched_key& key, const filter_answers& filters, answer_text& output) const;

private:
    void write_line(const matched_key& key, const filter_answers& filters, std::string_view tag,
                    answer_text& output) const;
    void write_json(const matched_key& key, const filter_answers& filters, std::string& output) const;
    void write_coloured(const matched_key& key, std::string& output) const;

    const check_request& request_;
    const std::string& file_;
    text_arena& arena_;
};

} // namespace everbloom::cli
