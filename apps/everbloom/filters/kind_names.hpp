// Names of kinds for help texts and messages.
#pragma once

#include <everbloom/runtime/catalogue.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// counter_bits -> --counter-bits
[[nodiscard]] std::string flag_of(std::string_view parameter);

/// "bloom, blocked and counting"
[[nodiscard]] std::string joined(const std::vector<std::string_view>& names);

/// The names of all kinds, or of those with a capability, as "bloom, blocked and counting".
[[nodiscard]] std::vector<std::string> list_of_kinds();
[[nodiscard]] std::string names_of_kinds();
[[nodiscard]] std::string names_of_kinds_that_can(capability wanted);

/// A part of a help text: every kind with what it is good for, one per line.
[[nodiscard]] std::string kinds_section();

} // namespace everbloom::cli
