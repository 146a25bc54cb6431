// Sizes of the arrays over which the raw bound of memory is measured.
//
// Every filter is compared with an array of its own size. Sizes that differ by less than a fifth share one, because the bound hardly
// moves between them and every size costs four measurements: sizes are rounded to the nearest power of 2^(1/4).
#pragma once

#include <cmath>
#include <cstdint>

namespace everbloom::bench {

[[nodiscard]] inline std::uint64_t bound_array_bytes(double payload_bytes) noexcept {
    const double steps = std::round(4 * std::log2(payload_bytes));
    const auto bytes = static_cast<std::uint64_t>(std::exp2(steps / 4));
    return bytes / 64 * 64;
}

} // namespace everbloom::bench
