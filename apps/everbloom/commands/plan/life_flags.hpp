// The flags that say what a filter will live through: `plan` ranks the kinds by it, `create` makes a filter that lasts for it.
//
// Whoever says nothing is taken at his word: nothing is known, so anything may happen. Whoever says something has said everything.
#pragma once

#include "frame/command_flags.hpp"

#include <everbloom/runtime/planner.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

class life_flags {
public:
    life_flags() = default;
    life_flags(const life_flags&) = delete; // the flags of the command point into it
    life_flags& operator=(const life_flags&) = delete;

    /// --remove, --churn and --deletable. This object must live as long as the command.
    void declare(command_flags& command);
    /// --growth, for commands that have no parameter of that name.
    void declare_growth(command_flags& command);

    /// Nothing if no flag says anything.
    [[nodiscard]] result<std::optional<expected_life>> expected() const;
    [[nodiscard]] result<double> deletable() const;

private:
    std::optional<std::string> remove_;
    std::optional<std::string> churn_;
    std::optional<std::string> growth_;
    std::optional<std::string> deletable_;
};

} // namespace everbloom::cli
