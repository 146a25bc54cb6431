// Quantities as people write them: 10k, 4MiB, 1e6; 0.001, 0.1%, 1/1000.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <string_view>

namespace everbloom {

/// A whole number with an optional suffix: k M G T (thousands), Ki Mi Gi Ti (1024s), each may end in B.
[[nodiscard]] result<std::uint64_t> parse_size(std::string_view text);

/// A number from 0 to 1 as a decimal, a percentage or a fraction.
[[nodiscard]] result<double> parse_rate(std::string_view text);

/// A decimal or a percentage, as a number of millionths.
[[nodiscard]] result<std::uint64_t> parse_millionths(std::string_view text);

/// Any finite number that is not negative.
[[nodiscard]] result<double> parse_number(std::string_view text);

} // namespace everbloom
