// `reproduce today`: filters that are used today beside our kinds, on the same plots. Not a paper: its claims come from several.
#pragma once

#include "lab/papers/paper.hpp"

#include <vector>

namespace everbloom::lab::today {

[[nodiscard]] result<outcome> space_of_deletable(laboratory& lab);
[[nodiscard]] result<outcome> space_of_static(laboratory& lab);
[[nodiscard]] result<outcome> growth(laboratory& lab);
[[nodiscard]] result<outcome> known_negatives(laboratory& lab);
[[nodiscard]] result<outcome> churn_of_today(laboratory& lab);
[[nodiscard]] result<outcome> published_numbers(laboratory& lab);

[[nodiscard]] inline std::vector<experiment> experiments() {
    return {
        {"deletable", "bits per key against FPR, filters that can delete", space_of_deletable},
        {"static", "bits per key against FPR, filters for queries only", space_of_static},
        {"growth", "FPR, cache lines and bits while a set grows to 1024 times its size", growth},
        {"negatives", "false positives among known negatives for equal bits", known_negatives},
        {"churn", "deletable share of the members under churn", churn_of_today},
        {"published", "numbers that the authors of the rivals published, in the same settings", published_numbers},
    };
}

} // namespace everbloom::lab::today
