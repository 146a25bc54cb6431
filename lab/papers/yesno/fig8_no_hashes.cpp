// Fig. 8 of [Carrea16 §V.A]: average number of false positives over k', the hash functions of the no-filters.
#include "lab/papers/yesno/curves.hpp"
#include "lab/papers/yesno/yesno.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace everbloom::lab::yesno {

result<outcome> over_no_hashes(laboratory& lab) {
    std::vector<std::uint64_t> hashes(14);
    std::iota(hashes.begin(), hashes.end(), 1);
    const auto seen = vary(lab, hashes, [](setting& one, std::uint64_t k) { one.spec.no_hashes = k; });
    if (!seen) return fail(seen.error());
    const auto whole = bloom_beside(lab, *seen, "Bloom filter, m = 256, k = 4", rivals_look(), 256);
    if (!whole) return fail(whole.error());

    artefact figure{"fig8",
                    "False positives over k'",
                    {"k', hash functions of the no-filters", axis_scale::linear, 0.0, 15.0},
                    {"false positives of 100 negatives", axis_scale::logarithmic, 1e-3, 20}};
    figure.curves = curves_of(*seen, std::span(&*whole, 1));
    figure.paper_values = "Eq. 5";
    figure.reading =
        "With k' = 1 a false positive is hopeless if it shares its only position with one of the 30 members. More hash "
        "functions make that rarer, and fill the no-filters sooner.";

    const auto values = first_fit_values(*seen);
    const valley low = valley_of(values);
    place_count below;
    for (std::size_t i = 0; i < values.size(); ++i) below.note_less(values[i], whole->measured[i]);
    const double highest = std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) {
                               return a.mean < b.mean;
                           })->mean;
    const double at_5 = values[4].mean;
    outcome found;
    found.findings = {
        {"minimum-over-no-hashes", low.share(values.size()),
         fmt::format("falls, then rises {}; the lowest, {:.3f}, is at k' = {:.0f}", low.steps.words(),
                     values[low.lowest].mean, seen->x[low.lowest])},
        {"no-hashes-below-bloom", below.counted(),
         fmt::format("{}; {:.2f} with k' = 1 against {:.2f}", below.words(), values[0].mean, whole->measured[0].mean)},
        {"no-hashes-matter-little", highest / std::max(values[low.lowest].mean, 1e-9),
         fmt::format("{:.2f} with k' = 1, {:.2f} with 2, {:.3f} with 3, {:.3f} with 5, {:.3f} with 14", values[0].mean,
                     values[1].mean, values[2].mean, at_5, values[13].mean)}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::yesno
