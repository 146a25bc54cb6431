#include "gate/address_ranges.hpp"

#include <everbloom/core/printable.hpp>
#include <everbloom/jobs/network.hpp>

#include <algorithm>

namespace everbloom::cli {
namespace {

constexpr unsigned address_bits = 128;
constexpr unsigned mapped_prefix = 96; // of ::ffff:0:0/96, in which IPv4 addresses are stored

using address_array = std::array<std::uint8_t, 16>;

/// The address after this one; all zeros after the last.
ip_address next_address(const ip_address& one) noexcept {
    address_array bytes = one.bytes();
    for (std::size_t i = bytes.size(); i-- > 0;) {
        if (++bytes[i] != 0) break;
    }
    return ip_address::v6(bytes);
}

/// The last address of a network that begins here and has `prefix` bits of 128.
ip_address last_address(const ip_address& first, unsigned prefix) noexcept {
    address_array bytes = first.bytes();
    for (unsigned bit = prefix; bit < address_bits; ++bit) {
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 0x80U >> (bit % 8));
    }
    return ip_address::v6(bytes);
}

/// The shortest prefix of a network that begins at `first` and does not reach past `last`.
unsigned prefix_within(const ip_address& first, const ip_address& last) noexcept {
    const unsigned least = first.is_v4() ? mapped_prefix : 0;
    unsigned prefix = address_bits;
    while (prefix > least) {
        const unsigned bit = prefix - 1; // the one that would become free
        if ((first.bytes()[bit / 8] & 0x80U >> (bit % 8)) != 0 || last < last_address(first, bit)) break;
        prefix = bit;
    }
    return prefix;
}

/// Sorts, and joins those that overlap or touch.
void join_ranges(std::vector<address_range>& ranges) {
    std::sort(ranges.begin(), ranges.end());
    std::size_t kept = 0;
    for (const address_range& one : ranges) {
        const bool touches =
            kept != 0 && (one.first <= ranges[kept - 1].last || one.first == next_address(ranges[kept - 1].last));
        if (touches)
            ranges[kept - 1].last = std::max(ranges[kept - 1].last, one.last);
        else
            ranges[kept++] = one;
    }
    ranges.resize(kept);
}

void append_networks(std::string& lines, std::span<const address_range> ranges) {
    for (const address_range& one : ranges) {
        const bool is_v4 = one.first.is_v4();
        for (ip_address from = one.first;;) {
            const unsigned prefix = prefix_within(from, one.last);
            lines += from.text() + "/" + std::to_string(is_v4 ? prefix - mapped_prefix : prefix) + "\n";
            const ip_address end = last_address(from, prefix);
            if (end >= one.last) break;
            from = next_address(end);
        }
    }
}

} // namespace

result<address_range> parse_address_range(std::string_view text) {
    const auto found = parse_network(text);
    if (!found) {
        return fail(failure_reason::bad_parameter, "'" + printable(text) +
                                                       "' is not an IPv4 or IPv6 address, or a network such as "
                                                       "10.0.0.0/8");
    }
    if (found->has_host_bits()) {
        return fail(failure_reason::bad_parameter, "'" + printable(text) +
                                                       "' has bits behind its prefix; did you mean " +
                                                       found->without_host_bits().spelled() + "?");
    }
    address_array bytes = found->address;
    unsigned prefix = found->prefix;
    if (!found->is_v6()) {
        bytes = ip_address::v4(0).bytes();
        std::copy_n(found->address.begin(), network::v4_bytes, bytes.begin() + mapped_prefix / 8);
        prefix += mapped_prefix;
    }
    const ip_address first = ip_address::v6(bytes);
    return address_range{first, last_address(first, prefix)};
}

void address_ranges::add(std::span<const address_range> more) {
    for (const address_range& one : more) {
        // An IPv6 network that is larger than ::ffff:0:0/96 and contains it is one of IPv6 addresses only.
        (one.first.is_v4() && one.last.is_v4() ? v4_ : v6_).push_back(one);
    }
    join_ranges(v4_);
    join_ranges(v6_);
}

bool address_ranges::contains(const ip_address& address) const noexcept {
    const auto& ranges = address.is_v4() ? v4_ : v6_;
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), address,
                         [](const ip_address& one, const address_range& range) { return one < range.first; });
    return after != ranges.begin() && address <= std::prev(after)->last;
}

std::string address_ranges::text() const {
    std::string lines;
    append_networks(lines, v4_);
    append_networks(lines, v6_);
    return lines;
}

} // namespace everbloom::cli
