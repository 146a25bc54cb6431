// Parameters of [Wu21]: set bits with 2^14 items in 2^18 bits, and the formulas of section 4.3.
#include "lab/papers/comparison.hpp"
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/elastic/handling.hpp"
#include "lab/papers/elastic/workload_keys.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::lab::elastic {
namespace {

double set_share(double items) {
    return -std::expm1(-static_cast<double>(papers_hashes) * items / static_cast<double>(papers_bits));
}

/// The share of set bits, computed from the estimated FPR, which is its k-th power. Filters of 2^18 bits differ by less than 0.1 %.
result<estimate> measured_share(std::uint64_t items) {
    auto filter = build_contender(bloom_contender(), papers_bits);
    if (!filter) return fail(std::move(filter.error()));
    const trial_randomness random(items, 0);
    std::vector<digest> keys;
    for (std::uint64_t i = 0; i < items; ++i) keys.push_back(random(random_stream::members, i));
    if (auto filled = insert_all(*filter, keys); !filled) return fail(std::move(filled.error()));
    const double share = std::pow(filter->measure().fpr, 1.0 / papers_hashes);
    const trial_tally counted{static_cast<std::uint64_t>(std::llround(share * static_cast<double>(papers_bits))),
                              papers_bits};
    return estimate_share(std::span(&counted, 1));
}

} // namespace

result<outcome> parameters(laboratory& lab) {
    artefact figure{"set_bits", "Share of set bits in 2^18 bits with k = 5, before any expansion",
                    axis_from_zero("relative peak data size (1: 2^14 items)"), axis_from_zero("share of set bits")};
    figure.reference = papers_threshold;
    figure.reading = "The line is the expansion threshold: it is crossed at 0.71 of the 2^14 items that should not "
                     "cause an expansion.";
    series line{"bloom, 2^18 bits", {"#2b7bba", 7, 0.6, 1.6}};
    estimate at_papers_items;
    for (std::uint64_t eighth = 1; eighth <= 8; ++eighth) {
        const std::uint64_t items = papers_items * eighth / 8;
        auto measured = measured_share(items);
        if (!measured) return fail(std::move(measured.error()));
        lab.report(items);
        line.points.push_back({static_cast<double>(eighth) / 8,
                               std::nullopt,
                               set_share(static_cast<double>(items)),
                               *measured,
                               {{"items", static_cast<double>(items)}}});
        at_papers_items = *measured;
    }
    figure.curves.push_back(std::move(line));

    const double rate = std::pow(papers_threshold, papers_hashes);
    const double hashes = std::log2(1 / rate);
    const double bits = static_cast<double>(papers_hashes * papers_items) / -std::log1p(-papers_threshold);
    constexpr std::uint64_t bits_per_hash = papers_bits / papers_hashes;
    outcome found;
    found.findings = {
        {"first-items-do-not-expand", at_papers_items.mean,
         fmt::format(
             "1 - e^(-5/16) = {:.3f} predicted, {:.3f} measured with 2^14 items; the threshold is reached with {:.0f}",
             set_share(static_cast<double>(papers_items)), at_papers_items.mean,
             -std::log1p(-papers_threshold) * static_cast<double>(bits_per_hash))},
        {"sign-of-k", hashes,
         fmt::format("log2(1 / {:.2g}) = {:.2f}; -log2(1 / delta) is below zero for every rate", rate, hashes)},
        {"sign-of-m", bits,
         fmt::format("5 x 2^14 / -ln(1 - 0.2) = {:.0f} bits; ln(1 - delta^(1/k)) is below zero for every rate", bits)},
        {"table-1-size", std::log2(static_cast<double>(papers_bits)),
         "sections 5.2 and 5.3 begin with 2^18 bits; with 2^15 bits, 2^14 items would set 92 % of them"}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::elastic
