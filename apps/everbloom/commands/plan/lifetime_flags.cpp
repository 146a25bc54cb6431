#include "commands/plan/lifetime_flags.hpp"

#include "frame/flag_values.hpp"

#include <fmt/format.h>

namespace everbloom::cli {
namespace {

/// The models compute each churn round.
constexpr double most_rounds = 10'000;

} // namespace

result<double> growth_of_flag(std::string text) {
    const std::string given = text;
    if (!text.empty() && (text.back() == 'x' || text.back() == 'X')) text.pop_back();
    const auto times = number_of_flag("--growth", text);
    if (!times) return fail(times.error());
    if (!(*times >= 1)) {
        return fail(failure_reason::bad_parameter,
                    "--growth: '" + given +
                        "' is less than 1x; give the final size of the set relative to its initial size");
    }
    return *times;
}

void lifetime_flags::declare(command_flags& command) {
    command
        .add_option("--remove", remove_,
                    "extra keys that are added and removed again once, as a share of the capacity (30%)")
        ->type_name("SHARE")
        ->group("Workload");
    command
        .add_option("--churn", churn_,
                    "churn rounds: each replaces every key, one at a time; 100 for an unlimited lifetime")
        ->type_name("ROUNDS")
        ->group("Workload");
    command.add_option("--deletable", deletable_, "share of the keys that must be removable at the end (default: 90%)")
        ->type_name("SHARE")
        ->group("Workload");
}

void lifetime_flags::declare_growth(command_flags& command) {
    command.add_option("--growth", growth_, "the set may grow to this multiple of the capacity (16x)")
        ->type_name("TIMES")
        ->group("Workload");
}

result<std::optional<expected_lifetime>> lifetime_flags::expected() const {
    if (!remove_ && !churn_ && !growth_) return std::optional<expected_lifetime>{};
    expected_lifetime lifetime;
    if (remove_) {
        const auto share = share_of_flag("--remove", *remove_);
        if (!share) return fail(share.error());
        lifetime.removed_share = *share;
    }
    if (churn_) {
        const auto rounds = number_of_flag("--churn", *churn_);
        if (!rounds) return fail(rounds.error());
        if (*rounds > most_rounds) {
            return fail(
                failure_reason::bad_parameter,
                fmt::format(
                    "--churn: '{}' is over the limit of {:.0f}; after 100 rounds a filter hardly changes any more, "
                    "so use 100",
                    *churn_, most_rounds));
        }
        lifetime.churn_rounds = *rounds;
    }
    if (growth_) {
        const auto times = growth_of_flag(*growth_);
        if (!times) return fail(times.error());
        lifetime.growth = *times;
    }
    return std::optional(lifetime);
}

result<double> lifetime_flags::deletable() const {
    if (!deletable_) return planning_request{}.deletable;
    return rate_of_flag("--deletable", *deletable_);
}

} // namespace everbloom::cli
