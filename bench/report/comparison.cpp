#include "report/comparison.hpp"

#include "memory_bound.hpp"
#include "peers/peer.hpp"

#include <algorithm>

namespace everbloom::bench {
namespace {

const measured* same_deed_by(std::string_view other, const measured& one, const results& all) {
    const measured* found = all.find(one.name.question, one.name.variant, other);
    return found != nullptr ? found : all.find(one.name.question, "single", other);
}

/// The most lines per second over an array of the filter's size: for single operations without prefetching, on whichever pages.
double raw_bound(const measured& one, const results& all) {
    const auto payload = one.counter(payload_counter);
    if (!payload) return 0;
    const auto array_bytes = static_cast<double>(bound_array_bytes(*payload));
    double most = 0;
    for (const measured& bound : all.all()) {
        if (bound.name.question != "memory_bound" || bound.counter(payload_counter) != array_bytes) continue;
        const bool is_plain = bound.name.variant.starts_with("plain");
        if (is_plain || one.name.variant == "batch") most = std::max(most, bound.best());
    }
    return most;
}

} // namespace

std::optional<double> ratio_to(std::string_view other, const measured& one, const results& all) {
    double speed = 0;
    if (other == "raw") {
        speed = raw_bound(one, all);
    } else if (const measured* found = same_deed_by(other, one, all)) {
        speed = found->best();
    }
    if (speed == 0 || one.best() == 0) return std::nullopt;
    return one.best() / speed;
}

std::vector<ratio> ratios_of(const measured& one, const results& all) {
    std::vector<std::string> others{std::string(yardstick)};
    for (const peer_entry& entry : known_peers()) others.emplace_back(entry.name);
    others.emplace_back("raw");
    std::vector<ratio> made;
    for (const std::string& other : others) {
        if (const auto value = ratio_to(other, one, all)) made.push_back({other, *value});
    }
    return made;
}

} // namespace everbloom::bench
