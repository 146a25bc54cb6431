// prefix_lengths: which lengths of prefixes the networks in a filter of key type cidr have.
//
// A query for an address asks once for each of these lengths, instead of 33 or 129 times. The set is a note attached to the filter, with
// the identity of the filter that it was written for:
//
//   | "EBCIDR1\n" | identity, 8 bytes | 33 bits of IPv4 in 8 bytes | 129 bits of IPv6 in 24 bytes |
//
// Every program may add networks to a filter, and few know of the note. A note with another identity is out of date, and then every length
// is asked for: slower, and with more false positives, but no network is missed.
#pragma once

#include <everbloom/jobs/network.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom {

struct prefix_lengths {
    std::bitset<8 * network::v4_bytes + 1> v4;
    std::bitset<8 * network::v6_bytes + 1> v6;

    [[nodiscard]] static prefix_lengths all() noexcept;
    void add(const network& one) noexcept;
    /// By the key of a network; other bytes are ignored.
    void add_key(std::string_view bytes) noexcept;
    void add(const prefix_lengths& others) noexcept;
    [[nodiscard]] bool has(bool is_v6, unsigned length) const noexcept { return is_v6 ? v6[length] : v4[length]; }
    [[nodiscard]] bool is_everything() const noexcept { return v4.all() && v6.all(); }
    /// "IPv4 /24 /32, IPv6 /48"; "none".
    [[nodiscard]] std::string text() const;
};

/// those of a filter; all of them if its note is missing or out of date.
[[nodiscard]] prefix_lengths lengths_in(const filter_file& file);

/// The networks for which queries for addresses in `one` ask, if a filter has these lengths: those that contain it, and those in it. Nothing if
/// they are more than `most`.
[[nodiscard]] std::optional<std::vector<network>> networks_asked_for(const network& one, const prefix_lengths& lengths,
                                                                     std::uint64_t most);

/// Attaches the note, for the filter as it is now. Only filters of key type cidr have one, and another attachment stays.
void note_lengths(filter_file& file, const prefix_lengths& lengths);
/// The same as bytes to be attached; those that are attached now, if there is nothing to note.
[[nodiscard]] std::vector<std::byte> length_note(const filter_file& file, const prefix_lengths& lengths);

} // namespace everbloom
