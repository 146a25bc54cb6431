// concurrent_filter: nothing is missed beside writers, and files are those of everybody else. (Data races are looked for in
// tests/threads, under ThreadSanitizer.)
#include "support/temporary_directory.hpp"

#include <everbloom/everbloom.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace everbloom {
namespace {

TEST(concurrent_filter, misses_no_key_beside_writers) {
    concurrent_filter<std::uint64_t> seen({.capacity = 1000}); // grows twenty times as large
    constexpr std::uint64_t per_writer = 10'000;
    std::array<std::atomic<std::uint64_t>, 2> done{};
    std::atomic<std::uint64_t> missed = 0;
    std::vector<std::thread> threads;
    for (std::uint64_t writer = 0; writer < 2; ++writer) {
        threads.emplace_back([&, writer] {
            for (std::uint64_t i = 0; i < per_writer; ++i) {
                seen.insert(2 * i + writer);
                done[writer].store(i + 1, std::memory_order_release);
            }
        });
    }
    threads.emplace_back([&] {
        while (done[0] < per_writer || done[1] < per_writer) {
            for (std::uint64_t writer = 0; writer < 2; ++writer) {
                const std::uint64_t until = done[writer].load(std::memory_order_acquire);
                for (std::uint64_t i = until > 50 ? until - 50 : 0; i < until; ++i) {
                    missed += seen.may_contain(2 * i + writer) ? 0 : 1;
                }
            }
        }
    });
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(missed, 0u);
    EXPECT_EQ(seen.keys(), 2 * per_writer);
    const filter_stats now = seen.stats();
    EXPECT_EQ(now.keys, 2 * per_writer);
    EXPECT_EQ(now.fill, 20);
    EXPECT_LT(now.fpr, 0.002);
    EXPECT_GT(now.memory_bytes, 2 * per_writer);
}

TEST(concurrent_filter, files_are_those_of_an_ordinary_filter) {
    const support::temporary_directory here;
    const std::string path = here / "seen.eb";
    concurrent_filter<std::string> seen({.capacity = 3000, .fpr = 0.01}, 4);
    std::vector<std::string> keys;
    for (int i = 0; i < 5000; ++i) keys.push_back("key " + std::to_string(i));
    EXPECT_EQ(seen.insert(keys).successes(), keys.size());
    EXPECT_EQ(seen.erase("key 7"), erase_outcome::removed);
    seen.save(path);

    auto plain = filter<std::string>::open(path);
    EXPECT_EQ(plain.keys(), 4999u);
    EXPECT_EQ(plain.kind(), "elastic_blocked");
    EXPECT_FALSE(plain.may_contain("key 7"));
    auto back = concurrent_filter<std::string>::open(path);
    EXPECT_EQ(back.keys(), 4999u);
    std::vector<std::uint8_t> answers(keys.size());
    back.may_contain(keys, answers);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(answers[i] != 0, back.may_contain(keys[i]));
        EXPECT_TRUE(i == 7 || answers[i] != 0) << keys[i];
    }
    EXPECT_EQ(back.erase("key 8"), erase_outcome::removed);
    EXPECT_TRUE(succeeded(back.insert("new")));
    back.save(path);
    EXPECT_TRUE(filter<std::string>::open(path).may_contain("new"));
    EXPECT_EQ(back.erase(keys).successes(), keys.size() - 2);
    EXPECT_EQ(back.keys(), 1u);

    EXPECT_EQ(concurrent_filter<int>::try_open(path).error().reason, failure_reason::mismatch);
    filter<std::string, bloom> other({.capacity = 10});
    other.save(path);
    EXPECT_EQ(concurrent_filter<std::string>::try_open(path).error().reason, failure_reason::mismatch);
}

TEST(concurrent_filter, refuses_bad_options_in_words) {
    using type = concurrent_filter<std::string>;
    EXPECT_FALSE(type::try_make({.capacity = 0}));
    EXPECT_FALSE(type::try_make({.capacity = 10, .fpr = 0}));
    EXPECT_FALSE(type::try_make({.capacity = 10}, 3));
    EXPECT_FALSE(type::try_make({.capacity = 10}, 0));
    EXPECT_FALSE(type::try_make({.capacity = 10, .kind = "bloom"}));
    EXPECT_THROW(type({.capacity = 0}), error);
    type one({.capacity = 10});
    one.insert("anna");
    const type moved(std::move(one));
    EXPECT_TRUE(moved.may_contain("anna"));
    EXPECT_TRUE(one.may_contain("zoe"));                        // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(one.insert("zoe"), insert_outcome::not_writable); // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(one.save("nowhere.eb"), error);                // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(one.keys(), 0u);                                  // NOLINT(bugprone-use-after-move)
}

} // namespace
} // namespace everbloom
