// The kind that is chosen where none is named: the planner's, also when it is remembered.
#include <everbloom/everbloom.hpp>

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

TEST(key_batches, numbers_are_the_same_keys_however_they_lie) {
    constexpr std::uint64_t some = 1000; // several batches, the last one short
    for (const hash_id hash : {hash_id::siphash, hash_id::integer}) {
        const filter_options wanted{
            .capacity = some, .kind = "blocked", .hash = hash, .key = hash_key::from_seed(3), .overfill = true};
        std::vector<std::uint64_t> in_a_row;
        for (std::uint64_t i = 0; i < some; ++i) in_a_row.push_back(i * i);
        filter<std::uint64_t> one_by_one(wanted);
        for (const std::uint64_t key : in_a_row) one_by_one.insert(key);

        const auto holds_the_same = [&](const auto& keys) {
            filter<std::uint64_t> made(wanted);
            EXPECT_EQ(made.insert(keys).successes(), some);
            EXPECT_TRUE(made == one_by_one);
        };
        holds_the_same(in_a_row);
        holds_the_same(std::span(in_a_row));
        holds_the_same(std::list<std::uint64_t>(in_a_row.begin(), in_a_row.end()));
        holds_the_same(std::vector<std::uint32_t>(in_a_row.begin(), in_a_row.end()));
        holds_the_same(std::vector<std::int64_t>(in_a_row.begin(), in_a_row.end()));
    }
}

} // namespace
} // namespace everbloom
