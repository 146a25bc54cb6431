// Does long churn do to a filter what its chain model says? And regions of any size what theirs says?
//
// Filters are filled, then a random member leaves and a new key comes, again and again: two turnovers, every member replaced twice on
// average. A member whose removal is refused leaves the set all the same, and its cells stay. The hypotheses: over many filters, the
// mean of the rate that the cells show, and the mean share of the members that could leave, are what the model says; see
// docs/models/churn.md.
//
// What they see with probability 0.99: a rate that is 2.1 % off, and a share that is 0.006 off (regions: 0.013). At two turnovers the rate
// of `dfp` is nineteen times the first one, and half of its members can leave.
#include "planned_filters.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"
#include "support/statistics.hpp"

namespace everbloom::statistical {
namespace {

constexpr std::uint64_t items = 10'000;

/// What is left out by chains for infinitely many cells, at this size.
constexpr double rate_slack = 0.005;
constexpr double deletability_slack = 5e-4;

/// This many more keys go in at first and leave; then this many members are replaced, one after the other.
struct past {
    std::uint64_t removed = 0;
    std::uint64_t replaced = 0;
};

struct evidence {
    std::vector<double> rates;
    std::vector<double> deletable;
};

double share_that_could_leave(const any_filter& filter, const std::vector<digest>& members) {
    std::vector<erase_outcome> outcomes(members.size());
    support::must(filter.can_erase(members, outcomes));
    const auto could =
        std::count_if(outcomes.begin(), outcomes.end(), [](erase_outcome one) { return succeeded(one); });
    return static_cast<double>(could) / static_cast<double>(members.size());
}

evidence live(const build_request& wanted, const past& lived) {
    constexpr std::uint64_t enough_for_student = 20;
    const std::uint64_t filters = std::max(enough_for_student, support::rounds(60));
    evidence seen;
    for (std::uint64_t number = 0; number < filters; ++number) {
        any_filter filter = support::must(build(wanted));
        const support::key_family keys(1000 + number);
        support::dice dice(number);
        const std::uint64_t first = items + lived.removed;
        insert_keys(filter, keys, 0, first);
        // Digests are random, so the keys that leave may be the last that came.
        for (std::uint64_t i = items; i < first; ++i) support::must(filter.erase(keys[i]));
        std::vector<digest> members = keys.first(items);
        for (std::uint64_t i = 0; i < lived.replaced; ++i) {
            digest& place = members[dice.below(items)];
            support::must(filter.erase(place));
            place = keys[first + i];
            support::must(filter.insert(place));
        }
        seen.rates.push_back(filter.measure().fpr);
        seen.deletable.push_back(share_that_could_leave(filter, members));
    }
    return seen;
}

void check_against_model(const build_request& wanted, const past& lived) {
    SCOPED_TRACE(std::to_string(lived.removed) + " more came and left, " + std::to_string(lived.replaced) +
                 " were replaced");
    const evidence seen = live(wanted, lived);
    const auto in_items = [](std::uint64_t count) { return static_cast<double>(count) / static_cast<double>(items); };
    const prediction model =
        support::must(build(wanted))
            .predict(
                {.items = items, .removed_share = in_items(lived.removed), .churn_rounds = in_items(lived.replaced)});
    ASSERT_TRUE(model.fpr && model.deletability) << "a kind that removes has a model of churn";
    EXPECT_TRUE(support::agrees_with_mean(seen.rates, *model.fpr, rate_slack * *model.fpr));
    EXPECT_TRUE(support::agrees_with_mean(seen.deletable, *model.deletability, deletability_slack));
}

class churn_model : public ::testing::TestWithParam<build_request> {};

TEST_P(churn_model, is_what_filters_do) { check_against_model(GetParam(), {.replaced = 2 * items}); }

std::vector<build_request> kinds_that_remove() {
    std::vector<build_request> made;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(capability::erase)) made.push_back({std::string(kind.name), items, 0.01, {}});
    }
    return made;
}

INSTANTIATE_TEST_SUITE_P(every_kind_that_removes, churn_model, ::testing::ValuesIn(kinds_that_remove()),
                         [](const auto& info) { return info.param.kind; });

/// Regions of this many bits, from one flag a bit to hardly any flags.
class regions : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(regions, are_what_their_model_says) {
    const build_request wanted{"deletable", items, 0.01, {{"region_bits", std::to_string(GetParam())}}};
    check_against_model(wanted, {});
    check_against_model(wanted, {.removed = items * 3 / 10});
    check_against_model(wanted, {.replaced = 2 * items});
    check_against_model(wanted, {.removed = items * 3 / 10, .replaced = items / 2});
}

INSTANTIATE_TEST_SUITE_P(of_some_bits, regions, ::testing::Values(1, 2, 4, 16, 64),
                         [](const auto& info) { return std::to_string(info.param); });

} // namespace
} // namespace everbloom::statistical
