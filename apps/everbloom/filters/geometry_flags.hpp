// Flags of a filter to build: --capacity and --fpr, and one flag for every parameter of every kind. The list of kinds decides which flags
// there are.
//
// Values are read as text and parsed here, so that 10k, 4MiB, 0.1% and 1/1000 work everywhere and errors name the flag.
#pragma once

#include "filters/kind_names.hpp"
#include "frame/command_flags.hpp"
#include "frame/flag_values.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

/// What the number of keys means: the capacity of a filter (--capacity, before 0.2 --items), or keys inserted by a simulation (--items).
enum class key_count { capacity, insertions };

class geometry_flags {
public:
    geometry_flags() = default;
    geometry_flags(const geometry_flags&) = delete; // the flags of the command point into it
    geometry_flags& operator=(const geometry_flags&) = delete;

    /// Declares the flags. This object must live as long as the command.
    void declare(command_flags& command, key_count meaning = key_count::capacity);
    /// --capacity and --fpr alone.
    void declare_workload(command_flags& command, key_count meaning = key_count::capacity);

    /// What was asked for, for a filter of this kind. Refuses flags that the kind does not have and numbers that are none. One
    /// parameter may be named that the kind need not have.
    [[nodiscard]] result<build_request> request(const std::string& kind, std::string_view may_be_absent = {}) const;

    /// --capacity and --fpr alone, for a kind that is yet to be chosen.
    [[nodiscard]] result<build_request> workload_request() const;

    /// The value of one parameter, as it was given.
    [[nodiscard]] std::optional<std::string> given(std::string_view parameter) const;
    /// --growth with an x, as in 16x: not a parameter, but how far the set may grow.
    [[nodiscard]] std::optional<std::string> growth_times() const;
    /// Does the kind have every parameter that was given, or is to be left out?
    [[nodiscard]] bool suits(const kind_info& kind, std::string_view may_be_absent = {}) const;

    /// Was any parameter of a filter given, apart from --capacity and --fpr?
    [[nodiscard]] bool geometry_given() const;
    /// Was --capacity or --fpr given?
    [[nodiscard]] bool workload_given() const noexcept { return items_ || fpr_; }

private:
    std::map<std::string, std::optional<std::string>, std::less<>> parameters_; // by the name the kinds give them
    std::string_view items_flag_ = "--capacity";
    std::optional<std::string> items_;
    std::optional<std::string> fpr_;
};

} // namespace everbloom::cli
