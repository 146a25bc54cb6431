// Crossing of the curves of two filters: by the models, and by a fit to measurements around that load.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <optional>

namespace everbloom::lab::dfp {

/// Two filters with the same number of bits and hash functions, and the compared quantity.
struct duel {
    structure left;
    structure right;
    quantity compared;
    double removed_share = 0;
};

/// The load n/m at which the models of the two agree, if there is one between m/64 and `largest_load`.
[[nodiscard]] result<std::optional<double>> modelled_crossing(const duel& between, double largest_load);

/// The load at which the measured curves cross, near the load predicted by the models: a parabola is fitted to the logarithms of their
/// ratios, at seven loads from half to twice the predicted one.
[[nodiscard]] result<estimate> measured_crossing(laboratory& lab, const duel& between, double near_load);

} // namespace everbloom::lab::dfp
