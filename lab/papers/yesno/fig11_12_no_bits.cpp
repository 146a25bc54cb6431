// Fig. 11 and 12 of [Carrea16 §V.C]: average number of false positives over q, the length of a no-filter. The text does not say what else
// changes with q: the whole filter, m = p + 3q with p = 160, or the yes-filter, p = 256 - 3q. Both are run here.
#include "lab/papers/yesno/curves.hpp"
#include "lab/papers/yesno/yesno.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace everbloom::lab::yesno {
namespace {

/// Quantile of the false positives per filter.
double quantile(std::vector<std::uint64_t> left, double share) {
    const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(left.size() - 1));
    std::nth_element(left.begin(), left.begin() + rank, left.end());
    return static_cast<double>(left[static_cast<std::size_t>(rank)]);
}

artefact statistics_of(const sweep& seen) {
    artefact figure{"fig11",
                    "False positives of single filters over the length of the no-filters, p = 160, first-fit",
                    {"q, bits of a no-filter"},
                    axis_from_zero("false positives of 100 negatives")};
    figure.reading = "From q = 40 on, more than 99 of 100 filters have no false positives.";
    series mean{"mean", {"#c44e52", 7, 0.5, 1.6}};
    series most{"90 % of the filters have at most", {"#2b7bba", 5, 0.5, 1.6}};
    series nearly_all{"99 % have at most", {"#2e8b57", 9, 0.6, 1.6}};
    series all{"the worst filter", {"#555b66", 4, 0.5, 1.6}};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const builds& one = seen.sights[i].plain;
        mean.points.push_back({seen.x[i], std::nullopt, std::nullopt, one.after});
        const auto add = [&](series& to, double value) {
            to.points.push_back({seen.x[i], std::nullopt, std::nullopt, estimate{value, value, value}});
        };
        add(most, quantile(one.left, 0.9));
        add(nearly_all, quantile(one.left, 0.99));
        add(all, quantile(one.left, 1));
    }
    figure.curves = {std::move(mean), std::move(most), std::move(nearly_all), std::move(all)};
    return figure;
}

double spread(const std::vector<estimate>& values) {
    const auto less = [](const estimate& a, const estimate& b) { return a.mean < b.mean; };
    const auto [least, most] = std::minmax_element(values.begin(), values.end(), less);
    return most->mean / std::max(least->mean, 1e-3); // smallest number that a run can distinguish from 0
}

std::string ends(const sweep& seen, const std::vector<estimate>& values, const valley& low) {
    return fmt::format("{:.3g} at q = {:.0f}, {:.2g} at q = {:.0f} (the lowest), {:.2g} at q = {:.0f}",
                       values.front().mean, seen.x.front(), values[low.lowest].mean, seen.x[low.lowest],
                       values.back().mean, seen.x.back());
}

} // namespace

result<outcome> over_no_bits(laboratory& lab) {
    std::vector<std::uint64_t> lengths(50);
    std::iota(lengths.begin(), lengths.end(), 10);
    if (lab.thoroughness().places != 0) lengths = {10, 14, 18, 22, 26, 29, 32, 36, 40, 45, 50, 55, 59};
    const auto same_yes = vary(lab, lengths, [](setting& one, std::uint64_t q) { one.spec.no_bits = q; });
    if (!same_yes) return fail(same_yes.error());
    const auto same_size = vary(lab, lengths, [](setting& one, std::uint64_t q) {
        one.spec.no_bits = q;
        one.spec.yes_bits = papers_bits - one.spec.no_filters * q;
    });
    if (!same_size) return fail(same_size.error());
    const auto longer = bloom_beside(lab, *same_yes, "Bloom filter, m = 160 + 3q", rivals_look());
    if (!longer) return fail(longer.error());
    const auto whole = bloom_beside(lab, *same_size, "Bloom filter, m = 256", rivals_look());
    if (!whole) return fail(whole.error());

    const axis x{"q, bits of a no-filter"};
    const axis y{"false positives of 100 negatives", axis_scale::logarithmic, 3e-4, 15};
    artefact fig12{"fig12", "False positives over the length of the no-filters, p = 160, m = 160 + 3q", x, y};
    fig12.curves = curves_of(*same_yes, std::span(&*longer, 1));
    fig12.reading =
        "Longer no-filters store more and cover fewer members: the number keeps falling, below what an experiment can "
        "measure.";
    artefact fixed{"fig12_fixed_m", "False positives over the length of the no-filters, m = 256, p = 256 - 3q", x, y};
    fixed.curves = curves_of(*same_size, std::span(&*whole, 1));
    fixed.reading = "Here longer no-filters shorten the yes-filter, which gives the minimum described in the paper.";
    for (artefact* one : {&fig12, &fixed}) one->paper_values = "Eq. 5";

    const auto yes_values = first_fit_values(*same_yes);
    const auto size_values = first_fit_values(*same_size);
    const valley yes_low = valley_of(yes_values);
    const valley size_low = valley_of(size_values);
    // A fall to zero is not a minimum: a later point must be significantly higher.
    bool rises_again = false;
    for (std::size_t i = yes_low.lowest + 1; i < yes_values.size(); ++i) {
        rises_again |= yes_values[i].low > yes_values[yes_low.lowest].high;
    }
    place_count below;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        below.note_less(yes_values[i], longer->measured[i]);
        below.note_less(size_values[i], whole->measured[i]);
    }
    outcome found;
    found.findings = {
        {"minimum-over-q", rises_again ? yes_low.share(yes_values.size()) : 0,
         "p = 160: " + ends(*same_yes, yes_values, yes_low)},
        {"minimum-over-q-same-size", size_low.share(size_values.size()),
         "m = 256: " + ends(*same_size, size_values, size_low)},
        {"q-below-bloom", below.counted(),
         fmt::format("{}; at q = 10 {:.2f} of p = 160 against {:.2f}, {:.2f} of m = 256 against {:.2f}", below.words(),
                     yes_values[0].mean, longer->measured[0].mean, size_values[0].mean, whole->measured[0].mean)},
        {"q-matters-little", spread(size_values),
         fmt::format("m = 256: {}; p = 160: {}", ends(*same_size, size_values, size_low),
                     ends(*same_yes, yes_values, yes_low))}};
    found.artefacts = {statistics_of(*same_yes), std::move(fig12), std::move(fixed)};
    return found;
}

} // namespace everbloom::lab::yesno
