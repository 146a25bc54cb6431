#include "lifetime_sizing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace everbloom {
namespace {

// Multiples of the cells asked for, which grow with the logarithm of the FPR. The largest first, so that a search has both ends.
constexpr std::array<double, 5> enlargements{4, 2, 1.4, 1.1, 1.02};

bool removes(const lifetime& lived) noexcept { return lived.removed_share > 0 || lived.churn_rounds > 0; }

/// The smallest obstacle first: too high an FPR makes a kind useless, members that cannot be removed are a nuisance.
std::optional<dropped_kind> obstacle_of(const lifetime_sizing& made, const lifetime_goal& goal) {
    if (!made.predicted.fpr) return dropped_kind{.why = obstacle::no_model};
    if (!(*made.predicted.fpr <= rate_play * goal.fpr)) {
        return dropped_kind{.why = obstacle::rate_too_high, .figure = *made.predicted.fpr};
    }
    const double share = made.predicted.deletability.value_or(1);
    if (removes(goal.lived) && !(share >= goal.deletable)) {
        return dropped_kind{.why = obstacle::stay_for_ever, .figure = share};
    }
    return std::nullopt;
}

expected<lifetime_sizing, dropped_kind> sized_at(build_request wanted, double rate, const lifetime_goal& goal) {
    wanted.fpr = rate;
    auto settled = settle(wanted);
    if (!settled) {
        return unexpected(dropped_kind{.why = obstacle::no_geometry, .sentence = std::move(settled.error().sentence)});
    }
    const prediction predicted = settled->entry->predict(settled->values, goal.lived);
    return lifetime_sizing{std::move(wanted), std::move(*settled), predicted};
}

} // namespace

expected<lifetime_sizing, dropped_kind> size_for_life(const build_request& wanted, const lifetime_goal& goal) {
    const double asked = wanted.fpr.value_or(workload{}.fpr);
    auto first = sized_at(wanted, asked, goal);
    if (!first) return first;
    auto in_the_way = obstacle_of(*first, goal);
    if (!in_the_way && *first->predicted.fpr <= goal.fpr) return first;
    if (in_the_way && in_the_way->why == obstacle::no_model) return unexpected(std::move(*in_the_way));

    // From here on the target FPR is met exactly, without a tolerance for rounding.
    const auto keeps = [&](const expected<lifetime_sizing, dropped_kind>& tried) {
        return tried && *tried->predicted.fpr <= goal.fpr && !obstacle_of(*tried, goal);
    };
    auto enough = sized_at(wanted, std::pow(asked, enlargements.front()), goal);
    const auto still = enough ? obstacle_of(*enough, goal) : std::nullopt;
    // Some kinds have no geometry for so low an FPR, but one for a little less than was asked for.
    for (std::size_t i = 1; i < enlargements.size() && !keeps(enough); ++i) {
        enough = sized_at(wanted, std::pow(asked, enlargements[i]), goal);
    }
    if (!keeps(enough)) {
        // A prediction above the FPR that was asked for is not offered, however little it is above.
        if (!in_the_way) in_the_way = dropped_kind{.why = obstacle::rate_too_high, .figure = *first->predicted.fpr};
        return unexpected(still.value_or(*in_the_way));
    }
    double too_high = asked;
    constexpr int steps = 14; // to some thousandths of the FPR
    for (int i = 0; i < steps; ++i) {
        const double rate = std::sqrt(too_high * *enough->request.fpr);
        auto tried = sized_at(wanted, rate, goal);
        if (keeps(tried)) {
            enough = std::move(tried);
        } else {
            too_high = rate;
        }
    }
    return enough;
}

} // namespace everbloom
