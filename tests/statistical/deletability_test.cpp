// Can as many members be removed as the model says, and as the cells say?
//
// Every member is judged with all the others present (can_erase changes nothing), in many filters; the spread between filters
// is taken from the filters. A planned filter of a good kind can remove nearly everything, and then there is little to see;
// so the counting filter is looked at again with counters that are far too small.
#include "planned_filters.hpp"
#include "support/rounds.hpp"
#include "support/statistics.hpp"

namespace everbloom::statistical {
namespace {

/// The share of keys number `from` to `to` - 1 that could leave now.
double share_that_could_leave(const any_filter& filter, const support::key_family& keys, std::uint64_t from,
                              std::uint64_t to) {
    std::uint64_t could = 0;
    std::array<erase_outcome, batch_items> outcomes;
    in_batches(keys, from, to, [&](std::span<const digest> batch) {
        support::must(filter.can_erase(batch, std::span(outcomes.data(), batch.size())));
        for (std::size_t i = 0; i < batch.size(); ++i) could += succeeded(outcomes[i]) ? 1 : 0;
    });
    return static_cast<double>(could) / static_cast<double>(to - from);
}

struct life_evidence {
    std::vector<double> deletable;     // judged, one share per filter
    std::vector<double> said_by_cells; // measure().deletable_share
    std::vector<double> rates;         // measure().fpr
};

/// Many filters with `items` keys, after `removed` more went in and left.
life_evidence live(const build_request& wanted, std::uint64_t items, std::uint64_t removed) {
    constexpr std::uint64_t enough_for_student = 20;
    const std::uint64_t filters = std::max(enough_for_student, support::rounds(40));
    life_evidence seen;
    for (std::uint64_t number = 0; number < filters; ++number) {
        any_filter filter = support::must(build(wanted));
        const support::key_family stay(2 * number);
        const support::key_family leave(2 * number + 1);
        // In turns, so that the keys that leave are neither the first nor the last that came; short ones, so that each sub-filter of a kind
        // that grows has its share of them.
        constexpr std::uint64_t turns = 2000;
        for (std::uint64_t turn = 0; turn < turns; ++turn) {
            insert_keys(filter, stay, items * turn / turns, items * (turn + 1) / turns);
            insert_keys(filter, leave, removed * turn / turns, removed * (turn + 1) / turns);
        }
        std::array<erase_outcome, batch_items> outcomes;
        in_batches(leave, 0, removed, [&](std::span<const digest> batch) {
            support::must(filter.erase(batch, std::span(outcomes.data(), batch.size())));
        });
        seen.deletable.push_back(share_that_could_leave(filter, stay, 0, items));
        const measurement measured = filter.measure();
        seen.said_by_cells.push_back(measured.deletable_share.value_or(-1));
        seen.rates.push_back(measured.fpr);
    }
    return seen;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

/// Both models hold in the limit of large tables; what they leave out is far below this.
constexpr double deletable_slack = 1e-4;
constexpr double fpr_slack = 0.002;

void check_against_model(const build_request& wanted, std::uint64_t items, std::uint64_t removed) {
    SCOPED_TRACE(std::to_string(items) + " items, " + std::to_string(removed) + " more came and left");
    const life_evidence seen = live(wanted, items, removed);
    const prediction model =
        support::must(build(wanted))
            .predict({.items = items, .removed_share = static_cast<double>(removed) / static_cast<double>(items)});
    ASSERT_TRUE(model.fpr && model.deletability) << "a kind that removes has a model of it";
    EXPECT_TRUE(support::agrees_with_mean(seen.rates, *model.fpr, fpr_slack * *model.fpr));
    EXPECT_TRUE(support::agrees_with_mean(seen.deletable, *model.deletability, deletable_slack));
    // What `show` prints is a look at the cells without the keys: good to one in a hundred.
    EXPECT_NEAR(mean(seen.said_by_cells), mean(seen.deletable), 0.01);
}

class deletability : public ::testing::TestWithParam<planned> {};

TEST_P(deletability, is_what_the_model_says) {
    check_against_model(GetParam().wanted, planned_items, 0);
    // A kind that refuses keys has room for the planned ones only: there the keys that leave are among them.
    const bool refuses = support::must(build(GetParam().wanted)).predict({.items = planned_items}).refusal.has_value();
    const std::uint64_t staying = refuses ? planned_items * 7 / 10 : planned_items;
    check_against_model(GetParam().wanted, staying, planned_items * 3 / 10);
}

INSTANTIATE_TEST_SUITE_P(every_kind_that_removes, deletability,
                         ::testing::ValuesIn(plans_of_kinds_that_can(capability::erase)), name_of_plan);

/// Counters of this many bits, in a table of 20 000 counters: at 10 000 items and 4 hashes each counts 2 on average.
class sticky_counters : public ::testing::TestWithParam<std::uint64_t> {
protected:
    static constexpr std::uint64_t counters = 20'000;

    [[nodiscard]] static build_request wanted() {
        return {"counting",
                {},
                {},
                {{"bits", std::to_string(counters * GetParam())},
                 {"hashes", "4"},
                 {"counter_bits", std::to_string(GetParam())}}};
    }
};

TEST_P(sticky_counters, can_remove_as_many_as_the_model_says) {
    for (const std::uint64_t items : {3'000, 10'000, 20'000}) {
        check_against_model(wanted(), items, 0);
        check_against_model(wanted(), items, items * 3 / 10);
    }
}

INSTANTIATE_TEST_SUITE_P(of_some_bits, sticky_counters, ::testing::Values(2, 3, 4),
                         [](const auto& info) { return std::to_string(info.param); });

} // namespace
} // namespace everbloom::statistical
