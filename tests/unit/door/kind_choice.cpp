// The kind that is chosen where none is named: the planner's, also when it is remembered.
#include <everbloom/everbloom.hpp>
#include <everbloom/runtime/planner.hpp>

#include <gtest/gtest.h>

#include <list>
#include <string>
#include <thread>
#include <vector>

namespace everbloom {
namespace {

constexpr expected_lifetime insertions_only{0, 0, 1, true};
constexpr expected_lifetime some_churn{0, 3, 1, false};

std::string planned(const filter_options& wanted) {
    const auto ranked = rank_kinds({.wanted = {wanted.capacity, wanted.fpr}, .lifetime = wanted.lifetime});
    return std::string(ranked.value().candidates.front().kind->name);
}

TEST(kind_choice, equals_the_plan_when_it_is_new_and_when_it_is_remembered) {
    const std::vector<filter_options> all{
        {.capacity = 1000, .fpr = 0.01, .lifetime = insertions_only},
        {.capacity = 1000, .fpr = 0.01, .lifetime = some_churn},
        {.capacity = 1000, .fpr = 0.2, .lifetime = insertions_only},
        {.capacity = 70'000, .fpr = 0.01, .lifetime = some_churn},
    };
    for (int round = 0; round < 3; ++round) {
        for (const filter_options& one : all) {
            EXPECT_EQ(filter<std::string>(one).kind(), planned(one)) << one.capacity << ", round " << round;
        }
    }
}

TEST(kind_choice, nothing_but_a_size_gives_the_quotient_filter_at_every_size) {
    for (const double fpr : {0.01, 0.001}) {
        for (const double capacity : {100.0, 1e5, 5e6, 1e8, 1e10}) {
            const auto ranked = rank_kinds({.wanted = {static_cast<std::uint64_t>(capacity), fpr}});
            ASSERT_TRUE(ranked);
            ASSERT_FALSE(ranked->candidates.empty());
            const planned_kind& best = ranked->candidates.front();
            EXPECT_EQ(best.kind->name, "quotient") << capacity << " keys at " << fpr;
            EXPECT_LT(best.first_bytes, best.bytes) << capacity << " keys at " << fpr; // it begins small
        }
    }
}

TEST(planner, answers_for_every_number_of_keys) {
    // A model that does not end would hang here.
    for (const double growth : {1.0, 16.0}) {
        for (const double capacity : {1.0, 1e9, 1e10, 1e12, 1e14, 1e16}) {
            planning_request wanted{.wanted = {static_cast<std::uint64_t>(capacity), 0.001}};
            wanted.lifetime.growth = growth;
            const auto ranked = rank_kinds(wanted);
            if (ranked) continue;
            EXPECT_NE(ranked.error().sentence.find("2^56"), std::string::npos) << ranked.error().sentence;
        }
    }
}

TEST(planner, the_best_kind_is_the_first_of_the_ranking) {
    std::vector<expected_lifetime> lifetimes{any_lifetime, insertions_only, some_churn};
    for (const bool may_refuse : {false, true}) {
        lifetimes.push_back({0.3, 0, 1, may_refuse});
        lifetimes.push_back({0, 0, 1000, may_refuse});
        lifetimes.push_back({2, 50, 8, may_refuse});
    }
    for (const expected_lifetime& lifetime : lifetimes) {
        for (const double fpr : {0.3, 0.01, 1e-6}) {
            for (const std::uint64_t capacity : {1U, 3000U, 1'000'000U}) {
                for (const std::uint64_t negatives : {0U, 500U}) {
                    const planning_request wanted{
                        .wanted = {capacity, fpr}, .lifetime = lifetime, .negatives = negatives};
                    const auto ranked = rank_kinds(wanted);
                    const auto best = best_kind(wanted);
                    ASSERT_TRUE(ranked && best);
                    ASSERT_EQ(best->has_value(), !ranked->candidates.empty()) << capacity << " keys at " << fpr;
                    if (!*best) continue;
                    const planned_kind& first = ranked->candidates.front();
                    EXPECT_EQ((*best)->kind->name, first.kind->name)
                        << capacity << " keys at " << fpr << ", " << lifetime.removed_share << " removed, "
                        << lifetime.churn_rounds << " rounds, " << lifetime.growth << "x, " << negatives;
                    EXPECT_EQ((*best)->bytes, first.bytes);
                    EXPECT_EQ((*best)->request.fpr, first.request.fpr);
                }
            }
        }
    }
}

TEST(planner, the_best_kind_that_suits_is_the_first_of_those_in_the_ranking) {
    const planning_request wanted{.wanted = {50'000, 0.01}, .lifetime = insertions_only};
    const auto ranked = rank_kinds(wanted);
    ASSERT_TRUE(ranked);
    for (const planned_kind& one : ranked->candidates) {
        // All that come before it do not suit.
        const auto suits = [&](const kind_info& kind) {
            for (const planned_kind& before : ranked->candidates) {
                if (before.kind == one.kind) return true;
                if (before.kind->name == kind.name) return false;
            }
            return true;
        };
        const auto best = best_kind(wanted, suits);
        ASSERT_TRUE(best && *best) << one.kind->name;
        EXPECT_EQ((*best)->kind->name, one.kind->name);
    }
    const auto none = best_kind(wanted, [](const kind_info&) { return false; });
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

TEST(kind_choice, more_options_than_are_remembered_get_their_kinds) {
    for (std::uint64_t capacity = 100; capacity < 140; ++capacity) {
        const filter_options wanted{.capacity = capacity, .fpr = 0.01};
        const filter<std::uint64_t> first(wanted);
        EXPECT_EQ(filter<std::uint64_t>(wanted).kind(), first.kind());
    }
}

TEST(kind_choice, options_without_a_kind_fail_every_time) {
    const filter_options wanted{.capacity = 1000, .lifetime = {-1, 0, 1, true}};
    EXPECT_FALSE(filter<std::string>::try_make(wanted));
    EXPECT_FALSE(filter<std::string>::try_make(wanted));
}

TEST(stated_lifetime, growth_is_planned_by_every_kind_that_grows_and_refused_by_the_others) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        filter_options wanted{.capacity = 5000, .fpr = 0.01, .kind = std::string(kind.name), .negatives = 100};
        ASSERT_TRUE(filter<std::uint64_t>::try_make(wanted)) << kind.name;
        wanted.lifetime = {0, 0, 8, true};
        const auto made = filter<std::uint64_t>::try_make(wanted);
        EXPECT_EQ(made.has_value(), kind.grows_by_itself) << kind.name;
        if (!made) {
            EXPECT_NE(made.error().sentence.find("does not grow"), std::string::npos) << made.error().sentence;
            continue;
        }
        filter<std::uint64_t> growing(wanted);
        std::uint64_t refused = 0;
        for (std::uint64_t key = 0; key < 40'000; ++key) refused += succeeded(growing.insert(key)) ? 0U : 1U;
        EXPECT_EQ(refused, 0U) << kind.name;
        std::uint64_t false_positives = 0;
        for (std::uint64_t key = 0; key < 100'000; ++key) false_positives += growing.may_contain(~key) ? 1U : 0U;
        EXPECT_LE(false_positives, 1000 + 6 * 32U) << kind.name; // six standard deviations above 1 %
    }
}

TEST(stated_lifetime, a_quotient_filter_has_no_bits_for_growth_that_nobody_expects) {
    filter_options wanted{.capacity = 100'000, .kind = "quotient"};
    const auto usual = filter<std::uint64_t>(wanted).memory_bytes();
    wanted.lifetime = {0, 0, 1, true};
    const auto exact = filter<std::uint64_t>(wanted).memory_bytes();
    EXPECT_LT(exact, usual);
    wanted.geometry = {{"planned_keys", "16777216"}}; // what is said in numbers wins
    EXPECT_EQ(filter<std::uint64_t>(wanted).memory_bytes(), usual);
}

TEST(stated_lifetime, a_kind_that_cannot_remove_is_refused_where_removals_are_expected) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert) || kind.capabilities.has(capability::erase)) continue;
        const filter_options wanted{
            .capacity = 1000, .kind = std::string(kind.name), .lifetime = {0.3, 0, 1, true}, .negatives = 100};
        const auto made = filter<std::uint64_t>::try_make(wanted);
        ASSERT_FALSE(made) << kind.name;
        EXPECT_NE(made.error().sentence.find("cannot remove"), std::string::npos) << made.error().sentence;
    }
}

TEST(stated_lifetime, a_filter_is_sized_for_its_last_day) {
    // Counters wear out when keys come and go; sized for it, the FPR holds at the end.
    filter_options wanted{.capacity = 20'000, .fpr = 0.01, .kind = "ternary"};
    const auto new_one = filter<std::uint64_t>(wanted).memory_bytes();
    wanted.lifetime = {0, 2, 1, true};
    EXPECT_GT(filter<std::uint64_t>(wanted).memory_bytes(), new_one);
}

TEST(stated_lifetime, a_planned_kind_that_does_not_grow_has_its_final_size) {
    filter_options wanted{.capacity = 1000, .fpr = 0.01, .lifetime = {0, 0, 4, true}};
    filter<std::uint64_t> made(wanted);
    std::uint64_t refused = 0;
    for (std::uint64_t key = 0; key < 4000; ++key) refused += succeeded(made.insert(key)) ? 0U : 1U;
    EXPECT_EQ(refused, 0U) << made.kind();
}

TEST(kind_choice, threads_may_choose_at_the_same_time) {
    std::vector<std::thread> threads;
    std::vector<std::string> kinds(4);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        threads.emplace_back([&kinds, i] {
            kinds[i] = filter<std::string>({.capacity = 5000, .fpr = 0.01, .lifetime = insertions_only}).kind();
        });
    }
    for (std::thread& one : threads) one.join();
    for (const std::string& kind : kinds) EXPECT_EQ(kind, kinds[0]);
}

/// Fixed kinds hash numbers in a row in their own loops where the hash is short; others get digests.
template <class Kind>
void check_numbers_in_batches(const filter_options& wanted) {
    constexpr std::uint64_t some = 1000; // several batches, the last one short
    std::vector<std::uint64_t> in_a_row;
    for (std::uint64_t i = 0; i < some; ++i) in_a_row.push_back(i * i);
    filter<std::uint64_t, Kind> one_by_one(wanted);
    for (const std::uint64_t key : in_a_row) one_by_one.insert(key);

    const auto holds_the_same = [&](const auto& keys) {
        filter<std::uint64_t, Kind> made(wanted);
        EXPECT_EQ(made.insert(keys).successes(), some);
        EXPECT_TRUE(made == one_by_one);
    };
    holds_the_same(in_a_row);
    holds_the_same(std::span(in_a_row));
    holds_the_same(std::list<std::uint64_t>(in_a_row.begin(), in_a_row.end()));
    holds_the_same(std::vector<std::uint32_t>(in_a_row.begin(), in_a_row.end()));
    holds_the_same(std::vector<std::int64_t>(in_a_row.begin(), in_a_row.end()));

    std::vector<std::uint64_t> asked;
    for (std::uint64_t i = 0; i < 3 * some; ++i) asked.push_back(i);
    const std::vector<std::uint8_t> answers = one_by_one.may_contain(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(answers[i] != 0, one_by_one.may_contain(asked[i])) << i;
}

TEST(key_batches, numbers_are_the_same_keys_however_they_lie) {
    for (const hash_id hash : {hash_id::siphash, hash_id::xxh3, hash_id::murmur3, hash_id::integer}) {
        const filter_options wanted{
            .capacity = 1000, .fpr = 0.05, .hash = hash, .key = hash_key::from_seed(3), .overfill = true};
        check_numbers_in_batches<blocked>(wanted);
        check_numbers_in_batches<elastic_blocked>(wanted);
        check_numbers_in_batches<counting>(wanted);
        filter_options by_name = wanted;
        by_name.kind = "blocked";
        check_numbers_in_batches<any_kind>(by_name);
    }
}

TEST(key_batches, numbers_beyond_the_capacity_are_refused_as_one_by_one) {
    filter<std::uint64_t, blocked> full({.capacity = 1000, .hash = hash_id::integer, .key = hash_key::from_seed(3)});
    filter<std::uint64_t, blocked> one_by_one(
        {.capacity = 1000, .hash = hash_id::integer, .key = hash_key::from_seed(3)});
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < 3000; ++i) keys.push_back(i);
    std::uint64_t refused = 0;
    for (const std::uint64_t key : keys) refused += one_by_one.insert(key) == insert_outcome::over_capacity ? 1 : 0;
    EXPECT_GT(refused, 1000u);
    EXPECT_EQ(full.insert(keys).of(insert_outcome::over_capacity), refused);
    EXPECT_TRUE(full == one_by_one);
}

} // namespace
} // namespace everbloom
