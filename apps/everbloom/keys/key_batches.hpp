// key_batches: splits a block into batches of keys, for the batch calls of hash functions and filters.
#pragma once

#include "keys/csv_record.hpp"
#include "keys/key_block.hpp"
#include "keys/line_cutter.hpp"
#include "keys/line_keys.hpp"

#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace everbloom::cli {

/// What becomes of a line without a valid key.
enum class bad_lines { stop, skip };

/// The format of keys in their files.
struct key_format {
    char separator = '\n';
    bool strip_cr = false; // the last byte of a key, if it is a carriage return
    key_type type = key_type::text;
    std::shared_ptr<const line_rules> rules = {}; // none: a line is a key
    bad_lines invalid = bad_lines::stop;
};

/// The flag that sets the type, for messages.
inline constexpr std::string_view key_type_flag = "--key-type";

/// The lines of a block, as far as they are not keys.
struct line_account {
    struct bad_line {
        std::uint64_t line; // of the block, from 0
        failure why;
    };
    static constexpr std::size_t most_named = 5;

    std::uint64_t lines = 0;
    std::uint64_t invalid = 0;        // lines without a valid key that were skipped
    std::vector<bad_line> first = {}; // of these
    std::uint64_t left_out = 0;       // rules that do not block a domain
};

class key_batches {
public:
    /// All must outlive the batches. Keys that are not in the block are in the arena.
    key_batches(const key_block& block, const key_format& format, text_arena& arena)
        : rest_(block.text()), format_(format), decoder_(format.type) {
        if (format.rules) line_keys_.emplace(*format.rules, block.format, arena);
        if (line_keys_) csv_delimiter_ = line_keys_->csv_delimiter();
        if (format.rules && format.rules->header && block.begins_file && !rest_.empty()) (void)next_record();
    }

    /// Reads the next batch. False at the end, and at a bad line where they stop the reading.
    [[nodiscard]] bool next() {
        do {
            if (stopped_) return false;
            is_numbered_ = false;
            first_line_ = account_.lines;
            const std::size_t count = line_keys_ ? read_keys_in_lines() : read_lines();
            if (count == 0 && !has_more()) return false;
            decode(count);
        } while (count_ == 0 && (has_more() || stopped_));
        return count_ != 0;
    }

    /// The keys of the batch as they are written, and as the bytes that are hashed.
    [[nodiscard]] std::span<const std::string_view> texts() const noexcept { return std::span(texts_).first(count_); }
    [[nodiscard]] std::span<const std::string_view> keys() const noexcept {
        return format_.type == key_type::text ? texts() : std::span(keys_).first(count_);
    }
    /// The lines that they are in.
    [[nodiscard]] std::span<const std::string_view> lines() const noexcept {
        return line_keys_ ? std::span(lines_).first(count_) : texts();
    }
    [[nodiscard]] bool are_in_lines() const noexcept { return line_keys_.has_value(); }
    /// The number of its line in the block, from 0.
    [[nodiscard]] std::uint64_t line_number(std::size_t key) const noexcept {
        return is_numbered_ ? numbers_[key] : first_line_ + key;
    }

    /// Keys in all batches so far.
    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
    /// The error of a bad line that stopped the reading.
    [[nodiscard]] const std::optional<failure>& error() const noexcept { return stopped_; }
    /// At the end: the lines.
    [[nodiscard]] line_account take_account() {
        if (line_keys_) account_.left_out = line_keys_->left_out();
        return std::move(account_);
    }

private:
    [[nodiscard]] bool has_more() const noexcept { return !rest_.empty() || next_of_line_ < of_line_.size(); }

    [[nodiscard]] std::string_view next_line() {
        const auto* to = static_cast<const char*>(std::memchr(rest_.data(), format_.separator, rest_.size()));
        const std::size_t length = to == nullptr ? rest_.size() : static_cast<std::size_t>(to - rest_.data());
        const std::string_view line = rest_.substr(0, length);
        rest_.remove_prefix(to == nullptr ? length : length + 1);
        ++account_.lines;
        return line;
    }

    /// The same where a record may have several lines; its number is that of the first.
    [[nodiscard]] std::string_view next_record() {
        line_number_ = account_.lines;
        if (!csv_delimiter_) return next_line();
        const csv_record next = first_record(rest_, *csv_delimiter_);
        const std::string_view record = rest_.substr(0, next.bytes);
        rest_.remove_prefix(std::min(next.bytes + 1, rest_.size()));
        account_.lines += next.lines;
        return record;
    }

    /// A line is a key.
    [[nodiscard]] std::size_t read_lines() {
        const std::size_t count = cut_lines(rest_, format_.separator, texts_);
        if (format_.strip_cr) {
            for (std::string_view& one : std::span(texts_).first(count)) one = without_cr(one);
        }
        account_.lines += count;
        return count;
    }

    [[nodiscard]] std::size_t read_keys_in_lines() {
        is_numbered_ = true;
        std::size_t count = 0;
        while (count < batch_items) {
            if (next_of_line_ == of_line_.size()) {
                if (rest_.empty()) break;
                line_ = without_cr(next_record());
                next_of_line_ = 0;
                const line_fault fault = line_keys_->read(line_, of_line_);
                if (fault != line_fault::none) {
                    of_line_.clear();
                    if (!note_bad(line_number_, describe(fault, line_, *format_.rules))) break;
                }
                continue;
            }
            texts_[count] = of_line_[next_of_line_++];
            lines_[count] = line_;
            numbers_[count++] = line_number_;
        }
        return count;
    }

    /// Decodes the batch; malformed keys are dropped, or end it.
    void decode(std::size_t count) {
        count_ = count;
        if (format_.type != key_type::text) { // a text is its own bytes
            count_ = decoder_.decode(std::span(texts_).first(count), keys_);
            if (count_ != count) drop_malformed(count);
        }
        total_ += count_;
    }

    void drop_malformed(std::size_t count) {
        if (format_.invalid == bad_lines::stop) {
            const std::uint64_t line = line_number(count_);
            if (!stopped_ || line < account_.lines) stop_at(line, malformed(count_));
            return;
        }
        std::size_t kept = count_;
        std::string scratch;
        for (std::size_t i = count_; i < count; ++i) {
            scratch.resize(most_key_bytes(format_.type, texts_[i]));
            const std::uint64_t line = line_number(i);
            if (!decode_key(format_.type, texts_[i], scratch.data())) {
                (void)note_bad(line, malformed(i));
                continue;
            }
            texts_[kept] = texts_[i];
            if (line_keys_) lines_[kept] = lines_[i];
            moved_.push_back(line);
            ++kept;
        }
        // The numbers are moved at the end: line_number reads them until then.
        if (!is_numbered_) {
            for (std::size_t i = 0; i < count_; ++i) numbers_[i] = first_line_ + i;
            is_numbered_ = true;
        }
        for (std::size_t i = count_; i < kept; ++i) numbers_[i] = moved_[i - count_];
        moved_.clear();
        count_ = decoder_.decode(std::span(texts_).first(kept), keys_);
    }

    [[nodiscard]] failure malformed(std::size_t key) const {
        return malformed_key(format_.type, texts_[key], key_type_flag);
    }

    /// False if the reading ends here.
    [[nodiscard]] bool note_bad(std::uint64_t line, failure why) {
        if (format_.invalid == bad_lines::stop) {
            stop_at(line, std::move(why));
            return false;
        }
        ++account_.invalid;
        if (account_.first.size() < line_account::most_named) account_.first.push_back({line, std::move(why)});
        return true;
    }

    /// Lines before the bad one are the account.
    void stop_at(std::uint64_t line, failure why) {
        stopped_ = std::move(why);
        account_.lines = line;
    }

    [[nodiscard]] std::string_view without_cr(std::string_view key) const noexcept {
        if (format_.strip_cr && key.ends_with('\r')) key.remove_suffix(1);
        return key;
    }

    std::string_view rest_;
    const key_format& format_;
    key_decoder decoder_;
    std::optional<line_keys> line_keys_;
    std::vector<std::string_view> of_line_; // keys of the present line
    std::size_t next_of_line_ = 0;
    std::string_view line_;
    std::array<std::string_view, batch_items> texts_;
    std::array<std::string_view, batch_items> keys_;
    std::array<std::string_view, batch_items> lines_;
    std::array<std::uint64_t, batch_items> numbers_;
    std::vector<std::uint64_t> moved_;
    bool is_numbered_ = false;
    std::uint64_t first_line_ = 0;
    std::uint64_t line_number_ = 0; // of the present line
    std::optional<char> csv_delimiter_;
    std::size_t count_ = 0;
    std::uint64_t total_ = 0;
    line_account account_;
    std::optional<failure> stopped_;
};

} // namespace everbloom::cli
