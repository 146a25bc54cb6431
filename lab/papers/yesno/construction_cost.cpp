// Cost of the no-filters [Carrea16 §VI]: O(r |F| |S|) comparisons, counted in the algorithm of §III.B.2 itself.
//
// Our own builder keeps an index of the members instead and does less work, so its time would say nothing about the paper's algorithm.
// That is written out here: a no-filter of up to 64 bits is a word, and a member is covered if its bits are among those of the no-filter.
#include "lab/papers/comparison.hpp"
#include "lab/papers/yesno/builds.hpp"
#include "lab/papers/yesno/yesno.hpp"

#include <everbloom/probe/positions.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace everbloom::lab::yesno {
namespace {

struct cost_setting {
    std::uint64_t members;         // |S|
    std::uint64_t false_positives; // |F|
    std::uint64_t no_filters;      // r
};

constexpr std::uint64_t cost_no_bits = 32;
constexpr std::uint64_t cost_no_hashes = 5;

std::uint64_t mask_of(const digest& key) {
    std::uint64_t made = 0;
    for (std::uint64_t i = 0; i < cost_no_hashes; ++i) {
        const std::uint64_t half = i % 2 == 0 ? key.low : key.high;
        made |= std::uint64_t{1} << (half >> (8 * i) & (cost_no_bits - 1));
    }
    return made;
}

/// Comparisons of a member with a no-filter, in one construction.
std::uint64_t comparisons_of(const cost_setting& at, const trial_randomness& random) {
    std::vector<std::uint64_t> members(at.members);
    for (std::uint64_t i = 0; i < at.members; ++i) members[i] = mask_of(random(random_stream::members, i));
    std::vector<std::uint64_t> filters(at.no_filters, 0);
    std::uint64_t compared = 0;
    for (std::uint64_t i = 0; i < at.false_positives; ++i) {
        const std::uint64_t mask = mask_of(random(random_stream::negatives, i));
        for (std::uint64_t& filter : filters) {
            const std::uint64_t after = filter | mask;
            bool covers = false;
            for (std::size_t one = 0; one < members.size() && !covers; ++one, ++compared) {
                covers = (members[one] & ~after) == 0;
            }
            if (covers) continue;
            filter = after;
            break;
        }
    }
    return compared;
}

double mean_comparisons(const laboratory& lab, const cost_setting& at) {
    const std::uint64_t trials = lab.thoroughness().places == 0 ? 2000 : 200;
    double sum = 0;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
        sum += static_cast<double>(comparisons_of(at, trial_randomness(lab.seed(), trial)));
    }
    lab.report(trials * (at.members + at.false_positives));
    return sum / static_cast<double>(trials);
}

double worst_case(const cost_setting& at) {
    return static_cast<double>(at.members * at.false_positives * at.no_filters);
}

} // namespace

result<outcome> construction_cost(laboratory& lab) {
    artefact figure{"cost",
                    "Comparisons to fill the no-filters, relative to the bound r |F| |S|",
                    {"false positives |F|", axis_scale::logarithmic},
                    {"share of the bound"}};
    figure.reading =
        "Members are compared one after the other until one is covered, no-filters until one takes the false "
        "positive. The more of them are full, the more are tried.";
    std::uint64_t above = 0;
    double largest = 0;
    std::uint64_t settings = 0;
    for (const std::uint64_t no_filters : {1, 3, 7}) {
        series line{fmt::format("{} no-filter{}, 30 members", no_filters, no_filters == 1 ? "" : "s"),
                    {no_filters == 1   ? "#9ecae1"
                     : no_filters == 3 ? "#4292c6"
                                       : "#08519c",
                     7, 0.6, 1.6}};
        for (const std::uint64_t false_positives : {2, 8, 32, 128}) {
            const cost_setting at{30, false_positives, no_filters};
            const double share = mean_comparisons(lab, at) / worst_case(at);
            above += share > 1 ? 1 : 0;
            largest = std::max(largest, share);
            ++settings;
            line.points.push_back(
                {static_cast<double>(false_positives), std::nullopt, std::nullopt, estimate{share, share, share}});
        }
        figure.curves.push_back(std::move(line));
    }
    const cost_setting usual{30, 8, 3};
    const double base = mean_comparisons(lab, usual);
    const auto doubled = [&](const cost_setting& at) { return mean_comparisons(lab, at) / base; };
    outcome found;
    found.findings = {
        {"construction-cost", static_cast<double>(above),
         fmt::format("at most {:.0f} % of r |F| |S| comparisons in {} settings; twice the members take {:.2f} times as "
                     "many, twice the false positives {:.2f}, twice the no-filters {:.2f}",
                     100 * largest, settings, doubled({60, 8, 3}), doubled({30, 16, 3}), doubled({30, 8, 6}))}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::yesno
