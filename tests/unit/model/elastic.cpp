// The model of the elastic filter: sizes that follow the items, tails that are exact, and the cost of the slow part.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/model/elastic/elastic.hpp>

#include <gtest/gtest.h>

#include <map>

namespace everbloom {
namespace {

using support::key_family;
using support::must;

TEST(elastic_model, the_papers_first_filter_is_over_its_threshold_already) {
    // 2^14 items in 2^18 bits with k = 5 set 27 % of the bits, not 20 %: an erratum of [Wu21 §5.2].
    elastic_spec spec;
    spec.initial_bits = 1 << 18;
    EXPECT_EQ(elastic_model::bits_after(spec.started(), 1 << 14), 1u << 19);
    EXPECT_EQ(elastic_model::bits_after(spec.started(), 11'000), 1u << 18);
}

TEST(elastic_model, the_rate_never_exceeds_that_of_the_threshold) {
    elastic_spec spec;
    spec.initial_bits = 1 << 15;
    for (double items = 100; items < 1e9; items *= 1.3) {
        const auto said = elastic_model::predict(spec.started(), {static_cast<std::uint64_t>(items)});
        EXPECT_LE(*said.fpr, std::pow(0.2, 5) * 1.001) << items;
        EXPECT_GT(*said.fpr, items < 2000 ? 0 : std::pow(0.1, 5)) << items;
    }
}

TEST(elastic_model, sizes_are_those_that_filters_have) {
    elastic_spec spec;
    spec.initial_bits = 1 << 10;
    auto filter = must(make<elastic_filter>(spec.started()));
    std::uint64_t inside = 0;
    for (const std::uint64_t items : {30, 60, 500, 1500, 6000, 30'000}) {
        for (; inside < items; ++inside) ASSERT_TRUE(succeeded(filter.insert(key_family(1)[inside])));
        EXPECT_EQ(filter.spec().target_bits(), elastic_model::bits_after(spec.started(), static_cast<double>(items)))
            << items;
    }
    // Down again: halved below a quarter of the threshold.
    const lifetime lived{2000, 14, 0};
    while (inside > 2000) ASSERT_TRUE(succeeded(filter.erase(key_family(1)[--inside])));
    for (int i = 0; i < 1000; ++i) { // whatever still moves
        filter.insert(key_family(2)[0]);
        filter.erase(key_family(2)[0]);
    }
    const double measured = elastic_model::measure(filter).fpr;
    EXPECT_NEAR(measured / *elastic_model::predict(spec.started(), lived).fpr, 1, 0.15);
}

TEST(elastic_model, a_plan_holds_its_items_without_growing) {
    for (const std::uint64_t items : {1000, 30'000}) {
        for (const double fpr : {0.05, 0.001}) {
            const elastic_spec planned = must(elastic_model::plan({items, fpr}));
            auto filter = must(make<elastic_filter>(planned));
            for (std::uint64_t i = 0; i < items; ++i) filter.insert(key_family(3)[i]);
            EXPECT_EQ(filter.expansions(), 0u);
            EXPECT_LE(elastic_model::measure(filter).fpr, fpr);
            EXPECT_EQ(elastic_model::measure(filter).items, static_cast<double>(items));
        }
    }
}

TEST(elastic_model, a_plan_keeps_what_is_given) {
    elastic_spec preset;
    preset.hashes = 4;
    preset.threshold = 0;
    const elastic_spec planned = must(elastic_model::plan({10'000, 0.001}, preset));
    EXPECT_EQ(planned.hashes, 4u);
    EXPECT_NEAR(static_cast<double>(planned.threshold) / 1e6, std::pow(0.001, 0.25), 1e-6);
    preset.threshold = 100'000;
    EXPECT_GE(must(elastic_model::plan({10'000, 0.001}, preset)).initial_bits, 2 * planned.initial_bits);
    preset.most_bits = 1 << 12;
    EXPECT_FALSE(elastic_model::plan({10'000, 0.001}, preset).has_value());
}

TEST(elastic_model, the_tail_of_a_bucket_is_that_of_poisson) {
    // 1 - e^-1 (1 + 1 + 1/2), and a tail that a subtraction would lose.
    EXPECT_NEAR(bucket_overflow(1, 2), 0.0803013970713942, 1e-15);
    EXPECT_NEAR(bucket_overflow(0.223, 8) / 3.075439e-12, 1, 1e-6);
    EXPECT_EQ(bucket_overflow(0, 3), 0);
}

TEST(elastic_model, the_tail_of_the_tree_is_that_of_random_trees) {
    constexpr std::uint64_t slots = 2;
    constexpr std::uint64_t branches = 3;
    support::dice random(4);
    for (const double load : {1.0, 2.0}) {
        const std::uint64_t trees = support::rounds(200'000);
        std::uint64_t overflows = 0;
        for (std::uint64_t tree = 0; tree < trees; ++tree) {
            std::uint64_t over = 0;
            for (std::uint64_t bucket = 0; bucket < branches; ++bucket) {
                // A Poisson number: how many exponential waiting times fit into `load`.
                std::uint64_t inside = 0;
                double waited = 0;
                while (true) {
                    waited -= std::log1p(-std::ldexp(static_cast<double>(random.word() >> 11), -53));
                    if (waited > load) break;
                    ++inside;
                }
                over += inside > slots ? inside - slots : 0;
            }
            overflows += over > slots ? 1 : 0;
        }
        const double expected = tree_overflow(load, slots, branches);
        const double spread = std::sqrt(expected / static_cast<double>(trees));
        EXPECT_NEAR(static_cast<double>(overflows) / static_cast<double>(trees), expected, 6.2 * spread);
    }
}

TEST(elastic_model, one_bucket_without_neighbours_has_twice_its_slots) {
    EXPECT_NEAR(tree_overflow(1.5, 3, 1), bucket_overflow(1.5, 6), 1e-15);
    EXPECT_GT(tree_overflow(1.5, 3, 2), tree_overflow(1.5, 3, 1));
}

TEST(elastic_model, an_overflow_is_not_to_be_expected_with_the_papers_parameters) {
    elastic_spec spec;
    spec.initial_bits = 1 << 24;
    EXPECT_LT(elastic_model::overflow_probability(spec.started(), 700'000), 1e-9);
    spec.bucket_slots = 1;
    spec.branches = 3;
    EXPECT_GT(elastic_model::overflow_probability(spec.started(), 700'000), 0.99);
}

TEST(elastic_model, the_slow_part_costs_what_the_page_says) {
    for (const std::uint64_t word_bits : {32, 48, 64}) {
        elastic_spec spec;
        spec.initial_bits = 1 << 20;
        spec.word_bits = word_bits;
        auto filter = must(make<elastic_filter>(spec.started()));
        // As many as fit before it grows.
        std::uint64_t items = 0;
        while (filter.spec().next_bits == 0 && filter.set_bit_rate() < 0.199) filter.insert(key_family(5)[items++]);
        const growth_statistics seen = elastic_model::growth(filter);
        const double bits_per_key = static_cast<double>(seen.slow_bits) / static_cast<double>(items);
        EXPECT_NEAR(bits_per_key, elastic_model::slow_bits_per_key(filter.spec(), items), 0.03 * bits_per_key);
        // k (w - log2 m + 7) bits, with slots no narrower than a counter, in pages that are 85 % full, and 4 % for what is left of
        // the last line of a page.
        const double slot = std::fmax(static_cast<double>(word_bits) - 20 + 7, 20);
        EXPECT_NEAR(bits_per_key / (5 * slot / 0.85 * 1.04), 1, 0.07) << word_bits << ": " << bits_per_key;
    }
}

} // namespace
} // namespace everbloom
