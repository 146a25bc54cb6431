// Deletable share of the members after churn: every round replaces each member once, one at a time.
#include "lab/papers/comparison.hpp"
#include "lab/papers/today/contender.hpp"
#include "lab/papers/today/today.hpp"
#include "lab/rivals/cuckoo.hpp"
#include "lab/rivals/infini.hpp"
#include "lab/rivals/quotient_filter.hpp"

#include <everbloom/runtime/planner.hpp>
#include <everbloom/simulation/simulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace everbloom::lab::today {
namespace {

constexpr double target = 0.01;

struct churn_sight {
    trial_tally deletable;
    std::uint64_t refused = 0; // insertions
    std::uint64_t false_negatives = 0;
};

std::uint64_t slots_of(const laboratory& lab) {
    if (lab.thoroughness().places == 0) return 1 << 15;
    return lab.thoroughness().name == "glance" ? 1 << 10 : 1 << 12;
}

/// A rival through its churn; then every member is removed. A key that was refused counts as one that cannot be removed.
churn_sight churn_rival(growing_rival& filter, const trial_randomness& random, std::uint64_t items,
                        std::uint64_t rounds) {
    churn_sight seen;
    std::vector<std::uint64_t> inside; // numbers of the members
    std::uint64_t next = 0;
    const auto add = [&] {
        if (succeeded(filter.insert(random(random_stream::members, next)))) {
            inside.push_back(next);
        } else {
            ++seen.refused;
        }
        ++next;
    };
    while (next < items) add();
    std::uint64_t choices = 0;
    for (std::uint64_t step = 0; step < rounds * items && !inside.empty(); ++step) {
        std::uint64_t& gone = inside[random.choose(choices++, inside.size())];
        (void)filter.erase(random(random_stream::members, gone));
        gone = inside.back();
        inside.pop_back();
        add();
    }
    for (const std::uint64_t one : inside)
        seen.false_negatives += filter.contains(random(random_stream::members, one)) ? 0 : 1;
    for (const std::uint64_t one : inside) {
        seen.deletable.hits += succeeded(filter.erase(random(random_stream::members, one))) ? 1 : 0;
    }
    seen.deletable.of = items;
    return seen;
}

struct rival_plan {
    std::string label;
    look drawn;
    std::uint64_t items;
    maker make;
};

std::vector<rival_plan> rival_plans(std::uint64_t slots) {
    const auto log = static_cast<unsigned>(std::log2(static_cast<double>(slots)));
    const auto share = [&](double load) { return static_cast<std::uint64_t>(load * static_cast<double>(slots)); };
    return {
        {"cuckoo filter",
         {"#d1495b", 5, 0.8, 1.8},
         share(0.95),
         [=]() -> result<std::unique_ptr<growing_rival>> {
             return std::make_unique<rivals::cuckoo_filter>(log - 2, 10U);
         }},
        {"quotient filter (2012)",
         {"#8d5a97", 11, 0.8, 1.8},
         share(0.89),
         [=]() -> result<std::unique_ptr<growing_rival>> {
             return std::make_unique<rivals::quotient_filter>(log, 7U, rivals::quotient_filter::resizing::never);
         }},
        {"expandable, 5 doublings",
         {"#edae49", 13, 0.9, 1.8},
         share(0.89),
         [=]() -> result<std::unique_ptr<growing_rival>> {
             return std::make_unique<rivals::expandable_filter>(log - 5, 8U);
         }},
    };
}

double end_share(const series& one) { return one.points.empty() ? 0 : one.points.back().measured->mean; }

} // namespace

result<outcome> churn_of_today(laboratory& lab) {
    const std::uint64_t slots = slots_of(lab);
    const std::uint64_t trials = lab.thoroughness().places == 0 ? 6 : 3;
    std::vector<std::uint64_t> rounds{0, 1, 2, 5, 10, 20, 50};
    if (lab.thoroughness().name == "glance") rounds = {0, 1, 5, 20};
    artefact figure{"churn", "Deletable share of the members under churn: filters made for 1 %",
                    axis_from_zero("churn rounds (each replaces every member once)"),
                    share_axis("deletable share of the members")};
    static constexpr std::array<std::string_view, 12> colours{"#4c78a8", "#f58518", "#54a24b", "#e45756",
                                                              "#72b7b2", "#b279a2", "#9d755d", "#2b7bba",
                                                              "#c9a227", "#7f7f7f", "#1b6e53", "#a0352c"};
    const auto items = static_cast<std::uint64_t>(0.95 * static_cast<double>(slots));
    std::size_t number = 0;
    std::uint64_t lost = 0;
    std::uint64_t lost_by_design = 0;
    double ours_at_end = 0;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        look drawn{std::string(colours[number % colours.size()]), static_cast<int>(4 + number % 10), 0.6, 1.2};
        if (kind.name == "quotient") drawn = {"#1368aa", 7, 0.8, 2.2};
        ++number;
        series curve{std::string(kind.name), drawn};
        for (const std::uint64_t round : rounds) {
            build_request wanted{std::string(kind.name), items, target, {}};
            if (auto planned = plan_growth(wanted, 1); !planned) return fail(std::move(planned.error()));
            const auto empty = build(wanted);
            if (!empty) return fail(empty.error());
            simulation_request request;
            request.items = items;
            request.churn_steps = round * items;
            request.queries = 1000;
            request.trials = trials;
            request.seed = lab.seed();
            request.threads = lab.threads();
            const auto report = simulate(*empty, request);
            if (!report) return fail(report.error());
            lab.report(trials * items * (1 + 2 * round));
            (kind.loses_members ? lost_by_design : lost) += report->false_negatives;
            curve.points.push_back({static_cast<double>(round),
                                    std::nullopt,
                                    report->model.deletability,
                                    report->deletability.value_or(estimate{}),
                                    {{"items", static_cast<double>(items)}}});
        }
        if (kind.name == "quotient") ours_at_end = end_share(curve);
        figure.curves.push_back(std::move(curve));
    }
    std::uint64_t refused = 0;
    std::vector<double> at_end;
    for (const rival_plan& plan : rival_plans(slots)) {
        series curve{plan.label, plan.drawn};
        curve.joined = true;
        for (const std::uint64_t round : rounds) {
            std::vector<churn_sight> sights(trials);
            std::vector<std::optional<failure>> failures(trials);
            lab.in_parallel(trials, [&](std::uint64_t trial) {
                auto made = plan.make();
                if (!made) {
                    failures[trial] = made.error();
                    return;
                }
                sights[trial] = churn_rival(**made, trial_randomness(lab.seed(), trial), plan.items, round);
            });
            lab.report(trials * plan.items * (1 + 2 * round));
            std::vector<trial_tally> tallies;
            std::uint64_t refused_here = 0;
            for (std::uint64_t trial = 0; trial < trials; ++trial) {
                if (failures[trial]) return fail(*failures[trial]);
                tallies.push_back(sights[trial].deletable);
                refused_here += sights[trial].refused;
                lost += sights[trial].false_negatives;
            }
            refused += refused_here;
            if (refused_here > 0) {
                figure.notes.push_back(fmt::format("{}: refused {} of {} insertions in {} churn rounds", plan.label,
                                                   refused_here, trials * plan.items * (1 + round), round));
            }
            curve.points.push_back({static_cast<double>(round),
                                    std::nullopt,
                                    std::nullopt,
                                    estimate_share(tallies),
                                    {{"items", static_cast<double>(plan.items)}}});
        }
        at_end.push_back(end_share(curve));
        figure.curves.push_back(std::move(curve));
    }
    figure.reading = "Kinds whose cells saturate lose the ability to delete with every round; filters that store a "
                     "fingerprint or a counter "
                     "per key keep it. The expandable filter loses what has become void. tombstone deletes everything "
                     "and loses members "
                     "by that.";
    outcome found;
    found.findings = {
        {"fingerprints-keep-deleting", *std::min_element(at_end.begin(), at_end.end()),
         fmt::format("cuckoo {:.4f}, quotient filter {:.4f}, expandable {:.4f}, our quotient {:.4f} after {} rounds; "
                     "{} insertions refused",
                     at_end[0], at_end[1], at_end[2], ours_at_end, rounds.back(), refused)},
        {"churn-no-member-lost", static_cast<double>(lost),
         fmt::format("{} members not found in all other filters; {} in tombstone, by design", lost, lost_by_design)}};
    found.artefacts = {std::move(figure)};
    return found;
}

} // namespace everbloom::lab::today
