// Experiments of [Bonomi06]: "An Improved Construction for Counting Bloom Filters".
#pragma once

#include "lab/papers/paper.hpp"

#include <vector>

namespace everbloom::lab::dleft {

[[nodiscard]] result<outcome> table_1(laboratory& lab);
[[nodiscard]] result<outcome> overflow(laboratory& lab);
[[nodiscard]] result<outcome> failsafe(laboratory& lab);
[[nodiscard]] result<outcome> counting_filter(laboratory& lab);
[[nodiscard]] result<outcome> space(laboratory& lab);
[[nodiscard]] result<outcome> constructions(laboratory& lab);
[[nodiscard]] result<outcome> chains_of_moves(laboratory& lab);

[[nodiscard]] inline std::vector<experiment> experiments() {
    return {
        {"table1", "Table 1: bucket loads, FPR and counters at load 6", table_1},
        {"overflow", "overflow over load, without moving", overflow},
        {"failsafe", "the failsafe at load 6.75", failsafe},
        {"counting", "a counting filter with the same FPR", counting_filter},
        {"space", "the space formulas of section 4", space},
        {"construction", "the flawed constructions of section 3, and the fourth subtable", constructions},
        {"moves", "maximum load with longer chains of moves", chains_of_moves},
    };
}

} // namespace everbloom::lab::dleft
