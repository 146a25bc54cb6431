// The experiments of [Summary02]: "Bloom Filter Executive Summary".
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

[[nodiscard]] inline std::vector<experiment> experiments() {
    return {
        {"sizing", "the sizing formulas, and the rate they promise", sizing},
        {"counters", "how high 4-bit counters count", counters},
        {"shared_bit", "two members that share a bit are deleted", shared_bit},
        {"deletion_methods", "collision array, counting filter, filter of deleted values", deletion_methods},
        {"space_of_deletion", "bits that deletion costs", space_of_deletion},
        {"gate", "the packet gate by filters and by exact sets", gate},
    };
}

} // namespace everbloom::lab::summary
