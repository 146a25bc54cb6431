// The flags that say what filter to build: --items and --fpr for those who know their keys, and one flag for every parameter
// of every kind for those who know their filter. The list of kinds decides which flags there are.
//
// Values are taken as words and read by us, so that 10k, 4MiB, 0.1% and 1/1000 work everywhere and errors name the flag.
#pragma once

#include "command_flags.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

class geometry_flags {
public:
    geometry_flags() = default;
    geometry_flags(const geometry_flags&) = delete; // the flags of the command point into it
    geometry_flags& operator=(const geometry_flags&) = delete;

    /// Declares the flags. This object must live as long as the command.
    void declare(command_flags& command);
    /// --items and --fpr alone.
    void declare_workload(command_flags& command);

    /// What was asked for, for a filter of this kind. Refuses flags that the kind does not have and numbers that are none. One
    /// parameter may be named that the kind need not have.
    [[nodiscard]] result<build_request> request(const std::string& kind, std::string_view may_be_absent = {}) const;

    /// --items and --fpr alone, for a kind that is yet to be chosen.
    [[nodiscard]] result<build_request> workload_request() const;

    /// The value of one parameter, as it was given.
    [[nodiscard]] std::optional<std::string> given(std::string_view parameter) const;
    /// Does the kind have every parameter that was given, or is to be left out?
    [[nodiscard]] bool suits(const kind_info& kind, std::string_view may_be_absent = {}) const;

    /// Was any parameter of a filter given, apart from --items and --fpr?
    [[nodiscard]] bool geometry_given() const;

private:
    std::map<std::string, std::optional<std::string>, std::less<>> parameters_; // by the name the kinds give them
    std::optional<std::string> items_;
    std::optional<std::string> fpr_;
};

/// counter_bits -> --counter-bits
[[nodiscard]] std::string flag_of(std::string_view parameter);

/// The names of all kinds, or of those with a capability, as "bloom, blocked and counting".
[[nodiscard]] std::vector<std::string> list_of_kinds();
[[nodiscard]] std::string names_of_kinds();
[[nodiscard]] std::string names_of_kinds_that_can(capability wanted);

/// A part of a help text: every kind with what it is good for, one per line.
[[nodiscard]] std::string kinds_section();

/// A flag's value as a size, a rate, a number; a failure names the flag.
[[nodiscard]] result<std::uint64_t> size_of_flag(const std::string& flag, const std::string& text);
/// A size that must lie between two numbers; a failure names both.
[[nodiscard]] result<std::uint64_t> size_of_flag(const std::string& flag, const std::string& text, std::uint64_t least,
                                                 std::uint64_t most);
[[nodiscard]] result<double> rate_of_flag(const std::string& flag, const std::string& text);
[[nodiscard]] result<double> number_of_flag(const std::string& flag, const std::string& text);
/// A share may be a rate (0.3, 30%, 1/3) or, where more keys leave than stay, a number above 1.
[[nodiscard]] result<double> share_of_flag(const std::string& flag, const std::string& text);

} // namespace everbloom::cli
