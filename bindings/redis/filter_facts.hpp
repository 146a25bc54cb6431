// filter_facts: what the commands promised about a filter, and its cells do not say. Kept as the attachment of the filter's file, so that
// dumps, copies and exported files carry it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace everbloom::redis {

/// The commands that a filter belongs to.
enum class command_family : std::uint8_t {
    plain = 0,  // EB.*
    bloom = 1,  // BF.*
    cuckoo = 2, // CF.*
};

struct filter_facts {
    command_family family = command_family::plain;
    std::uint64_t capacity = 0;
    std::uint64_t expansion = 0; // 0: the filter may not take more keys than its capacity
    std::uint64_t bucket_keys = 0;
    std::uint64_t most_moves = 0; // the peer's MAXITERATIONS: reported, not used
    std::uint64_t deleted = 0;
    bool deletable = false; // BF.*: keys can be removed

    /// Little-endian numbers behind a magic word.
    [[nodiscard]] std::vector<std::byte> bytes() const;
    /// Nothing if these bytes are somebody else's attachment.
    [[nodiscard]] static std::optional<filter_facts> from(std::span<const std::byte> bytes);

    friend bool operator==(const filter_facts&, const filter_facts&) = default;
};

[[nodiscard]] std::string_view name_of(command_family family) noexcept;

} // namespace everbloom::redis
