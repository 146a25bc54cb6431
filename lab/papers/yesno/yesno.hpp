// Experiments of [Carrea16]: "Yes-no Bloom filter: A way of representing sets with fewer false positives".
#pragma once

#include "lab/papers/paper.hpp"

#include <vector>

namespace everbloom::lab::yesno {

[[nodiscard]] result<outcome> over_yes_hashes(laboratory& lab);
[[nodiscard]] result<outcome> over_no_hashes(laboratory& lab);
[[nodiscard]] result<outcome> over_members(laboratory& lab);
[[nodiscard]] result<outcome> over_no_bits(laboratory& lab);
[[nodiscard]] result<outcome> over_no_filters(laboratory& lab);
[[nodiscard]] result<outcome> on_networks(laboratory& lab);
[[nodiscard]] result<outcome> formulas(laboratory& lab);
[[nodiscard]] result<outcome> assignments(laboratory& lab);
[[nodiscard]] result<outcome> parameters(laboratory& lab);
[[nodiscard]] result<outcome> construction_cost(laboratory& lab);
[[nodiscard]] result<outcome> second_order(laboratory& lab);

[[nodiscard]] inline std::vector<experiment> experiments() {
    return {
        {"fig6", "Fig. 6, 7: hash functions of the yes-filter", over_yes_hashes},
        {"fig8", "Fig. 8: hash functions of the no-filters", over_no_hashes},
        {"fig9", "Fig. 9, 10: members, and the crossover", over_members},
        {"fig11", "Fig. 11, 12: length of the no-filters", over_no_bits},
        {"fig13", "Fig. 13, 14: number of no-filters", over_no_filters},
        {"fig16", "Fig. 16 to 18: paths through networks", on_networks, key_source::random,
         network_source::own_or_given},
        {"formulas", "section IV: the formulas against simulation", formulas},
        {"assignment", "better assignments than first-fit", assignments},
        {"cost", "section VI: the cost of the no-filters", construction_cost},
        {"second_order", "section VIII: false links behind false links", second_order},
        {"parameters", "sections III and VIII: parameters and the cost of a query", parameters},
    };
}

} // namespace everbloom::lab::yesno
