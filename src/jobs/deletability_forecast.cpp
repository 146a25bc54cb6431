#include <everbloom/jobs/deletability_forecast.hpp>

#include <cmath>

namespace everbloom {
namespace {

/// How many keys were removed, relative to those present: the share at which the model predicts the measured deletability.
double removed_share_behind(const any_filter& filter, std::uint64_t items, double deletable_now) {
    constexpr double most = 1e4; // more makes no difference
    const auto predicted = [&](double removed) {
        return filter.predict({.items = items, .removed_share = removed}).deletability.value_or(0);
    };
    if (predicted(0) <= deletable_now) return 0;
    double high = 0.01;
    while (high < most && predicted(high) > deletable_now) high *= 2;
    double low = 0;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (predicted(middle) > deletable_now ? low : high) = middle;
    }
    return low;
}

} // namespace

std::optional<double> forecast_deletability(const any_filter& filter, const measurement& now,
                                            std::uint64_t more_items) {
    constexpr double most = 1e18; // cells that are all occupied give no estimate
    if (!now.deletable_share || !(now.items < most)) return std::nullopt;
    const auto items = static_cast<std::uint64_t>(std::llround(now.items));
    if (items == 0) return std::nullopt;
    const double removed = removed_share_behind(filter, items, *now.deletable_share) * static_cast<double>(items);
    const std::uint64_t then = items + more_items;
    return filter.predict({.items = then, .removed_share = removed / static_cast<double>(then)}).deletability;
}

} // namespace everbloom
