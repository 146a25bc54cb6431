#include "life_sizing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace everbloom {
namespace {

constexpr std::uint64_t largest_enlargement = 4;

bool removes(const life& lived) noexcept { return lived.removed_share > 0 || lived.turnovers > 0; }

/// The smallest obstacle first: a rate that is too high makes a kind useless, members that stay are a nuisance.
std::optional<dropped_kind> obstacle_of(const life_sizing& made, const life_goal& goal) {
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

tl::expected<life_sizing, dropped_kind> sized_at(build_request wanted, double rate, const life_goal& goal) {
    wanted.fpr = rate;
    auto settled = settle(wanted);
    if (!settled) {
        return tl::unexpected(
            dropped_kind{.why = obstacle::no_geometry, .sentence = std::move(settled.error().sentence)});
    }
    const prediction predicted = settled->entry->predict(settled->values, goal.lived);
    return life_sizing{std::move(wanted), std::move(*settled), predicted};
}

} // namespace

tl::expected<life_sizing, dropped_kind> size_for_life(build_request wanted, const life_goal& goal) {
    const double asked = wanted.fpr.value_or(workload{}.fpr);
    auto first = sized_at(wanted, asked, goal);
    if (!first) return first;
    auto in_the_way = obstacle_of(*first, goal);
    if (!in_the_way) return first;
    if (in_the_way->why == obstacle::no_model) return tl::unexpected(std::move(*in_the_way));

    // Halve the rate until it is enough; what was not enough is remembered for the bisection, and for the reason.
    const std::uint64_t most_bytes = largest_enlargement * first->settled.bytes();
    double too_high = asked;
    std::optional<life_sizing> enough;
    for (double rate = asked / 2; !enough && rate > 1e-300; rate /= 2) {
        auto tried = sized_at(wanted, rate, goal);
        if (!tried || tried->settled.bytes() > most_bytes) break;
        if (auto still = obstacle_of(*tried, goal)) {
            in_the_way = std::move(still);
            too_high = rate;
        } else {
            enough = std::move(*tried);
        }
    }
    if (!enough) return tl::unexpected(std::move(*in_the_way));
    constexpr int steps = 10; // to a thousandth of a halving
    for (int i = 0; i < steps; ++i) {
        const double rate = std::sqrt(too_high * *enough->request.fpr);
        auto tried = sized_at(wanted, rate, goal);
        if (tried && !obstacle_of(*tried, goal)) {
            enough = std::move(*tried);
        } else {
            too_high = rate;
        }
    }
    return std::move(*enough);
}

} // namespace everbloom
