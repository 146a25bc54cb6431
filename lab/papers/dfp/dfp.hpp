// Experiments of [Kwon]: "A Fingerprint-based Bloom Filter with Deletion Capabilities".
#pragma once

#include "lab/papers/paper.hpp"

#include <vector>

namespace everbloom::lab::dfp {

[[nodiscard]] result<outcome> equations(laboratory& lab);
[[nodiscard]] result<outcome> deletable_model_figure(laboratory& lab);
[[nodiscard]] result<outcome> deletability_figure(laboratory& lab);
[[nodiscard]] result<outcome> fpr_figure(laboratory& lab);
[[nodiscard]] result<outcome> removal_figures(laboratory& lab);
[[nodiscard]] result<outcome> deletability_after_removals(laboratory& lab);
[[nodiscard]] result<outcome> crossing_loads(laboratory& lab);
[[nodiscard]] result<outcome> churn(laboratory& lab);
[[nodiscard]] result<outcome> other_hashes(laboratory& lab);
[[nodiscard]] result<outcome> fingerprint_counting(laboratory& lab);

[[nodiscard]] inline std::vector<experiment> experiments() {
    return {
        {"equations", "Eq. 2 and 3 against simulation", equations},
        {"fig3", "Fig. 3: the two models of the deletable filter", deletable_model_figure},
        {"fig4", "Fig. 4: deletability over load", deletability_figure},
        {"fig5", "Fig. 5: false positive rate over load", fpr_figure},
        {"fig6_7", "Fig. 6, 7: false positive rate after deletions", removal_figures},
        {"removals", "deletability after deletions", deletability_after_removals},
        {"crossings", "crossing loads of the filters", crossing_loads},
        {"churn", "long churn against the chain model", churn},
        {"other_k", "the comparison for k = 2 and 3", other_hashes},
        {"fpcbf", "the counting filter with fingerprints", fingerprint_counting},
    };
}

} // namespace everbloom::lab::dfp
