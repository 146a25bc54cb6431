// Does the planner promise what happens? Workloads are drawn at random; every kind that can do one is built as planned, lives that life,
// and is asked about strangers.
//
// Hypothesis: the rate is within 5 % of the predicted one, for every kind the planner calls able; the share of the members that can be
// removed within 0.02, and the memory in the end within 15 % (a filter in the middle of growing has pages of both sizes, and spare
// ones). The mean is taken over so large a number of filters and absent keys that 5 %
// are more than six standard deviations: 15 000 false positives are expected, which have one of 0.8 %, and filters of this size differ by 1 %
// or less from each other (sticky cells after churn: 2 %), of which four or more make a mean. So a right model raises a false alarm with a
// probability below 1e-9 per check; seeds are fixed. A rate too low for that many false positives is read from the cells instead
// (false_positive_rate_test.cpp shows that queries do what cells say).
#include "planned_filters.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"

#include <everbloom/runtime/planner.hpp>

#include <cmath>

namespace everbloom::statistical {
namespace {

constexpr double wanted_positives = 15'000;
constexpr std::uint64_t most_queries = 1'500'000;

/// Between the two, every size being as likely as every other.
double log_uniform(support::dice& dice, double low, double high) {
    const double share = static_cast<double>(dice.below(1'000'001)) / 1e6;
    return low * std::pow(high / low, share);
}

planning_request random_workload(std::uint64_t number) {
    support::dice dice(7000 + number);
    planning_request wanted;
    wanted.wanted.items = static_cast<std::uint64_t>(log_uniform(dice, 3'000, 12'000));
    wanted.wanted.fpr = log_uniform(dice, 0.02, 0.2);
    wanted.lifetime = {};
    // Lives of every sort in turn, so that few workloads have all of them.
    switch (number % 4) {
    case 0: wanted.negatives = static_cast<std::uint64_t>(log_uniform(dice, 500, 5'000)); break;
    case 1: wanted.lifetime.removed_share = log_uniform(dice, 0.05, 1); break;
    case 2: wanted.lifetime.churn_rounds = log_uniform(dice, 0.2, 4); break;
    default:
        wanted.lifetime.removed_share = log_uniform(dice, 0.05, 0.5);
        wanted.lifetime.churn_rounds = log_uniform(dice, 0.2, 2);
    }
    if (dice.one_in(2)) wanted.lifetime.growth = log_uniform(dice, 1.5, 8);
    return wanted;
}

struct sight {
    double positives = 0;
    double queries = 0;
    double cells_rate = 0;
    double deletable = 0;
    double bytes = 0;
    std::uint64_t refused = 0;
};

class lived_filter {
public:
    lived_filter(const planned_kind& planned, std::uint64_t number)
        : filter_(support::must(build(planned.request))), keys_(2 * number), strangers_(2 * number + 1), dice_(number) {
        const auto items = static_cast<double>(planned.lived.items);
        const auto steps = static_cast<std::uint64_t>(std::llround(planned.lived.churn_rounds * items));
        insert(planned.lived.items + static_cast<std::uint64_t>(std::llround(planned.lived.removed_share * items)));
        while (members_.size() > planned.lived.items) remove_one();
        for (std::uint64_t i = 0; i < steps; ++i) {
            remove_one();
            insert(1);
        }
    }

    void protect(std::uint64_t negatives) {
        std::vector<digest> known;
        for (std::uint64_t i = 0; i < negatives; ++i) known.push_back(strangers_[most_queries + i]);
        if (filter_.can(capability::protect)) {
            support::must(filter_.protect(members_, known));
        } else {
            support::must(filter_.exclude(known));
        }
    }

    void look(sight& seen, std::uint64_t queries, bool removes) {
        std::array<std::uint8_t, batch_items> answers;
        in_batches(strangers_, 0, queries, [&](std::span<const digest> batch) {
            filter_.may_contain(batch, std::span(answers.data(), batch.size()));
            for (std::size_t i = 0; i < batch.size(); ++i) seen.positives += answers[i];
        });
        seen.queries += static_cast<double>(queries);
        seen.cells_rate += filter_.measure().fpr;
        seen.bytes += static_cast<double>(filter_.payload_bytes());
        seen.refused += refused_;
        if (!removes) return;
        std::vector<erase_outcome> outcomes(members_.size());
        support::must(filter_.can_erase(members_, outcomes));
        const auto could = std::count_if(outcomes.begin(), outcomes.end(), [](auto one) { return succeeded(one); });
        seen.deletable += static_cast<double>(could) / static_cast<double>(members_.size());
    }

private:
    void insert(std::uint64_t count) {
        std::array<insert_outcome, batch_items> outcomes;
        in_batches(keys_, next_, next_ + count, [&](std::span<const digest> batch) {
            support::must(filter_.insert(batch, std::span(outcomes.data(), batch.size())));
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (succeeded(outcomes[i])) {
                    members_.push_back(batch[i]);
                } else {
                    ++refused_;
                }
            }
        });
        next_ += count;
    }
    void remove_one() {
        digest& leaver = members_[dice_.below(members_.size())];
        support::must(filter_.erase(leaver));
        leaver = members_.back();
        members_.pop_back();
    }

    any_filter filter_;
    support::key_family keys_;
    support::key_family strangers_;
    support::dice dice_;
    std::vector<digest> members_;
    std::uint64_t next_ = 0;
    std::uint64_t refused_ = 0;
};

void expect_what_was_planned(const planned_kind& planned, const planning_request& wanted, std::uint64_t seed) {
    const auto filters = std::max<std::uint64_t>(4, 40'000 / planned.lived.items);
    const double predicted = planned.predicted.fpr.value();
    const double queries = std::ceil(wanted_positives / predicted);
    const bool enough = queries <= static_cast<double>(most_queries);
    sight seen;
    for (std::uint64_t i = 0; i < filters; ++i) {
        lived_filter filter(planned, 1000 * seed + i);
        if (wanted.negatives > 0) filter.protect(wanted.negatives);
        filter.look(seen, enough ? static_cast<std::uint64_t>(queries) / filters : 1000, wanted.lifetime.removes());
    }
    const auto count = static_cast<double>(filters);
    const double measured = enough ? seen.positives / seen.queries : seen.cells_rate / count;
    EXPECT_NEAR(measured / predicted, 1, 0.05) << "predicted a rate of " << predicted;
    EXPECT_NEAR(seen.bytes / count / static_cast<double>(planned.bytes), 1, 0.15) << "predicted bytes";
    EXPECT_EQ(seen.refused, 0u) << "keys refused though planned for";
    if (!wanted.lifetime.removes()) return;
    EXPECT_NEAR(seen.deletable / count, planned.predicted.deletability.value_or(1), 0.02);
}

class planned_workload : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(planned_workload, does_what_was_predicted_with_every_kind_that_can) {
    for (std::uint64_t round = 0; round < support::rounds(1); ++round) {
        const std::uint64_t number = GetParam() + 1000 * round;
        const planning_request wanted = random_workload(number);
        const ranking kinds = support::must(rank_kinds(wanted));
        ASSERT_FALSE(kinds.candidates.empty());
        for (const planned_kind& one : kinds.candidates) {
            SCOPED_TRACE(std::string(one.kind->name) + ": " + std::to_string(wanted.wanted.items) + " items at " +
                         std::to_string(wanted.wanted.fpr) + ", removed " +
                         std::to_string(wanted.lifetime.removed_share) + ", turnovers " +
                         std::to_string(wanted.lifetime.churn_rounds) + ", growth " +
                         std::to_string(wanted.lifetime.growth) + ", negatives " + std::to_string(wanted.negatives));
            // The rate that was asked for holds at the end.
            EXPECT_LE(one.predicted.fpr.value(), wanted.wanted.fpr);
            expect_what_was_planned(one, wanted, number);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(drawn_at_random, planned_workload, ::testing::Range<std::uint64_t>(0, 16),
                         [](const auto& info) { return "number_" + std::to_string(info.param); });

} // namespace
} // namespace everbloom::statistical
