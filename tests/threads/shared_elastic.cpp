// The elastic filter of many threads: members are never missed by readers while two writers grow and empty it.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/runtime/shared_elastic.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace everbloom {
namespace {

using namespace support;

elastic_blocked_spec small_start() {
    elastic_blocked_spec spec;
    spec.initial_bits = 64 * line_bits;
    return spec.started();
}

TEST(shared_elastic, readers_miss_no_member_while_writers_grow_and_empty_it) {
    constexpr std::uint64_t residents = 2'000;
    const std::uint64_t guests = rounds(20'000);
    auto filter = must(shared_elastic_filter::make(small_start(), 8));
    const key_family resident(1);
    for (std::uint64_t i = 0; i < residents; ++i) ASSERT_TRUE(succeeded(filter.insert(resident[i])));

    std::atomic<bool> done = false;
    std::atomic<std::uint64_t> missed = 0;
    std::atomic<std::uint64_t> refused = 0;
    const auto read = [&] {
        std::array<digest, 64> keys;
        std::array<std::uint8_t, 64> answers;
        for (std::uint64_t at = 0; !done; at += keys.size()) {
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = resident[(at + i) % residents];
            filter.may_contain(keys, answers);
            missed += static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 0));
        }
    };
    const auto write = [&](std::uint64_t family) {
        const key_family guest(family);
        std::array<digest, 100> keys;
        std::array<insert_outcome, 100> inserted;
        std::array<erase_outcome, 100> erased;
        for (int round = 0; round < 2; ++round) {
            for (std::uint64_t at = 0; at < guests; at += keys.size()) {
                for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = guest[at + i];
                filter.insert(keys, inserted);
                for (const insert_outcome one : inserted) refused += succeeded(one) ? 0 : 1;
                for (const digest& key : keys) missed += filter.may_contain(key) ? 0 : 1;
            }
            for (std::uint64_t at = 0; at < guests; at += keys.size()) {
                for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = guest[at + i];
                filter.erase(keys, erased);
                for (const erase_outcome one : erased) refused += succeeded(one) ? 0 : 1;
            }
        }
    };
    {
        const std::jthread reader(read);
        std::jthread first(write, 2);
        std::jthread second(write, 3);
        first.join();
        second.join();
        done = true;
    }
    EXPECT_EQ(missed, 0u);
    EXPECT_EQ(refused, 0u);
    EXPECT_EQ(filter.keys(), residents);
    EXPECT_GT(filter.expansions(), 8u);
    for (std::uint64_t i = 0; i < residents; ++i) ASSERT_EQ(filter.erase(resident[i]), erase_outcome::removed);
    std::uint64_t ones = 0;
    filter.for_each_shard([&](const auto& shard) {
        shard.for_each_block([&](std::span<const std::uint64_t, line_words> block, double) {
            for (const std::uint64_t word : block) ones += static_cast<std::uint64_t>(std::popcount(word));
        });
    });
    EXPECT_EQ(ones, 0u) << "nobody is left, and no bit either";
}

TEST(shared_elastic, a_batch_answers_in_the_order_of_its_keys) {
    auto filter = must(shared_elastic_filter::make(small_start(), 16));
    const key_family keys(4);
    const auto members = keys.first(3'000);
    std::vector<insert_outcome> inserted(members.size());
    filter.insert(members, inserted);
    std::vector<digest> mixed;
    for (std::uint64_t i = 0; i < 3'000; ++i) mixed.push_back(i % 3 == 0 ? members[i] : key_family(5)[i]);
    std::vector<erase_outcome> erased(mixed.size());
    filter.erase(mixed, erased);
    for (std::uint64_t i = 0; i < mixed.size(); ++i) {
        ASSERT_EQ(erased[i], i % 3 == 0 ? erase_outcome::removed : erase_outcome::not_present) << i;
    }
    EXPECT_EQ(filter.keys(), 2'000u);
}

TEST(shared_elastic, refuses_a_number_of_shards_that_is_no_power_of_two) {
    EXPECT_FALSE(shared_elastic_filter::make(small_start(), 3).has_value());
    EXPECT_FALSE(shared_elastic_filter::make(small_start(), 512).has_value());
}

} // namespace
} // namespace everbloom
