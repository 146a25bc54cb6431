// byte_matcher: finds byte patterns at any offset of some data.
//
// A rolling hash over the whole length of a pattern, as for words, would need every byte of the pattern to be known, which a mask denies,
// and one window per length at every byte. Instead each pattern is looked for by its anchor, a piece of 1 to 8 bytes without a mask: the last
// eight bytes fit into one register, and the anchors of all patterns have at most five lengths, whatever the patterns have.
//
//     data    ... 3a 47 4e 55 54 45 4c 4c 41 20 ...
//                    |----- window -----|        hashed with a secret key, looked up in a filter
//     pattern  ?? ?? 47 4e 55 54 45 4c 4c 41 2?  a hit: the anchor's patterns are compared byte by byte
//
// The filter (pattern_filter.hpp) rejects nearly every window; the comparison makes the answer exact. Without the filter, in exact mode, every
// window is looked up in the table of anchors.
#pragma once

#include "gate/pattern_filter.hpp"
#include "gate/patterns/byte_pattern_list.hpp"

#include <everbloom/hash/any_hasher.hpp>

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace everbloom::cli {

enum class window_lookup : std::uint8_t { by_filter, by_table };

class byte_matcher {
public:
    /// `patterns` must outlive the matcher.
    [[nodiscard]] static result<byte_matcher> make(const byte_pattern_list& patterns, const any_hasher& hash,
                                                   window_lookup lookup);

    /// The number of a pattern that the data contains.
    [[nodiscard]] std::optional<std::uint32_t> find(std::span<const std::uint8_t> data) const;
    /// The number of a pattern that begins in `before` and ends in `data`.
    [[nodiscard]] std::optional<std::uint32_t> find_across(std::span<const std::uint8_t> before,
                                                           std::span<const std::uint8_t> data) const;

    /// How many bytes before a packet can be part of a pattern that ends in it.
    [[nodiscard]] std::size_t history_bytes() const noexcept { return longest_ == 0 ? 0 : longest_ - 1; }
    [[nodiscard]] bool empty() const noexcept { return longest_ == 0; }
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    static constexpr std::size_t most_anchor_bytes = 8;
    /// Lengths of anchors, longest first. A pattern takes the longest for which it has enough fixed bytes in a row.
    static constexpr std::array<std::size_t, 5> anchor_lengths{8, 4, 3, 2, 1};

    /// A pattern, and where its anchor is.
    struct place {
        std::uint32_t pattern;
        std::uint32_t offset;
    };
    struct places {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };
    /// The bytes of an anchor as a big-endian number, and their number.
    struct anchor {
        std::uint64_t value;
        std::uint32_t length;
        friend bool operator==(const anchor&, const anchor&) = default;
    };
    struct anchor_hash {
        std::uint64_t salt;
        std::size_t operator()(const anchor& one) const noexcept { return digest_of(one, salt).low; }
    };
    using anchor_table = absl::flat_hash_map<anchor, places, anchor_hash>;

    byte_matcher(const byte_pattern_list& patterns, std::uint64_t salt)
        : patterns_(&patterns), salt_(salt), table_(0, anchor_hash{salt}), longest_(patterns.longest()) {}

    static digest digest_of(const anchor& one, std::uint64_t salt) noexcept;
    /// The anchor of a pattern that fewest of the patterns before it have.
    [[nodiscard]] std::pair<anchor, place> choose_anchor(std::uint32_t pattern) const;
    [[nodiscard]] std::optional<std::uint32_t> search(std::span<const std::uint8_t> data, std::size_t border) const;
    template <bool Filtered>
    [[nodiscard]] std::optional<std::uint32_t> scan(std::span<const std::uint8_t> data, std::size_t border) const;
    [[nodiscard]] std::optional<std::uint32_t> confirm(const anchor& found, std::span<const std::uint8_t> data,
                                                       std::size_t end, std::size_t border) const;

    const byte_pattern_list* patterns_;
    std::uint64_t salt_;
    anchor_table table_;
    std::vector<place> places_;            // of one anchor in a row, longest pattern first
    std::vector<std::uint32_t> lengths_;   // of anchors that occur
    std::optional<pattern_filter> filter_; // of anchors; none in exact mode
    std::size_t longest_;
};

} // namespace everbloom::cli
