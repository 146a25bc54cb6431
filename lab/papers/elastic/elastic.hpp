// Experiments of [Wu21]: "Elastic Bloom Filter: Deletable and Expandable Filter Using Elastic Fingerprints".
#pragma once

#include "lab/papers/paper.hpp"

#include <vector>

namespace everbloom::lab::elastic {

[[nodiscard]] result<outcome> rate_over_size(laboratory& lab);
[[nodiscard]] result<outcome> rate_over_memory(laboratory& lab);
[[nodiscard]] result<outcome> speed_of_operations(laboratory& lab);
[[nodiscard]] result<outcome> speed_of_mixes(laboratory& lab);
[[nodiscard]] result<outcome> speed_of_threads(laboratory& lab);
[[nodiscard]] result<outcome> slow_memory(laboratory& lab);
[[nodiscard]] result<outcome> time_of_expansion(laboratory& lab);
[[nodiscard]] result<outcome> load_rate(laboratory& lab);
[[nodiscard]] result<outcome> bucket_size(laboratory& lab);
[[nodiscard]] result<outcome> parameters(laboratory& lab);
[[nodiscard]] result<outcome> alternating_load(laboratory& lab);

[[nodiscard]] inline std::vector<experiment> experiments() {
    constexpr auto trace = key_source::random_or_trace;
    return {
        {"fig3", "Fig. 3: FPR during insertions", rate_over_size, trace},
        {"fig4", "Fig. 4: FPR over the initial size", rate_over_memory, trace},
        {"fig5", "Fig. 5: speed of each operation", speed_of_operations, trace},
        {"fig6", "Fig. 6: speed of mixes of operations", speed_of_mixes, trace},
        {"fig7", "Fig. 7: several threads", speed_of_threads},
        {"fig8a", "Fig. 8a: slow memory over expansions", slow_memory, trace},
        {"fig8b", "Fig. 8b: duration of an expansion", time_of_expansion},
        {"fig9", "Fig. 9: load rate of the bucket tree", load_rate, trace},
        {"theorem_4_2", "Theorem 4.2: what resizing costs under an alternating load", alternating_load},
        {"bucket_size", "section 4.3: bucket size", bucket_size},
        {"parameters", "section 4.3 and Table 1: the other parameters", parameters},
    };
}

} // namespace everbloom::lab::elastic
