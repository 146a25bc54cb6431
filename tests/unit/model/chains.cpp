// The models of chains against real ones, far beyond the planned number of keys; the statistical suite looks at planned filters only.
//
// Hypotheses, each with a false alarm of 1e-9 (support/statistics.hpp): the mean over many filters of what the cells show is what the
// model says, up to a slack for what the formulas leave out; and given the cells, strangers answer "maybe" as often as the cells say.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/statistics.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/model/chain/dynamic.hpp>
#include <everbloom/model/chain/partitioned.hpp>
#include <everbloom/model/chain/scalable.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using namespace support;

constexpr std::uint64_t planned = 1000;
constexpr std::uint64_t filters_to_try = 60;
constexpr double rate_slack = 0.005;

key_family members(std::uint64_t number) { return key_family(2 * number); }
key_family strangers(std::uint64_t number) { return key_family(2 * number + 1); }

template <class F>
F filled(const typename F::spec_type& spec, const key_family& keys, std::uint64_t items) {
    auto made = must(make<F>(spec));
    for (std::uint64_t i = 0; i < items; ++i) EXPECT_TRUE(succeeded(made.insert(keys[i])));
    return made;
}

TEST(joined_links, say_what_can_be_worked_out_by_hand) {
    joined_links three;
    three.add(0.5);
    three.add(0.2, 2);
    EXPECT_NEAR(three.any(), 1 - 0.5 * 0.8 * 0.8, 1e-15);
    EXPECT_NEAR(three.others_silent(0.5), 0.8 * 0.8, 1e-15);
    EXPECT_NEAR(three.others_silent(0.2), 0.5 * 0.8, 1e-15);
    three.add(1);
    EXPECT_EQ(three.any(), 1);
    EXPECT_EQ(three.others_silent(0.5), 0);
    EXPECT_NEAR(three.others_silent(1), 0.5 * 0.8 * 0.8, 1e-15);
    EXPECT_EQ(joined_links().any(), 0);
}

TEST(full_from, is_the_share_rounded_up_without_overflow) {
    EXPECT_EQ(full_from(1, 10'000), 1u);
    EXPECT_EQ(full_from(1000, 500'000), 500u);
    EXPECT_EQ(full_from(1001, 500'000), 501u);
    EXPECT_EQ(full_from(3, 333'333), 1u);
    EXPECT_EQ(full_from(3, 333'334), 2u);
    EXPECT_EQ(full_from(max_structure_bits, 500'000), max_structure_bits / 2);
    EXPECT_LE(full_from(max_structure_bits, 990'000), max_structure_bits);
}

// The number of keys in a full sub-filter and of its occupied cells, over all full ones of many chains.
TEST(full_link, has_as_many_keys_and_occupied_cells_as_the_model_says) {
    for (const std::uint64_t threshold : {200'000u, 500'000u, 700'000u}) {
        dynamic_spec spec;
        spec.initial_bits = 2000;
        spec.hashes = 7;
        spec.threshold = threshold;
        std::vector<double> occupied;
        std::vector<double> items;
        auto chain = must(make<dynamic_filter>(spec));
        std::uint64_t before = 0;
        for (std::uint64_t i = 0; chain.spec().filters < 400; ++i) {
            if (chain.insert(key_family(threshold)[i]) != insert_outcome::inserted_grew) continue;
            occupied.push_back(static_cast<double>(chain.occupied(chain.spec().filters - 2)));
            items.push_back(static_cast<double>(i - before));
            before = i;
        }
        const full_link model = full_link::of(spec.initial_bits, spec.hashes, threshold);
        EXPECT_TRUE(agrees_with_mean(occupied, model.occupied, 0.1));
        EXPECT_TRUE(agrees_with_mean(items, model.items, 0.002 * model.items));
    }
}

template <class Model>
class chain_model : public ::testing::Test {};

template <class F, class M>
struct subject_of {
    using filter = F;
    using model = M;
};
using chains = ::testing::Types<subject_of<dynamic_filter, dynamic_model>, subject_of<scalable_filter, scalable_model>,
                                subject_of<partitioned_filter, partitioned_model>>;
TYPED_TEST_SUITE(chain_model, chains);

// At 2.5, 6.5 and 20.5 times the planned items the last sub-filter of `dynamic` is about half full, so that it does not matter
// that chains differ by a few keys in the place where one begins.
TYPED_TEST(chain_model, says_the_rate_and_the_items_of_a_chain_that_has_grown) {
    using filter = typename TypeParam::filter;
    using model = typename TypeParam::model;
    const auto spec = must(model::plan({planned, 0.01}));
    for (const std::uint64_t items : {planned * 5 / 2, planned * 13 / 2, planned * 41 / 2}) {
        SCOPED_TRACE(items);
        std::vector<double> rates;
        std::vector<double> counts;
        for (std::uint64_t number = 0; number < filters_to_try; ++number) {
            const auto chain = filled<filter>(spec, members(number), items);
            const measurement seen = model::measure(chain);
            rates.push_back(seen.fpr);
            counts.push_back(seen.items);
        }
        const double said = model::predict(spec, {.items = items}).fpr.value_or(-1);
        EXPECT_TRUE(agrees_with_mean(rates, said, rate_slack * said));
        EXPECT_TRUE(agrees_with_mean(counts, static_cast<double>(items), 1e-3 * static_cast<double>(items)));
    }
}

TYPED_TEST(chain_model, knows_the_rate_from_the_cells) {
    using filter = typename TypeParam::filter;
    using model = typename TypeParam::model;
    const auto spec = must(model::plan({planned, 0.01}));
    constexpr std::uint64_t chains_asked = 20;
    constexpr std::uint64_t queries = 20'000;
    std::uint64_t hits = 0;
    double chance = 0;
    for (std::uint64_t number = 0; number < chains_asked; ++number) {
        const auto chain = filled<filter>(spec, members(number), 6 * planned);
        chance += model::measure(chain).fpr / chains_asked;
        const auto asked = strangers(number).first(queries);
        std::vector<std::uint8_t> answers(queries);
        chain.may_contain(asked, answers);
        for (const std::uint8_t answer : answers) hits += answer;
    }
    EXPECT_TRUE(agrees_with_chance(hits, chains_asked * queries, chance));
}

TYPED_TEST(chain_model, plans_a_first_sub_filter_that_takes_all_the_items) {
    using filter = typename TypeParam::filter;
    using model = typename TypeParam::model;
    for (std::uint64_t number = 0; number < 200; ++number) {
        const auto chain = filled<filter>(must(model::plan({200, 0.01})), members(number), 200);
        ASSERT_EQ(chain.spec().filters, 1u) << number;
    }
}

TYPED_TEST(chain_model, tells_how_far_a_chain_has_grown) {
    using filter = typename TypeParam::filter;
    using model = typename TypeParam::model;
    const auto chain = filled<filter>(must(model::plan({planned, 0.01})), members(1), 5 * planned);
    const growth_statistics said = model::growth(chain);
    EXPECT_EQ(said.filters, chain.spec().filters);
    EXPECT_EQ(said.expansions, said.filters - 1);
    EXPECT_EQ(said.slow_bits, 0u);
    std::uint64_t most = chain.sections()[0].size() * word_bits;
    EXPECT_LE(said.fast_bits, most);
    EXPECT_GT(said.fast_bits, most - said.filters * line_bits);
}

TEST(scalable_model, promises_the_planned_rate_however_far_it_grows) {
    for (const double fpr : {0.1, 0.01, 0.001}) {
        const scalable_spec spec = must(scalable_model::plan({planned, fpr}));
        for (std::uint64_t items = planned; items < 1'000'000'000; items *= 3) {
            EXPECT_LE(scalable_model::predict(spec, {.items = items}).fpr.value_or(1), fpr) << items;
        }
    }
}

TEST(dynamic_model, says_nothing_where_it_knows_nothing) {
    dynamic_spec spec = must(dynamic_model::plan({planned, 0.02}));
    const lifetime removals_then_churn{.items = 3 * planned, .removed_share = 0.5, .churn_rounds = 1};
    EXPECT_TRUE(dynamic_model::predict(spec, removals_then_churn).fpr.has_value());
    spec.counter_bits = 2; // counters that wear out
    EXPECT_FALSE(dynamic_model::predict(spec, {.items = 3 * planned, .churn_rounds = 1}).fpr.has_value());
    EXPECT_TRUE(dynamic_model::predict(spec, {.items = 3 * planned}).fpr.has_value());
}

/// What is left of a chain after a life, over many of them.
struct evidence {
    std::vector<double> rates;
    std::vector<double> deletable;

    void add(const dynamic_filter& chain, const std::vector<digest>& inside) {
        rates.push_back(dynamic_model::measure(chain).fpr);
        std::uint64_t could = 0;
        for (const digest& key : inside) could += succeeded(chain.can_erase(key)) ? 1 : 0;
        deletable.push_back(static_cast<double>(could) / static_cast<double>(inside.size()));
    }
    void expect(const prediction& said, double slack, double deletable_slack) const {
        ASSERT_TRUE(said.fpr && said.deletability);
        EXPECT_TRUE(agrees_with_mean(rates, *said.fpr, slack * *said.fpr));
        EXPECT_TRUE(agrees_with_mean(deletable, *said.deletability, deletable_slack));
    }
};

TEST(dynamic_model, says_how_many_members_of_a_grown_chain_can_leave) {
    const dynamic_spec spec = must(dynamic_model::plan({planned, 0.02}));
    for (const std::uint64_t items : {planned * 5 / 2, planned * 13 / 2}) {
        SCOPED_TRACE(items);
        evidence seen;
        for (std::uint64_t number = 0; number < filters_to_try; ++number) {
            const auto keys = members(number).first(items);
            seen.add(filled<dynamic_filter>(spec, members(number), items), keys);
        }
        seen.expect(dynamic_model::predict(spec, {.items = items}), rate_slack, 1e-3);
    }
}

TEST(dynamic_model, says_what_removals_leave_of_a_grown_chain) {
    const dynamic_spec spec = must(dynamic_model::plan({planned, 0.02}));
    constexpr std::uint64_t items = planned * 7 / 2;
    evidence seen;
    for (std::uint64_t number = 0; number < filters_to_try; ++number) {
        auto chain = filled<dynamic_filter>(spec, members(number), items + items / 2);
        std::vector<digest> stay;
        for (std::uint64_t i = 0; i < items + items / 2; ++i) {
            if (i % 3 != 0) {
                stay.push_back(members(number)[i]);
            } else {
                (void)chain.erase(members(number)[i]);
            }
        }
        seen.add(chain, stay);
    }
    seen.expect(dynamic_model::predict(spec, {.items = items, .removed_share = 0.5}), 2 * rate_slack, 1e-3);
}

TEST(dynamic_model, says_what_churn_leaves_of_a_grown_chain) {
    const dynamic_spec spec = must(dynamic_model::plan({planned, 0.02}));
    constexpr std::uint64_t items = planned * 5 / 2;
    constexpr std::uint64_t churn_rounds = 2;
    evidence seen;
    for (std::uint64_t number = 0; number < filters_to_try; ++number) {
        auto chain = filled<dynamic_filter>(spec, members(number), items);
        std::vector<digest> inside = members(number).first(items);
        dice random(number);
        for (std::uint64_t i = 0; i < churn_rounds * items; ++i) {
            digest& place = inside[random.below(items)];
            (void)chain.erase(place);
            place = members(number)[items + i];
            ASSERT_TRUE(succeeded(chain.insert(place)));
        }
        seen.add(chain, inside);
    }
    seen.expect(dynamic_model::predict(spec, {.items = items, .churn_rounds = churn_rounds}), 2 * rate_slack, 2e-3);
}

} // namespace
} // namespace everbloom
