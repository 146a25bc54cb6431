// The sizing rule for k hash functions and m cells: m = ceil(-n ln P / (ln 2)^2), k = round(m/n ln 2).
//
// Rounding m and k means that P is met closely but not guaranteed: the model of each kind predicts the actual FPR.
#pragma once

#include <everbloom/core/units.hpp>
#include <everbloom/model/workload.hpp>
#include <everbloom/probe/positions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace everbloom {

struct cell_sizing {
    std::uint64_t cells;
    std::uint64_t hashes;
};

/// This number of cells fits the largest structure at any width up to a word.
inline constexpr auto most_planned_cells = static_cast<double>(max_structure_bits) / word_bits; // both powers of two

[[nodiscard]] inline auto too_many_cells(const workload& wanted) {
    return fail(failure_reason::bad_parameter,
                std::to_string(wanted.items) + " items at that FPR need too many cells; ask for fewer items");
}

/// The best k for `items` items in `cells` cells.
[[nodiscard]] inline std::uint64_t best_hashes(std::uint64_t cells, std::uint64_t items) noexcept {
    const double ideal = static_cast<double>(cells) / static_cast<double>(items) * std::numbers::ln2;
    return static_cast<std::uint64_t>(std::clamp(std::round(ideal), 1.0, static_cast<double>(max_hashes)));
}

/// `hashes` 0: choose them. Otherwise as many cells as that k needs: m = -kn / ln(1 - P^(1/k)).
[[nodiscard]] inline result<cell_sizing> size_cells(const workload& wanted, std::uint64_t hashes = 0) {
    if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
    constexpr double ln2_squared = std::numbers::ln2 * std::numbers::ln2;
    const auto items = static_cast<double>(wanted.items);
    const auto k = static_cast<double>(hashes);
    const double cells = hashes == 0 ? std::ceil(-items * std::log(wanted.fpr) / ln2_squared)
                                     : std::ceil(-k * items / std::log1p(-std::pow(wanted.fpr, 1 / k)));
    if (!(cells <= static_cast<double>(max_structure_bits))) {
        return fail(failure_reason::bad_parameter,
                    std::to_string(wanted.items) + " items at that FPR need more than 2^56 bits; ask for fewer items");
    }
    const auto rounded = std::max(static_cast<std::uint64_t>(cells), std::uint64_t{1});
    return cell_sizing{rounded, hashes == 0 ? best_hashes(rounded, wanted.items) : hashes};
}

} // namespace everbloom
