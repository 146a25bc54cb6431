// The elastic filter of many threads: members are never missed by readers while two writers grow and empty it.
#include "support/dice.hpp"
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
    EXPECT_EQ(ones, 0u) << "no key is left, and no bit either";
}

/// What every thread has done to its own keys, and what the filter should say of them: counts, verdicts, members.
class own_keys {
public:
    own_keys(shared_elastic_filter& filter, std::uint64_t thread)
        : filter_(filter), keys_(100 + thread), random_(thread) {}

    /// Some insertions or removals, one by one or as one batch.
    void step() {
        const std::size_t count = random_.below(4) == 0 ? 1 : 1 + random_.below(700);
        std::vector<std::uint64_t> chosen;
        for (std::size_t i = 0; i < count; ++i) chosen.push_back(random_.below(few));
        if (random_.below(5) < 3) {
            change<insert_outcome>(chosen, [&](std::uint64_t key, insert_outcome said) {
                wrong += succeeded(said) ? 0 : 1;
                ++copies_[key];
            });
        } else {
            change<erase_outcome>(chosen, [&](std::uint64_t key, erase_outcome said) {
                wrong += (said == erase_outcome::removed) == (copies_[key] > 0) ? 0 : 1;
                if (copies_[key] > 0) --copies_[key];
            });
        }
        for (std::uint64_t key = 0; key < few; key += 1 + random_.below(20)) {
            if (copies_[key] > 0) wrong += filter_.may_contain(keys_[key]) ? 0 : 1;
            wrong += filter_.confirm(keys_[key]) == (copies_[key] > 0) ? 0 : 1;
        }
    }
    [[nodiscard]] std::uint64_t members() const {
        return static_cast<std::uint64_t>(std::count_if(copies_.begin(), copies_.end(), [](auto n) { return n > 0; }));
    }

    std::uint64_t wrong = 0;

private:
    static constexpr std::uint64_t few = 1'500; // so that keys come again

    template <class Outcome, class Note>
    void change(const std::vector<std::uint64_t>& chosen, Note note) {
        std::vector<digest> items;
        for (const std::uint64_t key : chosen) items.push_back(keys_[key]);
        std::vector<Outcome> said(items.size());
        constexpr bool inserts = std::same_as<Outcome, insert_outcome>;
        if (items.size() == 1) {
            if constexpr (inserts)
                said[0] = filter_.insert(items[0]);
            else
                said[0] = filter_.erase(items[0]);
        } else {
            if constexpr (inserts)
                filter_.insert(items, said);
            else
                filter_.erase(items, said);
        }
        for (std::size_t i = 0; i < chosen.size(); ++i) note(chosen[i], said[i]);
    }

    shared_elastic_filter& filter_;
    key_family keys_;
    support::dice random_;
    std::array<std::uint64_t, few> copies_{};
};

// Each thread has keys of its own, so it knows what every answer about them must be, whatever the others do in the same shards.
class shared_elastic_oracle : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(threads, shared_elastic_oracle, ::testing::Values(2u, 4u, 16u));

TEST_P(shared_elastic_oracle, every_answer_is_right_beside_other_writers) {
    auto filter = must(shared_elastic_filter::make(small_start(), 4)); // few shards, so that threads meet
    std::vector<std::unique_ptr<own_keys>> owners;
    for (unsigned i = 0; i < GetParam(); ++i) owners.push_back(std::make_unique<own_keys>(filter, i));
    const std::uint64_t steps = rounds(160) / GetParam();
    {
        std::vector<std::jthread> threads;
        for (const auto& one : owners) {
            threads.emplace_back([&] {
                for (std::uint64_t step = 0; step < steps; ++step) one->step();
            });
        }
    }
    std::uint64_t members = 0;
    for (std::size_t i = 0; i < owners.size(); ++i) {
        EXPECT_EQ(owners[i]->wrong, 0u) << "thread " << i;
        members += owners[i]->members();
    }
    EXPECT_EQ(filter.keys(), members);
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
