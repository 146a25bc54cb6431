#include "filters/agreed_rate.hpp"

#include "output/wording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace everbloom::cli {
namespace {

constexpr double planned_tolerance = 4;

std::string items_text(double items) {
    return std::isfinite(items) && items < 1e18 ? fmt::format("about {:.0f} keys", items)
                                                : "more keys than it can count";
}

} // namespace

bool exceeds(const measurement& now, const agreement& agreed) noexcept {
    if (agreed.items == 0 || !(now.fpr > rate_tolerance * agreed.fpr)) return false;
    const auto items = static_cast<double>(agreed.items);
    return !(now.items <= items + 2 * std::sqrt(items)) || now.fpr > std::sqrt(agreed.fpr);
}

failure overfull(const std::string& path, const std::string& change, const measurement& now, const agreement& agreed) {
    return {
        failure_reason::bad_parameter,
        fmt::format("{}: refused, nothing was changed: {} it would hold {} and take {} of all strangers for members; "
                    "agreed were {}. Create a larger filter (--items), or accept the rate with --overfill",
                    path, change, items_text(now.items), rate_text(now.fpr), agreement_text(agreed))};
}

result<agreement> promise(const any_filter& filter, geometry_source source, std::uint64_t items,
                          std::optional<double> asked) {
    if (!asked && source == geometry_source::planned) asked = workload{}.fpr;
    const auto predicted = filter.predict({.items = items}).fpr;
    if (!predicted) return agreement{items, asked.value_or(workload{}.fpr)};
    // A rate must lie between 0 and 1, even where the model's number has no digits left for it.
    if (!asked) asked = std::max(*predicted, std::numeric_limits<double>::min());
    const double tolerance = source == geometry_source::given ? rate_tolerance : planned_tolerance;
    if (*predicted > tolerance * *asked || !(*asked < 1)) {
        return fail(
            failure_reason::bad_parameter,
            fmt::format("a {} filter of this geometry with {} would take {} of all strangers for members, {} was "
                        "asked for; ask for a higher rate or another geometry",
                        filter.kind(), counted(items, "key"), rate_text(*predicted), rate_text(*asked)));
    }
    return agreement{items, *asked};
}

std::string agreement_text(const agreement& agreed) {
    if (agreed.items == 0) return "no agreed rate";
    return fmt::format("{} false positives at {}", rate_text(agreed.fpr), counted(agreed.items, "item"));
}

} // namespace everbloom::cli
