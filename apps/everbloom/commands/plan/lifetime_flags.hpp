// lifetime_flags: the expected workload of a filter: removals, churn, growth. `plan` ranks the kinds by it, `create` sizes a filter for it.
//
// Without any flag, all of it may happen. With at least one, only what the flags say.
#pragma once

#include "frame/command_flags.hpp"

#include <everbloom/runtime/planner.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

/// The value of --growth: 16x or 16.
[[nodiscard]] result<double> growth_of_flag(std::string text);

class lifetime_flags {
public:
    lifetime_flags() = default;
    lifetime_flags(const lifetime_flags&) = delete; // the flags of the command point into it
    lifetime_flags& operator=(const lifetime_flags&) = delete;

    /// --remove, --churn and --deletable. This object must live as long as the command.
    void declare(command_flags& command);
    /// --growth, for commands that have no parameter of that name.
    void declare_growth(command_flags& command);

    [[nodiscard]] bool is_given() const noexcept { return remove_ || churn_ || growth_ || deletable_; }
    /// Nothing if no flag was given.
    [[nodiscard]] result<std::optional<expected_lifetime>> expected() const;
    [[nodiscard]] result<double> deletable() const;

private:
    std::optional<std::string> remove_;
    std::optional<std::string> churn_;
    std::optional<std::string> growth_;
    std::optional<std::string> deletable_;
};

} // namespace everbloom::cli
