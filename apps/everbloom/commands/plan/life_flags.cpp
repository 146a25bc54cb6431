#include "commands/plan/life_flags.hpp"

#include "frame/flag_values.hpp"

#include <fmt/format.h>

namespace everbloom::cli {
namespace {

/// The models follow a life step by step.
constexpr double most_turnovers = 10'000;

/// 16x or 16
result<double> growth_of_flag(std::string text) {
    const std::string given = text;
    if (!text.empty() && (text.back() == 'x' || text.back() == 'X')) text.pop_back();
    const auto times = number_of_flag("--growth", text);
    if (!times) return fail(times.error());
    if (!(*times >= 1)) {
        return fail(failure_reason::bad_parameter,
                    "--growth: '" + given + "' is less than 1x; say how many times as large the set may become");
    }
    return *times;
}

} // namespace

void life_flags::declare(command_flags& command) {
    command.add_option("--remove", remove_, "share of the items that come beyond them and leave again, once (30%)")
        ->type_name("SHARE")
        ->group("Life");
    command.add_option("--churn", churn_, "then every item is replaced so many times, one at a time; 100: for ever")
        ->type_name("TURNOVERS")
        ->group("Life");
    command
        .add_option("--deletable", deletable_,
                    "share of the members that it must be possible to remove at the end (default 90%)")
        ->type_name("SHARE")
        ->group("Life");
}

void life_flags::declare_growth(command_flags& command) {
    command.add_option("--growth", growth_, "the set may become so many times as large (16x)")
        ->type_name("TIMES")
        ->group("Life");
}

result<std::optional<expected_life>> life_flags::expected() const {
    if (!remove_ && !churn_ && !growth_) return std::optional<expected_life>{};
    expected_life life;
    if (remove_) {
        const auto share = share_of_flag("--remove", *remove_);
        if (!share) return fail(share.error());
        life.removed_share = *share;
    }
    if (churn_) {
        const auto turnovers = number_of_flag("--churn", *churn_);
        if (!turnovers) return fail(turnovers.error());
        if (*turnovers > most_turnovers) {
            return fail(
                failure_reason::bad_parameter,
                fmt::format("--churn: '{}' is more than {:.0f}; after 100 turnovers a filter hardly changes any "
                            "more, so say 100",
                            *churn_, most_turnovers));
        }
        life.turnovers = *turnovers;
    }
    if (growth_) {
        const auto times = growth_of_flag(*growth_);
        if (!times) return fail(times.error());
        life.growth = *times;
    }
    return std::optional(life);
}

result<double> life_flags::deletable() const {
    if (!deletable_) return planning_request{}.deletable;
    return rate_of_flag("--deletable", *deletable_);
}

} // namespace everbloom::cli
