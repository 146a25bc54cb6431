// flag_values: numbers given as 10k, 4MiB, 0.1% or 1/1000.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <string>

namespace everbloom::cli {

/// The value of a flag as a size, a rate or a number; a failure names the flag.
[[nodiscard]] result<std::uint64_t> size_of_flag(const std::string& flag, const std::string& text);
/// A size that must lie between two numbers; a failure names both.
[[nodiscard]] result<std::uint64_t> size_of_flag(const std::string& flag, const std::string& text, std::uint64_t least,
                                                 std::uint64_t most);
[[nodiscard]] result<double> rate_of_flag(const std::string& flag, const std::string& text);
[[nodiscard]] result<double> number_of_flag(const std::string& flag, const std::string& text);
/// A share is a rate (0.3, 30%, 1/3) or, if more keys are removed than stay, a number above 1.
[[nodiscard]] result<double> share_of_flag(const std::string& flag, const std::string& text);

} // namespace everbloom::cli
