// Fig. 13 and 14 of [Carrea16 §V.D]: average number of false positives over r, the number of no-filters: added to a yes-filter of 160
// bits, or within a total of 256 bits.
#include "lab/papers/yesno/curves.hpp"
#include "lab/papers/yesno/yesno.hpp"

#include <fmt/format.h>

#include <numeric>

namespace everbloom::lab::yesno {
namespace {

std::vector<std::uint64_t> up_to(std::uint64_t most) {
    std::vector<std::uint64_t> made(most + 1);
    std::iota(made.begin(), made.end(), 0);
    return made;
}

} // namespace

result<outcome> over_no_filters(laboratory& lab) {
    const auto added = vary(lab, up_to(9), [](setting& one, std::uint64_t r) { one.spec.no_filters = r; });
    if (!added) return fail(added.error());
    const auto taken = vary(lab, up_to(7), [](setting& one, std::uint64_t r) {
        one.spec.no_filters = r;
        one.spec.yes_bits = papers_bits - one.spec.no_bits * r;
    });
    if (!taken) return fail(taken.error());
    const auto longer = bloom_beside(lab, *added, "Bloom filter, m = 160 + 32r", rivals_look());
    if (!longer) return fail(longer.error());
    const auto whole = bloom_beside(lab, *taken, "Bloom filter, m = 256", rivals_look());
    if (!whole) return fail(whole.error());

    const axis x{"r, no-filters", axis_scale::linear, -0.5, 9.5, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
    const axis y{"false positives of 100 negatives", axis_scale::logarithmic, 2e-3, 100};
    artefact fig13{"fig13", "False positives over the number of no-filters, p = 160, m = 160 + 32r", x, y};
    fig13.curves = curves_of(*added, std::span(&*longer, 1));
    fig13.reading = "Three no-filters are almost enough: with four or more only hopeless false positives remain, which "
                    "more no-filters "
                    "cannot prevent. Another seed can.";
    artefact fig14{"fig14",
                   "False positives over the number of no-filters, m = 256, p = 256 - 32r",
                   {x.label, x.scale, -0.5, 7.5, {0, 1, 2, 3, 4, 5, 6, 7}},
                   y};
    fig14.curves = curves_of(*taken, std::span(&*whole, 1));
    fig14.reading = "Three no-filters of 32 bits are the best division of 256 bits.";
    for (artefact* one : {&fig13, &fig14}) one->paper_values = "Eq. 5";

    const auto added_values = first_fit_values(*added);
    const auto taken_values = first_fit_values(*taken);
    place_count below;
    place_count falls;
    for (std::size_t r = 1; r < added_values.size(); ++r) {
        below.note_less(added_values[r], longer->measured[r]);
        falls.note_less(added_values[r], added_values[r - 1]);
    }
    const valley low = valley_of(taken_values);
    fit as_bloom(fit::error::relative, 0.02);
    for (const sweep* one : {&*added, &*taken}) {
        as_bloom.note(one->sights[0].plain.after,
                      our_bloom(bloom_of(one->sights[0].at.spec.yes_bits, 4, one->sights[0].at)));
    }
    outcome found;
    found.findings = {
        {"r-0-is-bloom", as_bloom.counted(),
         fmt::format("{:.2f} with 160 bits, {:.2f} with 256", added_values[0].mean, taken_values[0].mean)},
        {"r-below-bloom", below.counted(),
         fmt::format("for r = 1 to 9 {}; {:.2f} with one no-filter against {:.2f}", below.words(), added_values[1].mean,
                     longer->measured[1].mean)},
        {"r-falls", falls.counted(),
         fmt::format("falls {}; from r = 4 on it stays at {:.3f}, the hopeless false positives (expected: {:.3f})",
                     falls.words(), added_values[4].mean, added->sights[4].said.hopeless)},
        {"minimum-over-r", low.share(taken_values.size()),
         fmt::format("falls, then rises {}; the lowest, {:.3f}, is at r = {:.0f}", low.steps.words(),
                     taken_values[low.lowest].mean, taken->x[low.lowest])}};
    found.artefacts = {std::move(fig13), std::move(fig14)};
    return found;
}

} // namespace everbloom::lab::yesno
