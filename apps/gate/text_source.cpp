#include "gate/text_source.hpp"

#include <everbloom/core/hex_digits.hpp>
#include <everbloom/core/printable.hpp>

#include <algorithm>
#include <cstring>

namespace everbloom::cli {
namespace {

constexpr std::size_t longest_text_line = std::size_t{1} << 20;
constexpr std::size_t binary_digits = 32;
constexpr std::size_t most_hex_digits = 8;

constexpr bool separates_words(char one) noexcept { return one == ' ' || one == '\t'; }

/// Removes and returns the first word; empty if there is none.
std::string_view take_word(std::string_view& line) noexcept {
    const auto begin = std::find_if_not(line.begin(), line.end(), separates_words);
    const auto end = std::find_if(begin, line.end(), separates_words);
    const std::string_view word(begin, end);
    line = std::string_view(end, line.end());
    return word;
}

std::optional<std::uint32_t> binary_word(std::string_view digits) noexcept {
    if (digits.size() != binary_digits) return std::nullopt;
    std::uint32_t number = 0;
    for (const char digit : digits) {
        if (digit != '0' && digit != '1') return std::nullopt;
        number = number << 1U | static_cast<std::uint32_t>(digit == '1');
    }
    return number;
}

std::optional<std::uint32_t> hex_word(std::string_view digits) noexcept {
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    if (digits.empty() || digits.size() > most_hex_digits) return std::nullopt;
    std::uint32_t number = 0;
    for (const char digit : digits) {
        const int value = hex_value(digit);
        if (value < 0) return std::nullopt;
        number = number << 4U | static_cast<std::uint32_t>(value);
    }
    return number;
}

void append_big_endian(std::vector<std::uint8_t>& bytes, std::uint32_t number) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

} // namespace

// The payload of a line always fits into a block: a word has four bytes and at least two characters ("1 1 1").
static_assert(2 * longest_text_line <= largest_payload_bytes);

text_source::text_source(input_file file) : file_(std::move(file)), text_(longest_text_line + 1) {}

result<std::span<const packet>> text_source::next() {
    block_.clear();
    while (!block_.full() && !error_) {
        const auto line = next_line();
        if (!line) break;
        add_packet(*line);
    }
    if (block_.empty() && error_) {
        failure reported = std::move(*error_);
        error_.reset();
        return fail(std::move(reported));
    }
    return block_.packets();
}

std::optional<std::string_view> text_source::next_line() {
    std::size_t searched = from_;
    const char* end = nullptr;
    while (!ended_) {
        end = static_cast<const char*>(std::memchr(text_.data() + searched, '\n', until_ - searched));
        if (end != nullptr) break;
        if (!block_.empty() && !file_.ready()) return std::nullopt;
        const std::size_t looked_at = until_ - from_;
        if (!read_on()) break;
        searched = from_ + looked_at;
    }
    if (error_ || (end == nullptr && from_ == until_)) return std::nullopt;
    const std::size_t past = end == nullptr ? until_ : static_cast<std::size_t>(end - text_.data());
    std::string_view line(text_.data() + from_, past - from_);
    from_ = end == nullptr ? past : past + 1;
    ++line_number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

bool text_source::read_on() {
    std::memmove(text_.data(), text_.data() + from_, until_ - from_);
    until_ -= from_;
    from_ = 0;
    if (until_ == text_.size()) {
        ++line_number_;
        stop_because("the line is longer than 1 MiB");
        return false;
    }
    const auto got = file_.read(std::span(text_).subspan(until_));
    if (!got) error_ = got.error();
    if (!got || *got == 0) ended_ = true;
    if (file_.cancelled()) until_ = 0; // discard the incomplete line
    if (ended_) return false;
    until_ += *got;
    return true;
}

void text_source::add_packet(std::string_view line) {
    std::string_view rest = line;
    const std::string_view first = take_word(rest);
    if (first.empty() || first.starts_with('#')) return;
    data_.clear();
    if (first.size() == 2 * binary_digits || first.size() == binary_digits) {
        const bool is_one_word = first.size() == 2 * binary_digits;
        const auto sender = binary_word(first.substr(0, binary_digits));
        if (sender) {
            const auto data = binary_word(is_one_word ? first.substr(binary_digits) : take_word(rest));
            if (!data || !take_word(rest).empty())
                return stop_because("'" + printable(line) + "' is not two words of 32 binary digits");
            append_big_endian(data_, *data);
            block_.add({ip_address::v4(*sender), data_});
            return;
        }
    }
    const auto sender = ip_address::parse(first);
    if (!sender) return stop_because("'" + printable(first) + "' is not an IP address");
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
        const auto data = hex_word(word);
        if (!data) return stop_because("'" + printable(word) + "' is not a word of 1 to 8 hexadecimal digits");
        append_big_endian(data_, *data);
    }
    if (data_.empty()) return stop_because("no data after the address '" + printable(first) + "'");
    block_.add({*sender, data_});
}

void text_source::stop_because(std::string_view what) {
    ended_ = true;
    error_ = failure{
        failure_reason::bad_parameter,
        file_.name() + ":" + std::to_string(line_number_) + ": " + std::string(what) +
            "; expected an address and words of up to 8 hexadecimal digits (10.0.0.7 deadbeef), or address and data as "
            "32 binary digits each (for other formats use --format)"};
}

} // namespace everbloom::cli
