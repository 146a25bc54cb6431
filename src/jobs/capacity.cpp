#include <everbloom/core/article.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/jobs/capacity.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace everbloom {
namespace {

constexpr double planned_tolerance = 4;

} // namespace

bool exceeds(const measurement& now, const capacity_target& target) noexcept {
    if (target.items == 0 || !(now.fpr > rate_tolerance * target.fpr)) return false;
    const auto items = static_cast<double>(target.items);
    return !(now.items <= items + 2 * std::sqrt(items)) || now.fpr > std::sqrt(target.fpr);
}

failure over_capacity(std::string_view change, const measurement& now, const capacity_target& target) {
    // Cells that are all full give no estimate of the keys.
    const bool is_estimated = now.items > static_cast<double>(target.items);
    const std::string then =
        is_estimated ? "it would hold " + estimated_keys(now.items) + " at an FPR of " : "its FPR would be ";
    return {failure_reason::bad_parameter, "over its capacity of " + capacity_text(target) + ": " +
                                               std::string(change) + " " + then + rate_text(now.fpr)};
}

result<capacity_target> capacity_for(const any_filter& filter, geometry_source source, std::uint64_t items,
                                     std::optional<double> asked, std::string_view fpr_option) {
    if (!asked && source == geometry_source::planned) asked = workload{}.fpr;
    const auto predicted = filter.predict({.items = items}).fpr;
    if (!predicted) return capacity_target{items, asked.value_or(workload{}.fpr)};
    // An FPR is above 0, even if the number of the model underflows.
    if (!asked) asked = std::max(*predicted, std::numeric_limits<double>::min());
    const double tolerance = source == geometry_source::given ? rate_tolerance : planned_tolerance;
    if (*predicted > tolerance * *asked || !(*asked < 1)) {
        return fail(failure_reason::bad_parameter,
                    with_article(filter.kind()) + " filter of this geometry with " + counted(items, "key") +
                        " would have an FPR of " + rate_text(*predicted) + ", above the target FPR of " +
                        rate_text(*asked) + "; choose a higher " + std::string(fpr_option) + " or another geometry");
    }
    return capacity_target{items, *asked};
}

std::string capacity_text(const capacity_target& target) {
    if (target.items == 0) return "not set";
    return counted(target.items, "key") + " at " + rate_text(target.fpr) + " FPR";
}

std::string fullness_text(const filter_file& file, const measurement& now) {
    constexpr double nearly_full = 0.9;
    if (file.target.items == 0) return "";
    const auto growth = file.filter().growth();
    if (growth) {
        const double used = growth->planned_keys == 0 ? 0 : now.items / growth->planned_keys;
        if (!(used >= nearly_full)) return "";
        return std::to_string(std::llround(100 * used)) + " % of its planned growth is used";
    }
    if (const kind_info* kind = find_kind(file.filter().kind()); kind && kind->capabilities.has(capability::build)) {
        return ""; // it takes no more keys in any case
    }
    const double fill = now.items / static_cast<double>(file.target.items);
    if (!std::isfinite(fill)) return "full";
    return fill < nearly_full ? "" : std::to_string(std::llround(100 * fill)) + " % full";
}

std::string state_text(const measurement& now, const capacity_target& target) {
    return estimated_keys(now.items) + ", current FPR " + rate_text(now.fpr) +
           (target.items == 0 ? "" : " (capacity: " + capacity_text(target) + ")");
}

} // namespace everbloom
