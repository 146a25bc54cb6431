// Fig. 6 and 7 of [Carrea16 §V.A]: average number of false positives over k, the hash functions of the yes-filter, compared with Bloom
// filters of m = 256 and p = 160 bits with the same k.
#include "lab/papers/yesno/curves.hpp"
#include "lab/papers/yesno/yesno.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace everbloom::lab::yesno {
namespace {

/// Number of points that fit the best division into "below the Bloom filter first, above it later".
place_count first_below_then_above(const sweep& seen, const rival& other) {
    place_count best;
    for (std::size_t change = 1; change < seen.size(); ++change) {
        place_count places;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const estimate& ours = seen.sights[i].plain.after;
            if (i < change) {
                places.note_less(ours, other.measured[i]);
            } else {
                places.note_less(other.measured[i], ours);
            }
        }
        if (places.held() > best.held()) best = places;
    }
    return best;
}

/// The first k at which the Bloom filter is better; 0 if there is none.
double first_above(const sweep& seen, const rival& other) {
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen.sights[i].plain.after.mean > other.measured[i].mean) return seen.x[i];
    }
    return 0;
}

} // namespace

result<outcome> over_yes_hashes(laboratory& lab) {
    std::vector<std::uint64_t> hashes(14);
    std::iota(hashes.begin(), hashes.end(), 1);
    const auto seen = vary(lab, hashes, [](setting& one, std::uint64_t k) { one.spec.yes_hashes = k; });
    if (!seen) return fail(seen.error());
    const auto whole = bloom_beside(lab, *seen, "Bloom filter, m = 256", rivals_look(), 256);
    if (!whole) return fail(whole.error());
    const auto yes_only = bloom_beside(lab, *seen, "Bloom filter, p = 160", second_rivals_look(), 160);
    if (!yes_only) return fail(yes_only.error());

    const axis x{"k, hash functions of the yes-filter", axis_scale::linear, 0.0, 15.0};
    const axis y{"false positives of 100 negatives", axis_scale::logarithmic, 1e-3, 200};
    artefact fig6{"fig6", "False positives over k, compared with a Bloom filter of the same size", x, y};
    fig6.curves = curves_of(*seen, std::span(&*whole, 1));
    fig6.reading = "With k = 3 to 5 the no-filters can store nearly all false positives. With few or many hash "
                   "functions there are "
                   "too many of them. Our search reaches the bound until the no-filters are full.";
    artefact fig7{"fig7", "False positives over k, compared with a Bloom filter as long as the yes-filter", x, y};
    fig7.curves = curves_of(*seen, std::span(&*yes_only, 1));
    fig7.reading =
        "The Bloom filter of 160 bits is the yes-filter alone: the difference is the effect of the no-filters.";
    for (artefact* one : {&fig6, &fig7}) one->paper_values = "Eq. 5";

    const auto values = first_fit_values(*seen);
    const valley low = valley_of(values);
    const place_count crossing = first_below_then_above(*seen, *whole);
    place_count below;
    place_count not_above;
    double shortfall = 0;
    for (std::size_t i = 0; i < seen->size(); ++i) {
        below.note_less(values[i], yes_only->measured[i]);
        for (const rival* one : {&*whole, &*yes_only}) {
            const double said = papers_bloom(one->filters[i]);
            const estimate& measured = one->measured[i];
            // Twice the interval: of 28 points one or two are outside of the interval by chance.
            not_above.note(said <= measured.mean + 2 * (measured.high - measured.mean));
            shortfall = std::max(shortfall, our_bloom(one->filters[i]) / said - 1);
        }
    }
    outcome found;
    found.findings = {
        {"minimum-over-k", low.share(values.size()),
         fmt::format("falls, then rises {}; the lowest, {:.3f}, is at k = {:.0f}", low.steps.words(),
                     values[low.lowest].mean, seen->x[low.lowest])},
        {"small-k-better", crossing.counted(),
         fmt::format("{}; from k = {:.0f} on the Bloom filter is better", crossing.words(),
                     first_above(*seen, *whole))},
        {"no-filters-reduce-over-k", below.counted(),
         fmt::format("below the Bloom filter of 160 bits {}; at k = 4 {:.3f} against {:.2f}", below.words(),
                     values[3].mean, yes_only->measured[3].mean)},
        {"eq5", not_above.counted(),
         fmt::format("not above the measured number {}; by our model the true number is higher by up to {:.1f} %",
                     not_above.words(), 100 * shortfall)}};
    found.artefacts = {std::move(fig6), std::move(fig7)};
    return found;
}

} // namespace everbloom::lab::yesno
