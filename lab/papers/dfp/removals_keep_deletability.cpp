// [Kwon §III.C]: after n + r insertions and r deletions, the deletability is that of a filter with n + r items and no deletions.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::lab::dfp {
namespace {

constexpr auto deletability = quantity::deletability;

std::vector<condition> with_all_still_there(const std::vector<sample>& after) {
    std::vector<condition> before;
    for (const sample& one : after) {
        condition all = one.under;
        all.items += static_cast<std::uint64_t>(std::llround(all.removed_share * static_cast<double>(all.items)));
        all.removed_share = 0;
        before.push_back(std::move(all));
    }
    return before;
}

} // namespace

result<outcome> deletability_after_removals(laboratory& lab) {
    artefact figure{"removals", "Deletability after r = 0.1 .. 0.4 n deletions, over the load before them",
                    axis_from_zero("load (n + r)/m before the deletions (items per bit)"),
                    share_axis("share of members that can be deleted")};
    figure.paper_values = "no deletions";
    figure.reading =
        "The points of all four shares lie on the curve of the filter without deletions: saturated cells stay "
        "saturated, and deleted items are a random sample of all items.";
    fit unchanged(fit::error::absolute, 0.005);
    for (const structure& filter : compared_filters()) {
        series line{filter.label, filter.drawn, {}};
        for (const double removed_share : removed_shares) {
            const auto after = measure_over_load(lab, {filter}, removed_share, precision::deletability_only);
            if (!after) return fail(after.error());
            const std::vector<sample>& samples = after->front().samples;
            const auto before = lab.measure(with_all_still_there(samples), precision::deletability_only);
            if (!before) return fail(before.error());
            for (std::size_t i = 0; i < samples.size(); ++i) {
                const sample& all = (*before)[i];
                const estimate gap = difference(samples[i].measured(deletability), all.measured(deletability));
                unchanged.note(gap, 0);
                point here = samples[i].at(load_of(all), deletability);
                here.paper = all.measured(deletability).mean;
                line.points.push_back(std::move(here));
            }
        }
        std::sort(line.points.begin(), line.points.end(), [](const point& a, const point& b) { return a.x < b.x; });
        figure.curves.push_back(std::move(line));
    }
    outcome found;
    found.findings.push_back({"deletability-unchanged", unchanged.counted(), unchanged.words()});
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::dfp
