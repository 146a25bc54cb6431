// libFuzzer: a blacklist, line by line. Addresses and networks are parsed or refused in words; the ranges contain the ends of every
// network, in both families apart; and what is written is read back as the same ranges.
#include "demand.hpp"

#include <gate/address_ranges.hpp>

#include <algorithm>

namespace {

using namespace everbloom::cli;

std::vector<address_range> ranges_in(std::string_view text, bool is_ours) {
    std::vector<address_range> found;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const auto range = parse_address_range(text.substr(0, end));
        demand(range.has_value() || !is_ours, "what was written can be read");
        demand(range.has_value() || !range.error().sentence.empty(), "a refusal has words");
        if (range) found.push_back(*range);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size > 4096) return 0;
    const auto networks = ranges_in({reinterpret_cast<const char*>(bytes), size}, false);
    address_ranges all;
    all.add(networks);
    demand(all.count() <= networks.size(), "ranges are joined, not split");
    for (const address_range& one : networks) {
        demand(one.first <= one.last, "a range has a beginning and an end");
        if (one.first.is_v4() == one.last.is_v4()) {
            demand(all.contains(one.first) && all.contains(one.last), "a network contains its ends");
        }
    }
    address_ranges again;
    again.add(ranges_in(all.text(), true));
    demand(again == all, "saved networks are the same networks");
    return 0;
}
