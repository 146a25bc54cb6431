// Experiments of [Summary02]: "Bloom Filter Executive Summary".
#pragma once

#include "lab/papers/paper.hpp"

#include <vector>

namespace everbloom::lab::summary {

[[nodiscard]] result<outcome> sizing(laboratory& lab);
[[nodiscard]] result<outcome> counters(laboratory& lab);
[[nodiscard]] result<outcome> shared_bit(laboratory& lab);
[[nodiscard]] result<outcome> deletion_methods(laboratory& lab);
[[nodiscard]] result<outcome> space_of_deletion(laboratory& lab);
[[nodiscard]] result<outcome> gate(laboratory& lab);
[[nodiscard]] result<outcome> hashing(laboratory& lab);

[[nodiscard]] inline std::vector<experiment> experiments() {
    return {
        {"sizing", "sizing formulas and their FPR", sizing},
        {"counters", "values of 4-bit counters", counters},
        {"shared_bit", "deletion of two members that share a bit", shared_bit},
        {"deletion_methods", "collision array, counting filter, filter of deleted values", deletion_methods},
        {"space_of_deletion", "space cost of deletion", space_of_deletion},
        {"hashing", "hashes modulo m, MD5, and the structure", hashing},
        {"gate", "packet gate with filters and with exact sets", gate},
    };
}

} // namespace everbloom::lab::summary
