#include "gate/lists.hpp"

#include "gate/rolling_hash.hpp"
#include "keys/byte_stream.hpp"
#include "keys/key_files.hpp"
#include "keys/sorted_collector.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

namespace everbloom::cli {
namespace {

constexpr std::size_t longest_list_line = 4096;
constexpr std::string_view blanks = " \t\r\f\v";

std::string_view without_comment(std::string_view line) {
    line = line.substr(0, line.find('#'));
    const std::size_t from = line.find_first_not_of(blanks);
    if (from == std::string_view::npos) return {};
    return line.substr(from, line.find_last_not_of(blanks) + 1 - from);
}

/// Calls `take` for every line that is not blank or a comment; prefixes its errors with file and line.
result<void> read_list(const std::string& file, std::string_view meaning, const cancellation& cancel,
                       const std::function<result<void>(std::string_view)>& take) {
    reading_rules rules;
    rules.meaning = meaning;
    auto stream = open_bytes(file, rules, cancel);
    if (!stream) return fail(std::move(stream.error()));
    std::string text;
    std::uint64_t line = 0;
    std::vector<char> buffer(1 << 16);
    const auto place = [&] { return fmt::format("{}:{}", display_name(file), line); };
    const auto give = [&](std::string_view one) -> result<void> {
        ++line;
        const std::string_view content = without_comment(one);
        if (content.empty()) return {};
        if (auto taken = take(content); !taken) return fail(in(place(), std::move(taken.error())));
        return {};
    };
    for (;;) {
        const auto got = (*stream)->read(buffer);
        if (!got) return fail(got.error());
        if (*got == 0) break;
        text.append(buffer.data(), *got);
        std::size_t from = 0;
        for (std::size_t end = 0; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
            if (auto given = give(std::string_view(text).substr(from, end - from)); !given) return given;
        }
        text.erase(0, from);
        if (text.size() > longest_list_line) {
            ++line;
            return fail(failure_reason::bad_parameter,
                        fmt::format("{}: line longer than {} bytes; expected one entry per line", place(),
                                    grouped(longest_list_line)));
        }
    }
    return text.empty() ? result<void>{} : give(text);
}

result<void> parse_pattern(std::string_view text, std::vector<std::uint32_t>& words) {
    words.clear();
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(blanks), text.size());
        std::string_view digits = text.substr(0, end);
        const std::string_view word = digits;
        if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
        std::uint32_t value = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (digits.empty() || digits.size() > 8 || error != std::errc{} || stop != digits.data() + digits.size()) {
            return fail(failure_reason::bad_parameter,
                        fmt::format("'{}' is not a pattern word; expected 1 to 8 hexadecimal digits", printable(word)));
        }
        if (words.size() == most_pattern_words) {
            return fail(
                failure_reason::bad_parameter,
                fmt::format("pattern longer than {} words; split it into shorter patterns", most_pattern_words));
        }
        words.push_back(value);
        text.remove_prefix(std::min(text.find_first_not_of(blanks, end), text.size()));
    }
    return {};
}

template <class Take>
result<void> read_each_address(const std::string& file, const cancellation& cancel, Take take) {
    return read_list(file, "a list of addresses", cancel, [&](std::string_view text) -> result<void> {
        const auto address = ip_address::parse(text);
        if (address) return take(*address);
        return fail(failure_reason::bad_parameter,
                    fmt::format("'{}' is not an IPv4 or IPv6 address{}", printable(text),
                                text.find('/') == std::string_view::npos
                                    ? ""
                                    : "; CIDR ranges are not supported: list the addresses, one per line"));
    });
}

} // namespace

result<std::vector<ip_address>> read_addresses(const std::string& file, std::uint64_t most,
                                               const cancellation& cancel) {
    std::vector<ip_address> addresses;
    auto read = read_each_address(file, cancel, [&](const ip_address& one) -> result<void> {
        if (addresses.size() == most) {
            return fail(
                failure_reason::bad_parameter,
                fmt::format("more than {} addresses; split the list and query it in several runs", grouped(most)));
        }
        addresses.push_back(one);
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    return addresses;
}

result<std::vector<ip_address>> read_address_set(const std::string& file, const cancellation& cancel) {
    sorted_collector<ip_address> collected;
    auto read = read_each_address(file, cancel, [&](const ip_address& one) -> result<void> {
        collected.add(one);
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    return std::move(collected).finish();
}

void pattern_list::add(word_span words) {
    words_.insert(words_.end(), words.begin(), words.end());
    begins_.push_back(words_.size());
    const auto place = std::lower_bound(lengths_.begin(), lengths_.end(), words.size(), std::greater<>());
    if (place == lengths_.end() || *place != words.size()) lengths_.insert(place, words.size());
}

void pattern_list::remove_duplicates() {
    std::vector<std::uint32_t> order(count());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    const auto at = [this](std::uint32_t index) { return (*this)[index]; };
    std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
        return std::ranges::lexicographical_compare(at(one), at(other));
    });
    const auto end = std::unique(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
        return std::ranges::equal(at(one), at(other));
    });
    pattern_list made;
    for (auto one = order.begin(); one != end; ++one) made.add(at(*one));
    *this = std::move(made);
}

std::string pattern_list::text() const {
    std::string lines;
    for (std::size_t i = 0; i < count(); ++i) lines += fmt::format("{:08x}\n", fmt::join((*this)[i], " "));
    return lines;
}

result<pattern_list> read_patterns(const std::string& file, const cancellation& cancel) {
    constexpr std::size_t least = std::size_t{1} << 16;
    pattern_list patterns;
    std::size_t limit = least; // duplicates are removed when the list has doubled
    std::vector<std::uint32_t> words;
    auto read = read_list(file, "a list of patterns", cancel, [&](std::string_view text) -> result<void> {
        if (auto parsed = parse_pattern(text, words); !parsed) return parsed;
        if (patterns.count() == limit) {
            patterns.remove_duplicates();
            limit = std::max(least, 2 * patterns.count());
        }
        patterns.add(words);
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    patterns.remove_duplicates();
    return patterns;
}

} // namespace everbloom::cli
