#include "gate/lists.hpp"

#include "gate/list_lines.hpp"
#include "keys/sorted_collector.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace everbloom::cli {
namespace {

template <class Take>
result<void> read_each_address(const std::string& file, const cancellation& cancel, Take take) {
    return read_lines(file, "a list of addresses", cancel, [&](std::string_view line) -> result<void> {
        const std::string_view text = without_comment(line);
        if (text.empty()) return {};
        const auto address = ip_address::parse(text);
        if (address) return take(*address);
        return fail(failure_reason::bad_parameter,
                    fmt::format("'{}' is not an IPv4 or IPv6 address{}", printable(text),
                                text.find('/') == std::string_view::npos
                                    ? ""
                                    : "; networks are for --blacklist, here every address has its own line"));
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

result<blacklist> read_blacklist(const std::string& file, const cancellation& cancel) {
    sorted_collector<ip_address> addresses;
    sorted_collector<address_range> networks;
    auto read = read_lines(file, "a list of addresses", cancel, [&](std::string_view line) -> result<void> {
        const std::string_view text = without_comment(line);
        if (text.empty()) return {};
        const auto range = parse_address_range(text);
        if (!range) return fail(range.error());
        if (range->first == range->last)
            addresses.add(range->first);
        else
            networks.add(*range);
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    return blacklist{std::move(addresses).finish(), std::move(networks).finish()};
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

} // namespace everbloom::cli
