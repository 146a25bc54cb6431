// The comparison of [Kwon §IV] for k = 2 and 3, which the paper ran and does not show.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

namespace everbloom::lab::dfp {
namespace {

/// Filters that the text ranks, for both numbers of hash functions.
struct ranking_at_other_hashes {
    place_count lower_rate;     // D-FP below TBF and QBF, at low loads
    place_count less_deletable; // D-FP below packed TBF and QBF
    place_count more_deletable; // D-FP above DlBF
    std::vector<artefact> figures;
};

result<void> add_hashes(laboratory& lab, std::uint64_t hashes, ranking_at_other_hashes& into) {
    // These filters are compared with each other and not with a formula: fewer queries decide that.
    constexpr double effort = 0.25;
    const auto curves = measure_over_load(lab, compared_filters(), 0, precision::rates, hashes, effort);
    if (!curves) return fail(curves.error());
    constexpr double low = 1.0 / 16; // as in Fig. 5
    const load_curve& ours = curve_of(*curves, dfp_filter());
    const auto compare = [&](const structure& other, auto note) {
        const load_curve& theirs = curve_of(*curves, other);
        for (std::size_t i = 0; i < ours.samples.size(); ++i) note(ours.samples[i], theirs.samples[i]);
    };
    for (const structure& other : {packed_ternary(), two_bit_ternary(), quaternary_filter()}) {
        compare(other, [&](const sample& one, const sample& their) {
            if (load_of(one) <= low) {
                into.lower_rate.note_less(one.measured(quantity::fpr), their.measured(quantity::fpr));
            }
        });
    }
    for (const structure& other : {packed_ternary(), quaternary_filter()}) {
        compare(other, [&](const sample& one, const sample& their) {
            into.less_deletable.note_less(one.measured(quantity::deletability), their.measured(quantity::deletability));
        });
    }
    for (const std::uint64_t region_bits : region_sizes) {
        compare(deletable_filter(region_bits), [&](const sample& one, const sample& their) {
            into.more_deletable.note_less(their.measured(quantity::deletability), one.measured(quantity::deletability));
        });
    }
    artefact shares{fmt::format("fig4_k{}", hashes),
                    fmt::format("Deletability over load, k = {}, m = 262144 bits for every filter", hashes),
                    axis_from_zero("load n/m (items per bit)"), share_axis("share of members that can be deleted")};
    artefact rates{fmt::format("fig5_k{}", hashes),
                   fmt::format("False positive rate over load, k = {}, m = 262144 bits for every filter", hashes),
                   axis_from_zero("load n/m (items per bit)"), rate_axis("false positive rate")};
    shares.reading = rates.reading = "Loads up to n = m/k, as in the figures for k = 4.";
    for (const load_curve& one : *curves) {
        shares.curves.push_back(one.drawn(quantity::deletability));
        rates.curves.push_back(one.drawn(quantity::fpr));
    }
    into.figures.push_back(std::move(shares));
    into.figures.push_back(std::move(rates));
    return {};
}

} // namespace

result<outcome> other_hashes(laboratory& lab) {
    ranking_at_other_hashes seen;
    for (const std::uint64_t hashes : {2, 3}) {
        if (auto done = add_hashes(lab, hashes, seen); !done) return fail(std::move(done.error()));
    }
    outcome found;
    found.findings = {{"other-k-fpr", seen.lower_rate.counted(), fmt::format("lower {}", seen.lower_rate.words())},
                      {"other-k-less-deletable", seen.less_deletable.counted(),
                       fmt::format("less deletable {}", seen.less_deletable.words())},
                      {"other-k-more-deletable", seen.more_deletable.counted(),
                       fmt::format("more deletable {}", seen.more_deletable.words())}};
    found.artefacts = std::move(seen.figures);
    return found;
}

} // namespace everbloom::lab::dfp
