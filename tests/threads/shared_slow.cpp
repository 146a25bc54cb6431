// The slow filter of many threads against an exact oracle. Every thread has keys of its own and knows how often each of them is in; merges
// are forced by small buffers, and flushes, resizes and checks go on beside.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;

constexpr std::uint64_t buffer_bytes = 20'000;
constexpr unsigned hash_bits = 50; // of a key are stored

digest item_of(std::uint64_t thread, std::uint64_t key) { return {mix((thread << 32 | key) * 2 + 1), 0}; }

slow_plan plan_of(unsigned part_bits) {
    auto plan = must(plan_slow({500, 0.01}));
    plan.identity.geometry = {hash_bits, part_bits};
    return plan;
}

shared_slow_elastic new_filter(const std::string& path, unsigned part_bits) {
    auto name = must(new_slow_file::begin(path));
    auto made = must(slow_elastic::create(name.take_file(), plan_of(part_bits), buffer_bytes));
    must(name.publish(new_slow_file::existing::keep));
    return must(shared_slow_elastic::share(std::move(made)));
}

/// What one thread does, and what it knows.
struct owner {
    std::uint64_t number = 0;
    std::uint64_t range = 0;                      // of its keys
    std::map<std::uint64_t, std::uint64_t> truth; // key, how often
    std::uint64_t refused = 0;                    // removals that were accepted, of keys that are not there
    std::uint64_t mistakes = 0;

    void expect(bool right) { mistakes += right ? 0 : 1; }

    bool take(std::uint64_t key) {
        const auto found = truth.find(key);
        if (found == truth.end()) return false;
        if (--found->second == 0) truth.erase(found);
        return true;
    }

    void work(shared_slow_elastic& filter, std::uint64_t steps, std::atomic<std::uint64_t>& steps_done) {
        dice random(number + 1);
        std::vector<digest> some;
        std::vector<insert_outcome> outcomes;
        for (std::uint64_t step = 0; step < steps; ++step, ++steps_done) {
            const std::uint64_t key = random.below(range);
            const digest item = item_of(number, key);
            switch (random.below(12)) {
            case 0: {
                const auto verdict = filter.erase(item);
                expect(verdict.has_value());
                if (verdict) expect((*verdict == erase_outcome::removed) == take(key));
                break;
            }
            case 1:
            case 2:
            case 3: {
                const auto accepted = filter.erase_later(item);
                expect(accepted != deferred_outcome::refused);
                const bool removed = take(key);
                if (accepted == deferred_outcome::not_present) {
                    expect(!removed);
                } else {
                    refused += removed ? 0 : 1;
                }
                break;
            }
            case 4: {
                const auto counted = filter.count(item);
                const auto found = truth.find(key);
                expect(counted && *counted == (found == truth.end() ? 0 : found->second));
                break;
            }
            case 6: {
                some.clear();
                std::vector<std::uint64_t> asked(random.below(200));
                for (std::uint64_t& one : asked) some.push_back(item_of(number, one = random.below(range)));
                std::vector<deferred_outcome> accepted(some.size());
                filter.erase_later(some, accepted);
                for (std::size_t i = 0; i < asked.size(); ++i) {
                    expect(accepted[i] != deferred_outcome::refused);
                    const bool removed = take(asked[i]);
                    if (accepted[i] == deferred_outcome::not_present) {
                        expect(!removed);
                    } else {
                        refused += removed ? 0 : 1;
                    }
                }
                break;
            }
            case 5: {
                some.clear();
                for (std::uint64_t i = 0; i < 60; ++i) {
                    const std::uint64_t one = random.below(range);
                    some.push_back(item_of(number, one));
                    ++truth[one];
                }
                outcomes.resize(some.size());
                filter.insert(some, outcomes);
                for (const insert_outcome one : outcomes) expect(succeeded(one));
                std::vector<std::uint8_t> answers(some.size());
                filter.may_contain(some, answers);
                for (const std::uint8_t one : answers) expect(one == 1);
                break;
            }
            default:
                expect(succeeded(filter.insert(item)));
                ++truth[key];
                expect(filter.may_contain(item));
            }
            if (step % 64 == 0) {
                for (const auto& one : truth) expect(filter.may_contain(item_of(number, one.first)));
            }
        }
    }
};

using multiset = std::map<std::uint64_t, std::uint64_t>;

void run_owners(std::uint64_t count, unsigned part_bits, std::uint64_t steps) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    auto filter = new_filter(path, part_bits);
    std::vector<owner> owners(count);
    std::atomic<std::uint64_t> failures = 0;
    {
        std::atomic<std::uint64_t> steps_done = 0;
        const std::jthread keeper([&] {
            constexpr std::uint64_t rounds = 30; // spread over the work of the others
            for (std::uint64_t round = 0; round < rounds; ++round) {
                while (steps_done < round * count * steps / rounds) std::this_thread::yield();
                switch (round % 5) {
                case 0: failures += filter.flush() ? 0 : 1; break;
                case 1: failures += filter.resize(must(plan_slow({500, round % 2 == 0 ? 0.001 : 0.05}))) ? 0 : 1; break;
                case 2: failures += filter.verify() ? 0 : 1; break;
                case 3: failures += filter.statistics().file_bytes == 0 || !(filter.measure().fpr < 1) ? 1 : 0; break;
                default: failures += filter.merge() ? 0 : 1;
                }
            }
        });
        std::vector<std::jthread> working;
        for (std::uint64_t i = 0; i < count; ++i) {
            owners[i].number = i;
            owners[i].range = 6000 / count;
            working.emplace_back([&, &one = owners[i]] { one.work(filter, steps, steps_done); });
        }
    }
    EXPECT_EQ(failures, 0U);
    EXPECT_FALSE(filter.last_error());

    multiset truth;
    std::uint64_t refused = 0;
    for (const owner& one : owners) {
        EXPECT_EQ(one.mistakes, 0U) << "thread " << one.number;
        refused += one.refused;
        for (std::uint64_t key = 0; key < one.range; ++key) {
            const auto found = one.truth.find(key);
            const std::uint64_t copies = found == one.truth.end() ? 0 : found->second;
            ASSERT_EQ(must(filter.count(item_of(one.number, key))), copies);
            if (copies != 0) truth[item_of(one.number, key).low & stored_mask(hash_bits)] = copies;
        }
    }
    must(filter.merge());
    must(filter.verify());
    const slow_statistics seen = filter.statistics();
    EXPECT_EQ(seen.keys, truth.size());
    EXPECT_EQ(seen.pending, 0U);
    EXPECT_EQ(seen.refused, refused);
    EXPECT_GE(seen.merges, 8U);
    must(filter.close());
    EXPECT_TRUE(filter.may_contain(digest{truth.begin()->first, 0}));
    EXPECT_EQ(filter.insert(item_of(0, 0)), insert_outcome::not_writable);
    EXPECT_FALSE(filter.count(item_of(0, 0)));
    EXPECT_FALSE(filter.flush());

    const auto again = must(slow_elastic::open(must(open_slow_file(path, slow_access::read)), slow_access::read));
    multiset found;
    must(again.for_each([&](std::uint64_t hash, std::uint64_t copies) { found[hash] = copies; }));
    EXPECT_TRUE(found == truth);
    must(again.verify());
}

TEST(shared_slow, four_threads_agree_with_an_exact_oracle) { run_owners(4, 3, support::rounds(20'000)); }
TEST(shared_slow, sixteen_threads_agree_with_an_exact_oracle) { run_owners(16, 4, support::rounds(3'000)); }
TEST(shared_slow, threads_that_meet_in_two_parts_agree_with_an_exact_oracle) {
    run_owners(4, 1, support::rounds(5'000));
}

/// Closed at a moment that nobody chose: of every thread the first updates are there, those that were accepted.
TEST(shared_slow, is_closed_beside_writers_and_keeps_what_it_accepted) {
    for (std::uint64_t round = 0; round < support::rounds(40); ++round) {
        const support::temporary_directory here;
        const std::string path = here / "x.eb";
        auto filter = new_filter(path, 2);
        constexpr std::uint64_t writers = 4;
        std::array<std::uint64_t, writers> accepted{};
        std::atomic<std::uint64_t> total = 0;
        {
            std::vector<std::jthread> working;
            for (std::uint64_t i = 0; i < writers; ++i) {
                working.emplace_back([&, i] {
                    while (succeeded(filter.insert(item_of(i, accepted[i])))) {
                        ++accepted[i];
                        ++total;
                    }
                });
            }
            while (total < 300 * (round % 10) + 1) std::this_thread::yield();
            must(filter.close());
        }
        auto again = must(slow_elastic::open(must(open_slow_file(path, slow_access::write)), slow_access::write));
        for (std::uint64_t i = 0; i < writers; ++i) {
            for (std::uint64_t key = 0; key < accepted[i]; ++key) ASSERT_EQ(must(again.count(item_of(i, key))), 1U);
            ASSERT_EQ(must(again.count(item_of(i, accepted[i]))), 0U);
        }
    }
}

} // namespace
} // namespace everbloom
