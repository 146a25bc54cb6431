// Where the curve of one filter crosses another's: by the models, and by a line through measurements around that load.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <optional>

namespace everbloom::lab::dfp {

/// Two filters of the same bits and hashes, and what is compared.
struct duel {
    structure left;
    structure right;
    quantity compared;
    double removed_share = 0;
};

/// The load n/m at which the models of the two agree, if there is one between m/64 and `largest_load`.
[[nodiscard]] result<std::optional<double>> modelled_crossing(const duel& between, double largest_load);

/// The load at which the measured curves cross, near the load that the models say: a parabola is laid through the logarithms of
/// their ratios, at seven loads from half of it to twice.
[[nodiscard]] result<estimate> measured_crossing(laboratory& lab, const duel& between, double near_load);

} // namespace everbloom::lab::dfp
