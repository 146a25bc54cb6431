// Bucket size: D of [Wu21 §4.3], which uses Lemma 4.1 although its condition a > 4 is not met, against the exact Poisson tail.
#include "lab/papers/elastic/bucket_filling.hpp"
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"

#include <everbloom/model/elastic/elastic_load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace everbloom::lab::elastic {
namespace {

constexpr unsigned papers_power = 18;

/// Fingerprints per bucket when the share of set bits is at the threshold.
double load_at_threshold() { return -std::log1p(-papers_threshold); }

/// e n k / m ln m / ln ln m: §4.3 with epsilon = 1 / m.
double slots_of_the_paper(double buckets) {
    const double logarithm = std::log(buckets);
    return std::numbers::e * load_at_threshold() * logarithm / std::log(logarithm);
}

/// Minimum number of slots such that no bucket overflows with probability 1 - 1 / m.
std::uint64_t slots_needed(double buckets) {
    std::uint64_t slots = 1;
    while (buckets * bucket_overflow(load_at_threshold(), slots) > 1 / buckets) ++slots;
    return slots;
}

/// Share of runs in which a bucket has more fingerprints than slots.
trial_tally overflows(const laboratory& lab, std::uint64_t buckets, std::uint64_t slots, std::uint64_t runs) {
    const auto fingerprints =
        static_cast<std::uint64_t>(std::llround(load_at_threshold() * static_cast<double>(buckets)));
    std::vector<std::uint8_t> overflowed(runs, 0);
    lab.in_parallel(runs, [&](std::uint64_t run) {
        std::vector<std::uint8_t> loads(buckets, 0);
        random_places places(lab.seed() + run * 1'000'003 + buckets, buckets);
        for (std::uint64_t i = 0; i < fingerprints && overflowed[run] == 0; ++i) {
            overflowed[run] = ++loads[places.next()] > slots ? 1 : 0;
        }
    });
    lab.report(runs * fingerprints);
    return {static_cast<std::uint64_t>(std::count(overflowed.begin(), overflowed.end(), 1)), runs};
}

} // namespace

result<outcome> bucket_size(laboratory& lab) {
    const bool as_the_paper = lab.thoroughness().places == 0;
    const std::uint64_t runs = as_the_paper ? 1000 : 100;
    const unsigned largest = as_the_paper ? 22 : papers_power;
    artefact figure{"bucket_overflow",
                    "Probability that a bucket overflows before the threshold 0.2, with the bucket size of section 4.3",
                    {"log2 of the buckets"},
                    {"probability", axis_scale::logarithmic, std::nullopt, 1.5}};
    figure.paper_values = "epsilon = 1 / m";
    figure.reading = "The bucket size is meant to limit the probability to 1 / m. Lemma 4.1 requires a > 4, but a = e "
                     "n k / m = 0.61, "
                     "so the bound does not hold.";
    artefact slots_figure{"bucket_size",
                          "Slots per bucket: section 4.3 against the exact Poisson tail",
                          {"log2 of the buckets"},
                          axis_from_zero("slots")};
    slots_figure.reading =
        "The tree of the paper's experiments, with 8 slots and a shared bucket of 8 more, is large enough.";
    series chance{"D of section 4.3", {"#e08a1e", 5, 0.6, 1.6}};
    series theirs{"section 4.3, rounded up", {"#e08a1e", 5, 0.6, 1.6}};
    series needed{"exact tail", {"#2b7bba", 7, 0.6, 1.6}};
    finding found_small{"bucket-size", 0, ""};
    for (unsigned power = 12; power <= largest; power += 2) {
        const double buckets = std::exp2(power);
        const auto slots = static_cast<std::uint64_t>(std::ceil(slots_of_the_paper(buckets)));
        const double said = -std::expm1(-buckets * bucket_overflow(load_at_threshold(), slots));
        const trial_tally counted = overflows(lab, std::uint64_t{1} << power, slots, runs);
        const estimate measured = estimate_share(std::span(&counted, 1));
        const std::vector<std::pair<std::string, double>> setting{{"slots", static_cast<double>(slots)}};
        chance.points.push_back({static_cast<double>(power), 1 / buckets, said, measured, setting});
        theirs.points.push_back({static_cast<double>(power), std::nullopt, static_cast<double>(slots), std::nullopt});
        needed.points.push_back(
            {static_cast<double>(power), std::nullopt, static_cast<double>(slots_needed(buckets)), std::nullopt});
        if (power != papers_power) continue;
        found_small = {
            "bucket-size", measured.mean,
            fmt::format("m = 2^18: D = {:.2f}, so {} slots; a bucket overflows in {:.0f} % of {} runs ({:.0f} % by the "
                        "Poisson tail); {} slots are needed for 1 / m",
                        slots_of_the_paper(buckets), slots, 100 * measured.mean, runs, 100 * said,
                        slots_needed(buckets))};
    }
    figure.curves.push_back(std::move(chance));
    slots_figure.curves = {std::move(theirs), std::move(needed)};
    outcome found;
    found.findings = {
        std::move(found_small),
        {"lemma-condition", std::numbers::e * load_at_threshold(),
         fmt::format("a = e n k / m = {:.3f} at the threshold 0.2", std::numbers::e * load_at_threshold())}};
    found.artefacts = {std::move(figure), std::move(slots_figure)};
    return found;
}

} // namespace everbloom::lab::elastic
