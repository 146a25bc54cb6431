#include "filters/capacity_target.hpp"

#include "output/wording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace everbloom::cli {
namespace {

constexpr double planned_tolerance = 4;

} // namespace

bool exceeds(const measurement& now, const capacity_target& target) noexcept {
    if (target.items == 0 || !(now.fpr > rate_tolerance * target.fpr)) return false;
    const auto items = static_cast<double>(target.items);
    return !(now.items <= items + 2 * std::sqrt(items)) || now.fpr > std::sqrt(target.fpr);
}

failure overfull(const std::string& path, const std::string& change, const measurement& now,
                 const capacity_target& target) {
    // Cells that are all full give no estimate of the keys.
    const bool is_estimated = now.items > static_cast<double>(target.items);
    return {
        failure_reason::bad_parameter,
        fmt::format("{}: over its capacity of {}: {} {}; nothing was changed. Create a larger filter (--capacity), or "
                    "accept that FPR with --overfill",
                    path, capacity_text(target), change,
                    is_estimated
                        ? fmt::format("it would hold {} at an FPR of {}", estimated_keys(now.items), rate_text(now.fpr))
                        : fmt::format("its FPR would be {}", rate_text(now.fpr)))};
}

result<capacity_target> capacity_for(const any_filter& filter, geometry_source source, std::uint64_t items,
                                     std::optional<double> asked) {
    if (!asked && source == geometry_source::planned) asked = workload{}.fpr;
    const auto predicted = filter.predict({.items = items}).fpr;
    if (!predicted) return capacity_target{items, asked.value_or(workload{}.fpr)};
    // An FPR is above 0, even if the number of the model underflows.
    if (!asked) asked = std::max(*predicted, std::numeric_limits<double>::min());
    const double tolerance = source == geometry_source::given ? rate_tolerance : planned_tolerance;
    if (*predicted > tolerance * *asked || !(*asked < 1)) {
        return fail(
            failure_reason::bad_parameter,
            fmt::format(
                "{} filter of this geometry with {} would have an FPR of {}, above the target FPR of {}; choose a "
                "higher --fpr or another geometry",
                with_article(filter.kind()), counted(items, "key"), rate_text(*predicted), rate_text(*asked)));
    }
    return capacity_target{items, *asked};
}

std::string capacity_text(const capacity_target& target) {
    if (target.items == 0) return "not set";
    return fmt::format("{} at {} FPR", counted(target.items, "key"), rate_text(target.fpr));
}

std::string state_text(const measurement& now, const capacity_target& target) {
    return fmt::format("{}, current FPR {}{}", estimated_keys(now.items), rate_text(now.fpr),
                       target.items == 0 ? "" : " (capacity: " + capacity_text(target) + ")");
}

} // namespace everbloom::cli
