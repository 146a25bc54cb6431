// Fig. 4: deletable share over load, for all filters with the same number of bits, and the claims about it.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/crossing.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

namespace everbloom::lab::dfp {
namespace {

constexpr auto deletability = quantity::deletability;

/// At how many points the first filter is less deletable than the second.
place_count places_below(const load_curve& first, const load_curve& second) {
    place_count places;
    for (std::size_t i = 0; i < first.samples.size(); ++i) {
        places.note_less(first.samples[i].measured(deletability), second.samples[i].measured(deletability));
    }
    return places;
}

result<finding> more_deletable_than_deletable(const std::vector<load_curve>& curves) {
    place_count everywhere;
    std::string evidence;
    const load_curve& ours = curve_of(curves, dfp_filter());
    for (const std::uint64_t region_bits : region_sizes) {
        const load_curve& theirs = curve_of(curves, deletable_filter(region_bits));
        for (std::size_t i = 0; i < ours.samples.size(); ++i) {
            everywhere.note_less(theirs.samples[i].measured(deletability), ours.samples[i].measured(deletability));
        }
        const auto crossing = modelled_crossing({ours.filter, theirs.filter, deletability}, 1.0 / figure_hashes);
        if (!crossing) return fail(crossing.error());
        const place_count here = places_below(theirs, ours);
        evidence += fmt::format("{}regions of {}: holds {}{}", evidence.empty() ? "" : "; ", region_bits, here.words(),
                                *crossing ? fmt::format(", above n/m = {:.3f}", **crossing) : "");
    }
    return finding{"more-deletable-than-dlbf", everywhere.counted(), evidence};
}

finding less_deletable_than(const std::vector<load_curve>& curves, const structure& other, std::string claim) {
    const load_curve& ours = curve_of(curves, dfp_filter());
    const load_curve& theirs = curve_of(curves, other);
    place_count below;
    std::size_t identical = 0;
    double largest = 0;
    for (std::size_t i = 0; i < ours.samples.size(); ++i) {
        const double gap = theirs.samples[i].measured(deletability).mean - ours.samples[i].measured(deletability).mean;
        below.note_strictly_less(ours.samples[i].measured(deletability), theirs.samples[i].measured(deletability));
        identical += gap == 0 ? 1 : 0;
        largest = std::max(largest, gap);
    }
    std::string evidence = identical == ours.samples.size()
                               ? fmt::format("with the same keys the two can delete the same number of members at all "
                                             "{} loads, to the last member",
                                             identical)
                               : fmt::format("lower {}, by up to {:.3f}", below.words(), largest);
    return {std::move(claim), below.counted(), std::move(evidence)};
}

/// From the lowest to the highest load.
estimate loss(const load_curve& curve) {
    return difference(curve.samples.front().measured(deletability), curve.samples.back().measured(deletability));
}

finding less_dependent_on_load(const std::vector<load_curve>& curves) {
    const estimate ours = loss(curve_of(curves, dfp_filter()));
    place_count regions;
    std::string evidence = fmt::format("from the lowest to the highest load D-FP loses {:.3f}", ours.mean);
    for (const std::uint64_t region_bits : region_sizes) {
        const estimate theirs = loss(curve_of(curves, deletable_filter(region_bits)));
        regions.note_less(ours, theirs);
        evidence += fmt::format(", DlBF with regions of {} {:.3f}", region_bits, theirs.mean);
    }
    return {"less-dependent-on-load", regions.counted(), evidence};
}

/// Large regions leave more bits for the filter, and make fewer members deletable.
finding large_regions(const std::vector<load_curve>& curves) {
    const load_curve& small = curve_of(curves, deletable_filter(region_sizes.front()));
    const load_curve& large = curve_of(curves, deletable_filter(region_sizes.back()));
    place_count places;
    for (std::size_t i = 0; i < small.samples.size(); ++i) {
        places.note_less(large.samples[i].measured(deletability), small.samples[i].measured(deletability));
        places.note_less(large.samples[i].measured(quantity::fpr), small.samples[i].measured(quantity::fpr));
    }
    return {
        "large-regions", places.counted(),
        fmt::format(
            "regions of 16 against regions of 4: lower FPR and lower deletability {}; deletable share at the highest "
            "load {:.3f} against {:.3f}",
            places.words(), large.samples.back().measured(deletability).mean,
            small.samples.back().measured(deletability).mean)};
}

/// The undeletable share on a logarithmic axis, which shows the crossings at low loads.
artefact undeletable_figure(const std::vector<load_curve>& curves) {
    artefact figure{"fig4_undeletable",
                    "Members that cannot be deleted, over load, k = 4, m = 262144 bits for every filter",
                    axis_from_zero("load n/m (items per bit)"), rate_axis("share of members that cannot be deleted")};
    figure.reading = "The measurements of Fig. 4. The deletable filter starts below D-FP and crosses it; the smaller "
                     "its regions, the "
                     "higher the crossing load.";
    for (const load_curve& one : curves) {
        series line = one.drawn(deletability);
        for (point& each : line.points) {
            if (each.model) each.model = 1 - *each.model;
            if (each.measured) each.measured = complement(*each.measured);
        }
        for (auto& [load, share] : line.model_curve) share = 1 - share;
        figure.curves.push_back(std::move(line));
    }
    return figure;
}

} // namespace

result<outcome> deletability_figure(laboratory& lab) {
    const auto curves = measure_over_load(lab, compared_filters());
    if (!curves) return fail(curves.error());
    artefact figure{"fig4", "Deletability over load, k = 4, m = 262144 bits for every filter",
                    axis_from_zero("load n/m (items per bit)"), share_axis("share of members that can be deleted")};
    figure.reading = "D-FP and the ternary filter with two-bit cells share one curve.";
    for (const load_curve& one : *curves) figure.curves.push_back(one.drawn(deletability));

    outcome found;
    auto more = more_deletable_than_deletable(*curves);
    if (!more) return fail(std::move(more.error()));
    found.findings = {std::move(*more),
                      less_deletable_than(*curves, two_bit_ternary(), "less-deletable-than-tbf-two-bit"),
                      less_deletable_than(*curves, packed_ternary(), "less-deletable-than-tbf-packed"),
                      less_deletable_than(*curves, quaternary_filter(), "less-deletable-than-qbf"),
                      less_dependent_on_load(*curves),
                      large_regions(*curves)};
    found.artefacts = {std::move(figure), undeletable_figure(*curves)};
    return found;
}

} // namespace everbloom::lab::dfp
