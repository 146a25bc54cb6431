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

// A filter that is cut into shards and put together again has lost nothing: neither copies nor removals, wherever its growth stood.
class concurrent_filter_of : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(shards, concurrent_filter_of, ::testing::Values(1u, 2u, 16u, 256u));

TEST_P(concurrent_filter_of, opens_saves_and_opens_again) {
    const support::temporary_directory here;
    const std::string path = here / "seen.eb";
    for (const char* word_bits : {"50", "60", "34", "24"}) {
        const bool is_short = std::string_view(word_bits) == "24"; // of 24 bits none can tell a shard; 16 keys at most
        const std::uint64_t most = is_short ? 12 : 3000;
        filter<std::uint64_t, elastic_blocked> plain(
            {.capacity = is_short ? 16u : 40u, .geometry = {{"word_bits", word_bits}}});
        for (std::uint64_t key = 0; key < most; ++key) {
            for (std::uint64_t copies = key % 9 == 0 ? 5 : 1; copies != 0; --copies) {
                ASSERT_TRUE(succeeded(plain.insert(key)));
            }
            // At many sizes, in the middle of growing and not.
            if (key % (most / 6) != 0 && key + 1 != most) continue;
            plain.save(path);
            auto shared = concurrent_filter<std::uint64_t>::open(path, GetParam());
            EXPECT_EQ(shared.keys(), key + 1);
            shared.save(path);
            auto back = filter<std::uint64_t, elastic_blocked>::open(path);
            EXPECT_EQ(back.keys(), key + 1);
            for (std::uint64_t one = 0; one <= key; ++one) {
                ASSERT_TRUE(shared.may_contain(one));
                ASSERT_TRUE(back.may_contain(one));
                for (std::uint64_t copies = one % 9 == 0 ? 5 : 1; copies != 0; --copies) {
                    ASSERT_EQ(shared.erase(one), erase_outcome::removed) << one << ", " << copies << " copies";
                    ASSERT_EQ(back.erase(one), erase_outcome::removed) << one << ", " << copies << " copies";
                }
                ASSERT_EQ(back.erase(one), erase_outcome::not_present);
                ASSERT_EQ(shared.erase(one), erase_outcome::not_present);
            }
            EXPECT_EQ(shared.keys(), 0u);
            EXPECT_EQ(shared.stats().fpr, 0) << "no bit is left";
        }
    }
}

TEST_P(concurrent_filter_of, grows_on_after_it_was_opened) {
    const support::temporary_directory here;
    const std::string path = here / "seen.eb";
    concurrent_filter<std::uint64_t> seen({.capacity = 500}, GetParam());
    for (std::uint64_t key = 0; key < 20'000; ++key) {
        ASSERT_TRUE(succeeded(seen.insert(key)));
        if (key % 5000 != 4999) continue;
        const double before = seen.stats().fpr;
        seen.save(path);
        seen = concurrent_filter<std::uint64_t>::open(path, GetParam());
        EXPECT_EQ(seen.keys(), key + 1);
        EXPECT_LT(seen.stats().fpr, before + 0.0005);
    }
    for (std::uint64_t key = 0; key < 20'000; ++key) ASSERT_TRUE(seen.may_contain(key));
    const auto again = filter<std::uint64_t>::open(path);
    EXPECT_EQ(again.keys(), 20'000u);
    EXPECT_LT(again.stats().fpr, 0.0013);
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
