// Input lists of a gate: addresses, blacklists, and patterns of words; one entry per line, with blank lines and # comments.
#pragma once

#include "frame/cancellation.hpp"
#include "gate/address_ranges.hpp"
#include "gate/ip_address.hpp"

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace everbloom::cli {

/// "-" is standard input; compressed files are decompressed. A malformed line is a failure with file and line number.
/// In file order, with duplicates; more than `most` are an error.
[[nodiscard]] result<std::vector<ip_address>> read_addresses(const std::string& file, std::uint64_t most,
                                                             const cancellation& cancel);
/// The same as a set: sorted, without duplicates.
[[nodiscard]] result<std::vector<ip_address>> read_address_set(const std::string& file, const cancellation& cancel);

/// A list of addresses and networks (10.0.0.0/8).
struct blacklist {
    std::vector<ip_address> addresses; // sorted, without duplicates
    std::vector<address_range> networks;
};
[[nodiscard]] result<blacklist> read_blacklist(const std::string& file, const cancellation& cancel);

using word_span = std::span<const std::uint32_t>;

/// Patterns of 1 to most_pattern_words words.
class pattern_list {
public:
    void add(word_span words);
    /// Also sorts them.
    void remove_duplicates();

    [[nodiscard]] std::size_t count() const noexcept { return begins_.size() - 1; }
    [[nodiscard]] word_span operator[](std::size_t index) const noexcept {
        return std::span(words_).subspan(begins_[index], begins_[index + 1] - begins_[index]);
    }
    /// The lengths that occur, longest first.
    [[nodiscard]] const std::vector<std::size_t>& lengths() const noexcept { return lengths_; }
    [[nodiscard]] std::size_t longest() const noexcept { return lengths_.empty() ? 0 : lengths_.front(); }
    /// One pattern per line, as read_patterns reads them.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::size_t bytes() const noexcept {
        return words_.capacity() * sizeof(std::uint32_t) + begins_.capacity() * sizeof(std::size_t);
    }

    friend bool operator==(const pattern_list&, const pattern_list&) = default;

private:
    std::vector<std::uint32_t> words_;
    std::vector<std::size_t> begins_{0};
    std::vector<std::size_t> lengths_;
};

} // namespace everbloom::cli
