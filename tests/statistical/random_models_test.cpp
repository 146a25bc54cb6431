// Models against filters, at parameters and lifetimes drawn at random, for every kind: sparse and overloaded, in the middle of growing,
// after removals and churn. A hole in a model anywhere in that space is found sooner or later, not only where a person looked.
//
// Two hypotheses per draw, because an FPR has two sources of chance (false_positive_rate_test.cpp). Over many filters the mean FPR that the
// cells show, and the mean share of the members that can be removed, are what the model says; the spread between filters is taken from the
// filters. And given the cells, queries are binomial. All are two-sided. The error that a model may have is stated below; everything beyond
// it and beyond chance fails. Seeds are fixed; EVERBLOOM_TEST_ROUNDS=many draws twenty times as many.
#include "planned_filters.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"
#include "support/statistics.hpp"

#include <everbloom/simulation/simulation.hpp>

#include <cmath>
#include <functional>
#include <map>

namespace everbloom::statistical {
namespace {

constexpr std::uint64_t filters = 40;

/// Models are means over many cells. These filters are small, so that a draw takes a few milliseconds.
constexpr double usual_fpr_error = 0.03; // relative
constexpr double deletability_error = 0.01;
constexpr double worn_chain_error = 0.1;
/// Of a chain in which most members cannot be removed any more: what its links do to each other is known to first order only.
constexpr double worn_out_deletability_error = 0.06;

struct drawn {
    build_request filter;
    double capacity = 0;         // about as many keys as such a filter is meant for
    std::uint64_t negatives = 0; // known ones
    double fpr_error = usual_fpr_error;
    double deletable_error = deletability_error;
};

class drawing {
public:
    explicit drawing(std::uint64_t seed) : dice_(seed) {}

    /// Between the two, every order of magnitude being as likely as every other.
    double size(double low, double high) {
        return low * std::pow(high / low, static_cast<double>(dice_.below(1'000'001)) / 1e6);
    }
    std::uint64_t number(std::uint64_t low, std::uint64_t high) { return low + dice_.below(high - low + 1); }
    bool one_in(std::uint64_t many) { return dice_.one_in(many); }
    std::string probe() { return one_in(2) ? "double" : "independent"; }

private:
    support::dice dice_;
};

parameter_text with(std::string name, double value) {
    return {std::move(name), std::to_string(static_cast<std::uint64_t>(std::llround(value)))};
}

/// An array of cells for `bits_of_cell` bits each, k hash functions, and keys at a load around the best one.
drawn cells(drawing& draw, const std::string& kind, double bits_of_cell, std::vector<parameter_text> others = {}) {
    const double count = draw.size(400, 20'000);
    const auto hashes = static_cast<double>(draw.number(1, 9));
    others.push_back(with("bits", count * bits_of_cell));
    others.push_back(with("hashes", hashes));
    others.push_back({"probe", draw.probe()});
    return {{kind, {}, {}, std::move(others)}, std::fmin(2000, count / hashes * 0.7)};
}

using drawer = std::function<drawn(drawing&)>;

const std::map<std::string, drawer, std::less<>>& drawers() {
    static const std::map<std::string, drawer, std::less<>> all{
        {"bloom", [](drawing& draw) { return cells(draw, "bloom", 1); }},
        {"blocked",
         [](drawing& draw) {
             const double lines = draw.size(4, 100);
             return drawn{{"blocked",
                           {},
                           {},
                           {with("bits", lines * 512), with("hashes", static_cast<double>(draw.number(1, 12)))}},
                          lines * 40};
         }},
        {"counting",
         [](drawing& draw) {
             const auto bits = static_cast<double>(draw.number(2, 6));
             return cells(draw, "counting", bits, {with("counter_bits", bits)});
         }},
        {"collision", [](drawing& draw) { return cells(draw, "collision", 2); }},
        {"tombstone", [](drawing& draw) { return cells(draw, "tombstone", 2); }},
        {"deletable",
         [](drawing& draw) {
             const auto region = static_cast<double>(draw.number(1, 32));
             return cells(draw, "deletable", (region + 1) / region, {with("region_bits", region)});
         }},
        {"ternary",
         [](drawing& draw) {
             return cells(draw, "ternary", 2, {{"cells", draw.one_in(2) ? "packed" : "twobit"}});
         }},
        {"quaternary", [](drawing& draw) { return cells(draw, "quaternary", 2); }},
        {"dfp", [](drawing& draw) { return cells(draw, "dfp", 2); }},
        {"fingerprint_counting",
         [](drawing& draw) {
             const auto counter = static_cast<double>(draw.number(2, 5));
             const auto fingerprint = static_cast<double>(draw.number(1, 6));
             return cells(draw, "fingerprint_counting", counter + fingerprint,
                          {with("counter_bits", counter), with("fingerprint_bits", fingerprint)});
         }},
        {"dleft",
         [](drawing& draw) {
             const auto subtables = static_cast<double>(draw.number(2, 5));
             const double buckets = std::exp2(static_cast<double>(draw.number(5, 7)));
             const auto slots = static_cast<double>(draw.number(3, 10));
             return drawn{{"dleft",
                           {},
                           {},
                           {with("subtables", subtables), with("buckets", buckets), with("bucket_cells", slots),
                            with("remainder_bits", static_cast<double>(draw.number(8, 13))), with("counter_bits", 2)}},
                          subtables * buckets * slots * 0.75};
         }},
        {"quotient",
         [](drawing& draw) {
             const double keys = draw.size(300, 2000);
             return drawn{{"quotient",
                           static_cast<std::uint64_t>(keys),
                           draw.size(0.004, 0.1),
                           {with("planned_keys", keys * draw.size(1, 8))}},
                          keys};
         }},
        {"elastic",
         [](drawing& draw) {
             const double bits = std::exp2(static_cast<double>(draw.number(10, 14)));
             const auto hashes = static_cast<double>(draw.number(1, 7));
             const double threshold = draw.size(0.1, 0.5);
             drawn made{{"elastic",
                         {},
                         {},
                         {with("initial_bits", bits),
                          with("hashes", hashes),
                          {"threshold", std::to_string(threshold)},
                          with("bucket_slots", static_cast<double>(draw.number(4, 12))),
                          with("branches", static_cast<double>(draw.number(1, 6)))}},
                        -std::log1p(-threshold) * bits / hashes};
             if (draw.one_in(3)) made.filter.parameters.push_back(with("most_bits", bits * 2));
             return made;
         }},
        {"elastic_blocked",
         [](drawing& draw) {
             const auto lines = static_cast<double>(draw.number(4, 60));
             const double keys = draw.size(10, 60);
             drawn made{{"elastic_blocked",
                         {},
                         {},
                         {with("initial_bits", lines * 512),
                          with("hashes", static_cast<double>(draw.number(3, 10))),
                          {"line_keys", std::to_string(keys)},
                          {"growth", std::to_string(draw.size(0.05, 1.0))}}},
                        lines * keys};
             if (draw.one_in(3)) made.filter.parameters.push_back(with("most_bits", lines * 512 * 2));
             return made;
         }},
        {"dynamic",
         [](drawing& draw) {
             const double count = draw.size(500, 4000);
             const auto hashes = static_cast<double>(draw.number(2, 7));
             return drawn{{"dynamic",
                           {},
                           {},
                           {with("initial_bits", count),
                            with("hashes", hashes),
                            {"threshold", std::to_string(draw.size(0.2, 0.6))},
                            {"probe", draw.probe()}}},
                          count / hashes * 0.6};
         }},
        {"partitioned",
         [](drawing& draw) {
             const double count = draw.size(500, 4000);
             const auto hashes = static_cast<double>(draw.number(2, 7));
             return drawn{{"partitioned",
                           {},
                           {},
                           {with("initial_bits", count),
                            with("hashes", hashes),
                            {"threshold", std::to_string(draw.size(0.2, 0.6))},
                            {"probe", draw.probe()}}},
                          count / hashes * 0.6};
         }},
        {"scalable",
         [](drawing& draw) {
             const double count = draw.size(500, 4000);
             const auto hashes = static_cast<double>(draw.number(2, 7));
             return drawn{{"scalable",
                           {},
                           {},
                           {with("initial_bits", count),
                            with("hashes", hashes),
                            {"threshold", std::to_string(draw.size(0.2, 0.6))},
                            with("growth", static_cast<double>(draw.number(2, 4))),
                            {"probe", draw.probe()}}},
                          count / hashes * 0.6};
         }},
        {"yes_no",
         [](drawing& draw) {
             const double bits = draw.size(128, 2000);
             const double members = bits / draw.size(4, 12);
             const auto negatives = draw.size(50, 1000);
             return drawn{{"yes_no",
                           {},
                           {},
                           {with("yes_bits", bits),
                            with("yes_hashes", static_cast<double>(draw.number(2, 6))),
                            with("no_filters", static_cast<double>(draw.number(1, 4))),
                            with("no_bits", draw.size(24, 200)),
                            with("no_hashes", static_cast<double>(draw.number(3, 7))),
                            with("negatives", negatives),
                            {"assign", "first-fit"}}},
                          members,
                          static_cast<std::uint64_t>(negatives),
                          0.08};
         }},
    };
    return all;
}

/// A kind that is new in the catalogue is tested with its own plans.
drawn draw_filter(drawing& draw, const kind_info& kind) {
    const auto own = drawers().find(kind.name);
    if (own != drawers().end()) return own->second(draw);
    const double keys = draw.size(300, 2000);
    return {{std::string(kind.name), static_cast<std::uint64_t>(keys), draw.size(0.005, 0.1), {}}, keys};
}

struct evidence {
    std::vector<double> rates; // as the cells say
    std::vector<double> deletable;
    trial_tally positives;
};

evidence live(const any_filter& empty, const trial_plan& plan, std::uint64_t seed) {
    evidence seen;
    for (std::uint64_t number = 0; number < filters; ++number) {
        const trial_result one =
            support::must(run_trial(support::must(build_like(empty)), plan, trial_randomness(seed, number)));
        seen.rates.push_back(one.fpr_current);
        if (one.deletable && one.deletable->of > 0) {
            seen.deletable.push_back(static_cast<double>(one.deletable->hits) / static_cast<double>(one.deletable->of));
        }
        seen.positives.hits += one.false_positives.hits;
        seen.positives.of += one.false_positives.of;
    }
    return seen;
}

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value / static_cast<double>(values.size());
    return sum;
}

/// Queries may differ from what was said by the same error as the model.
::testing::AssertionResult queries_agree(const evidence& seen, double said, double error) {
    const double measured = static_cast<double>(seen.positives.hits) / static_cast<double>(seen.positives.of);
    if (std::fabs(measured - said) <= error * said) return ::testing::AssertionSuccess();
    const double nearest = measured > said ? said * (1 + error) : said * (1 - error);
    return support::agrees_with_chance(seen.positives.hits, seen.positives.of, std::fmin(1.0, nearest));
}

void check_draw(const kind_info& kind, std::uint64_t number) {
    drawing draw(31 * number + 7919 * kind.id);
    const drawn one = draw_filter(draw, kind);
    const bool removes = kind.capabilities.has(capability::erase);
    const double fill = draw.size(0.15, kind.grows_by_itself ? 12 : 2.5);
    trial_plan plan{.items = static_cast<std::uint64_t>(std::fmax(4, std::fmin(one.capacity * fill, 8000))),
                    .negatives = one.negatives};
    if (removes && draw.one_in(2))
        plan.removed = static_cast<std::uint64_t>(draw.size(0.05, 1) * static_cast<double>(plan.items));
    if (removes && draw.one_in(2))
        plan.churn_steps = static_cast<std::uint64_t>(draw.size(0.1, 3) * static_cast<double>(plan.items));
    const any_filter empty = support::must(build(one.filter));
    const auto items = static_cast<double>(plan.items);
    const prediction model =
        empty.predict({plan.items, static_cast<double>(plan.removed) / items,
                       static_cast<double>(plan.churn_steps) / items, static_cast<double>(plan.negatives)});
    constexpr double never = 1e-9;                // what a few filters out of forty decide
    if (!model.fpr || *model.fpr < never) return; // no model of this lifetime, or nothing to see
    constexpr double wanted_hits = 8000;
    plan.queries = static_cast<std::uint64_t>(std::clamp(wanted_hits / *model.fpr / filters, 200.0, 10'000.0));
    std::string words = std::string(kind.name);
    for (const parameter_text& each : one.filter.parameters) words += " --" + each.name + " " + each.value;
    SCOPED_TRACE(words + " --items " + std::to_string(plan.items) + " --removed " +
                 std::to_string(static_cast<double>(plan.removed) / items) + " --churn-steps " +
                 std::to_string(plan.churn_steps) + " (draw " + std::to_string(number) + ")");
    const evidence seen = live(empty, plan, number);
    // The cells say nothing about the correlation of links that have been churned, which the model knows.
    const bool is_worn_chain = plan.churn_steps > 0 && (kind.name == "dynamic" || kind.name == "partitioned");
    if (is_worn_chain) {
        EXPECT_TRUE(queries_agree(seen, *model.fpr, one.fpr_error)) << "FPR by queries";
        EXPECT_NEAR(mean_of(seen.rates) / *model.fpr, 1, worn_chain_error) << "FPR by the cells";
    } else {
        EXPECT_TRUE(support::agrees_with_mean(seen.rates, *model.fpr, one.fpr_error * *model.fpr))
            << "FPR by the cells";
        EXPECT_TRUE(queries_agree(seen, mean_of(seen.rates), one.fpr_error)) << "FPR by queries, against the cells";
    }
    if (!model.deletability || seen.deletable.empty()) return;
    const bool is_worn_out = is_worn_chain && *model.deletability < 0.5;
    const double allowed = is_worn_out ? worn_out_deletability_error : one.deletable_error;
    EXPECT_TRUE(support::agrees_with_mean(seen.deletable, *model.deletability, allowed)) << "deletability";
}

class models_at_random : public ::testing::TestWithParam<std::string> {};

TEST_P(models_at_random, say_what_filters_do) {
    const kind_info& kind = *find_kind(GetParam());
    for (std::uint64_t number = 0; number < support::rounds(4); ++number) check_draw(kind, number);
}

std::vector<std::string> kinds_that_insert() {
    std::vector<std::string> names;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(capability::insert)) names.emplace_back(kind.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(every_kind, models_at_random, ::testing::ValuesIn(kinds_that_insert()),
                         [](const auto& info) { return info.param; });

} // namespace
} // namespace everbloom::statistical
