// The effect of long churn on saturating cells: members are replaced one at a time, and more and more cells saturate.
//
// Time is measured in turnovers: in one turnover every member is replaced once on average. Items come to a cell at the rate
// L = kn/M, and each item in it leaves at the rate 1. The exact values 0..c of a cell are a birth-death chain that leaks from its
// top into "saturated", an absorbing state. A region of the deletable filter has its own chain. Both are linear
// differential equations, solved in src/churn.cpp. Derivation: docs/models/churn.md.
//
// Whether a member can be removed depends on its age: its cells may saturate during its lifetime. Ages are exponential.
#pragma once

#include <cstdint>
#include <vector>

namespace everbloom {

/// How a filter was filled before the churn began.
struct churn_start {
    double load;          // k (items ever inserted) / cells
    double deleted_share; // of those
    double churn_load;    // k (items present) / cells: the load that the churn keeps up
    double churn_rounds;
    unsigned hashes;
};

struct churned_cells {
    double empty;        // share of cells that are empty
    double lone;         // share with exactly one item that are not saturated
    double deletability; // chance that a random member has a cell that is not saturated
};

/// Cells that count exactly up to `exact_up_to`.
[[nodiscard]] churned_cells churn_cells(const churn_start& start, std::uint64_t exact_up_to);

struct churned_regions {
    double zero_bits; // share of bits that are zero
    double deletability;
};

/// Regions of `region_bits` bits with one collision flag.
[[nodiscard]] churned_regions churn_regions(const churn_start& start, std::uint64_t region_bits);

} // namespace everbloom
