// address_ranges: banned networks, as sorted ranges of addresses.
//
// Networks are kept exactly, also by a gate with filters: a filter would have to be asked once for each length of a prefix, and one false
// positive of a network would reject thousands of senders. Overlapping and adjacent networks become one range of 32 bytes. IPv4 and
// IPv6 do not mix: ::/0 does not contain an IPv4 address, although the gate stores those as ::ffff:a.b.c.d.
#pragma once

#include "gate/ip_address.hpp"

#include <everbloom/core/result.hpp>

#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct address_range {
    ip_address first;
    ip_address last; // both of the same family

    friend auto operator<=>(const address_range&, const address_range&) = default;
};

/// The range of "10.0.0.0/8" or "2001:db8::/32"; of one address, the range of itself. A network with bits behind its prefix is refused.
[[nodiscard]] result<address_range> parse_address_range(std::string_view text);

class address_ranges {
public:
    void add(std::span<const address_range> more);

    [[nodiscard]] bool contains(const ip_address& address) const noexcept;
    [[nodiscard]] bool empty() const noexcept { return v4_.empty() && v6_.empty(); }
    [[nodiscard]] std::size_t count() const noexcept { return v4_.size() + v6_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return (v4_.capacity() + v6_.capacity()) * sizeof(address_range);
    }
    /// One network per line, the fewest that make up the ranges.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const address_ranges&, const address_ranges&) = default;

private:
    // Sorted and apart from each other: there is an address between two of them.
    std::vector<address_range> v4_;
    std::vector<address_range> v6_;
};

} // namespace everbloom::cli
