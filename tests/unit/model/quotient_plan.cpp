// Plans of quotient filters: the target FPR at the planned number of keys, room for the capacity, and few bits.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/model/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace everbloom {
namespace {

using support::must;

/// What a plan gets that leaves everything open except for the growth.
quotient_spec open_preset(std::uint64_t planned_keys) {
    return {.buckets = 0, .remainder_bits = 0, .planned_keys = planned_keys};
}

TEST(a_quotient_plan, meets_its_target_at_the_planned_number_of_keys) {
    for (const std::uint64_t items : {1, 7, 100, 5000, 100'000, 3'000'000}) {
        for (const double fpr : {0.1, 0.01, 0.002, 0.001, 1e-4, 1e-6}) {
            for (const std::uint64_t planned : {std::uint64_t{0}, items, 2 * items, 3 * items + 1, 1000 * items}) {
                SCOPED_TRACE(testing::Message() << items << " items, FPR " << fpr << ", planned " << planned);
                const quotient_spec spec = must(quotient_model::plan({items, fpr}, open_preset(planned)));
                must(spec.check());
                EXPECT_GE(spec.planned_keys, planned);
                const auto last = static_cast<double>(std::max(spec.planned_keys, items));
                EXPECT_LE(quotient_model::fpr(spec, last), fpr);
                EXPECT_GE(spec.comfortable_items(), items);
            }
        }
    }
}

TEST(a_quotient_model, says_how_many_lines_a_grown_filter_has) {
    for (const std::uint64_t planned : {100'000, 1 << 24}) {
        auto filter = must(make<quotient_filter>(must(quotient_model::plan({1000, 0.002}, open_preset(planned)))));
        const quotient_spec first = filter.spec();
        std::uint64_t keys = 0;
        for (const std::uint64_t more : {2000, 6000, 20'000}) {
            while (keys < more) ASSERT_TRUE(succeeded(filter.insert(support::key_family(2)[keys++])));
            const quotient_spec expected = quotient_model::grown(first, {keys});
            EXPECT_GE(expected.comfortable_items(), keys);
            EXPECT_NEAR(static_cast<double>(filter.spec().lines()) / static_cast<double>(expected.lines()), 1, 0.01)
                << keys;
        }
    }
}

TEST(a_quotient_plan, without_a_number_of_keys_leaves_room_for_millions_or_four_times_the_capacity) {
    EXPECT_EQ(must(quotient_model::plan({100, 0.01})).planned_keys, quotient_model::usual_plan);
    EXPECT_EQ(must(quotient_model::plan({10'000'000, 0.01})).planned_keys, 40'000'000u);
}

/// Bits per key above log2(1 / FPR), which no filter undercuts, when it holds its capacity.
double overhead(const quotient_spec& spec, std::uint64_t items) {
    const auto keys = static_cast<double>(items);
    return static_cast<double>(spec.structure_bits()) / keys + std::log2(quotient_model::fpr(spec, keys));
}

TEST(a_quotient_plan, of_a_fixed_size_takes_three_and_a_half_bits_more_than_any_filter_must) {
    for (const std::uint64_t items : {100'000, 1'000'000}) {
        for (const double fpr : {0.01, 0.002, 0.001}) {
            const quotient_spec spec = must(quotient_model::plan({items, fpr}, open_preset(items)));
            EXPECT_LE(overhead(spec, items), 3.55) << items << " items, FPR " << fpr;
            // Against the target instead of its own FPR: lines come in whole numbers, and bits, too.
            EXPECT_LE(static_cast<double>(spec.structure_bits()) / static_cast<double>(items) + std::log2(fpr), 4.2);
        }
    }
}

TEST(a_quotient_plan, of_a_fixed_size_is_a_filter_that_takes_all_its_keys_without_growing) {
    for (const double fpr : {0.01, 0.001}) {
        constexpr std::uint64_t items = 50'000;
        auto filter = must(make<quotient_filter>(must(quotient_model::plan({items, fpr}, open_preset(items)))));
        for (const digest& key : support::key_family(1).first(items)) ASSERT_TRUE(succeeded(filter.insert(key)));
        EXPECT_EQ(filter.expansions(), 0u) << fpr;
    }
}

TEST(a_quotient_plan, pays_about_one_bit_per_key_for_every_doubling_that_has_not_happened) {
    for (const std::uint64_t items : {100'000, 333'333, 1'000'000}) {
        for (const double fpr : {0.01, 0.002, 0.001}) {
            for (const double factor : {1.1, 1.9, 2.0, 3.0, 4.0, 7.9, 16.0, 100.0, 256.0}) {
                SCOPED_TRACE(testing::Message() << items << " items, FPR " << fpr << ", grows " << factor << " times");
                const auto planned = static_cast<std::uint64_t>(std::ceil(factor * static_cast<double>(items)));
                const quotient_spec spec = must(quotient_model::plan({items, fpr}, open_preset(planned)));
                // The bits are repaid as a lower FPR. What is left above is because lines have as many buckets as suit narrow items,
                // and because a table between two doublings is not filled as far.
                EXPECT_LE(quotient_model::fpr(spec, static_cast<double>(items)), 1.001 * fpr / factor);
                EXPECT_LE(overhead(spec, items), 4.75);
                const double bits = static_cast<double>(spec.structure_bits()) / static_cast<double>(items);
                EXPECT_LE(bits, 4.8 - std::log2(fpr) + std::log2(factor));
            }
        }
    }
}

TEST(a_quotient_plan, of_a_growing_table_takes_at_most_a_twentieth_more_than_a_full_cuckoo_filter_at_every_size) {
    for (const double fpr : {0.01, 0.005, 0.003, 0.002, 0.001}) {
        constexpr std::uint64_t items = 20'000;
        const quotient_spec first = must(quotient_model::plan({items, fpr}, open_preset(64 * items)));
        quotient_spec spec = first;
        // From the first split on: before, the table may be fuller.
        for (std::uint64_t lines = first.lines() + 1; spec.comfortable_items() < 64 * items; lines += lines / 200 + 1) {
            spec = first.with_lines(lines);
            const auto keys = static_cast<double>(spec.comfortable_items());
            const double cuckoo =
                quotient_line_choice::full_cuckoo_filter_bits - std::log2(quotient_model::fpr(spec, keys));
            ASSERT_LE(static_cast<double>(spec.structure_bits()) / keys / cuckoo, 1.05) << fpr << ", " << keys;
        }
    }
}

TEST(a_quotient_plan, of_a_growing_table_keeps_the_lines_that_suit_both_its_ends) {
    EXPECT_EQ(must(quotient_model::plan({20'000, 0.01}, open_preset(1'000'000))).buckets, 43u);
    EXPECT_EQ(must(quotient_model::plan({20'000, 0.001}, open_preset(1'000'000))).buckets, 43u);
    // 81 have a slot more in the end, and take 1.09 times the bits on the way.
    EXPECT_EQ(must(quotient_model::plan({20'000, 0.002}, open_preset(1'000'000))).buckets, 46u);
}

TEST(a_quotient_plan, keeps_what_is_given) {
    quotient_spec given = open_preset(1'000'000);
    given.buckets = 60;
    EXPECT_EQ(must(quotient_model::plan({1000, 0.001}, given)).buckets, 60u);
    EXPECT_LE(quotient_model::fpr(must(quotient_model::plan({1000, 0.001}, given)), 1'000'000), 0.001);
    given = open_preset(1'000'000);
    given.remainder_bits = 21;
    EXPECT_EQ(must(quotient_model::plan({1000, 0.001}, given)).remainder_bits, 21u);
    given = open_preset(1'000'000);
    given.rows = 77;
    EXPECT_EQ(must(quotient_model::plan({1000, 0.001}, given)).rows, 77u);
    given = open_preset(1'000'000);
    given.initial_lines = 5000;
    const quotient_spec large = must(quotient_model::plan({1000, 0.001}, given));
    EXPECT_EQ(large.initial_lines, 5000u);
    EXPECT_EQ(large.lines(), 5000u);
    given = open_preset(1'000'000);
    given.most_lines = 100'000;
    EXPECT_EQ(must(quotient_model::plan({1000, 0.001}, given)).most_lines, 100'000u);
}

TEST(a_quotient_plan, that_is_impossible_is_refused) {
    EXPECT_FALSE(quotient_model::plan({0, 0.01}));
    EXPECT_FALSE(quotient_model::plan({100, 0.0}));
    EXPECT_FALSE(quotient_model::plan({100, 1e-12}));
    EXPECT_FALSE(quotient_model::plan({std::uint64_t{1} << 60, 0.01}));
    EXPECT_FALSE(quotient_model::plan({100, 0.01}, open_preset(std::uint64_t{1} << 60)));
}

} // namespace
} // namespace everbloom
