// concurrent_slow_filter: the verbs of slow_filter, from any thread. (Data races are looked for in tests/threads.)
#include "support/temporary_directory.hpp"

#include <everbloom/concurrent_slow_filter.hpp>

#include <thread>

namespace everbloom {
namespace {

TEST(concurrent_slow_filter, takes_keys_from_several_threads_into_one_file) {
    const support::temporary_directory here;
    const std::string path = here / "seen.eb";
    {
        auto seen = concurrent_slow_filter<std::string>::create(path, {.capacity = 1000, .fpr = 0.01});
        const auto add = [&](const std::string& name) {
            for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen.insert(name + std::to_string(i)), insert_outcome::inserted);
            std::vector<std::string> many;
            for (int i = 1000; i < 3000; ++i) many.push_back(name + std::to_string(i));
            EXPECT_EQ(seen.insert(many).successes(), 2000U);
            seen.flush();
            EXPECT_TRUE(seen.may_contain(name + "2999"));
            EXPECT_EQ(seen.erase(name + "0"), erase_outcome::removed);
            EXPECT_EQ(seen.erase(name + "0"), erase_outcome::not_present);
            EXPECT_EQ(seen.erase_later(name + "1"), deferred_outcome::accepted);
            EXPECT_EQ(seen.count(name + "1"), 0U);
            const std::vector<std::string> last(many.end() - 500, many.end());
            EXPECT_EQ(seen.erase_later(last).successes(), 500U);
            EXPECT_EQ(seen.count(last.front()), 0U);
            EXPECT_EQ(seen.insert(last).successes(), 500U);
            EXPECT_EQ(seen.count(name + "2"), 1U);
        };
        std::jthread anna(add, "anna");
        std::jthread bert(add, "bert");
        anna.join();
        bert.join();
        EXPECT_FALSE(seen.last_error());
    } // flushed by the destructor
    auto again = concurrent_slow_filter<std::string>::open(path);
    EXPECT_EQ(concurrent_slow_filter<std::string>::try_open(path).error().reason, failure_reason::busy);
    const auto answers = again.may_contain(std::vector<std::string>{"anna2", "bert2"});
    EXPECT_EQ(answers, (std::vector<std::uint8_t>{1, 1}));
    again.resize({.fpr = 0.001});
    const slow_stats now = again.stats();
    EXPECT_EQ(now.keys, 2U * 2998U);
    EXPECT_EQ(now.pending, 0U);
    EXPECT_LT(now.fpr, 0.0012);
    EXPECT_EQ(now.target_fpr, 0.001);
    EXPECT_TRUE(again.try_verify());
    again.close();
    again.close();
    EXPECT_FALSE(again.try_flush());
    EXPECT_FALSE(again.try_erase("anna2"));
    EXPECT_FALSE(again.try_resize({.fpr = 0.01}));
    EXPECT_FALSE(again.try_verify());
    EXPECT_EQ(again.erase_later("anna2"), deferred_outcome::refused);
    EXPECT_TRUE(again.may_contain("anna2")) << "queries go on after it was closed";
    EXPECT_EQ(again.insert("zoe"), insert_outcome::not_writable);
    EXPECT_EQ(here.listing(), "seen.eb");
    // The file is that of a slow filter.
    EXPECT_EQ(slow_filter<std::string>::open(path).stats().keys, 2U * 2998U);
    const auto reader = concurrent_slow_filter<std::string>::open_for_reading(path);
    EXPECT_EQ(reader.count("bert2"), 1U);
    EXPECT_TRUE(reader.try_verify());
}

TEST(concurrent_slow_filter, says_why_it_cannot_be_opened) {
    const support::temporary_directory here;
    const std::string path = here / "numbers.eb";
    concurrent_slow_filter<std::uint64_t>::create(path, {.capacity = 100}).insert(std::vector<std::uint64_t>{1, 2, 3});
    EXPECT_EQ(concurrent_slow_filter<std::string>::try_open(path).error().reason, failure_reason::mismatch);
    EXPECT_EQ(concurrent_slow_filter<std::uint64_t>::try_create(path, {.capacity = 100}).error().reason,
              failure_reason::input_output);
    EXPECT_THROW((void)concurrent_slow_filter<std::uint64_t>::open(here / "missing.eb"), error);
    auto reader = concurrent_slow_filter<std::uint64_t>::open_for_reading(path);
    EXPECT_EQ(reader.insert(4), insert_outcome::not_writable);
    EXPECT_EQ(reader.erase_later(4), deferred_outcome::refused);
    EXPECT_FALSE(reader.try_erase(1));
    const auto holder = std::move(reader);
    EXPECT_TRUE(holder.may_contain(1));
    EXPECT_FALSE(holder.last_error());
}

} // namespace
} // namespace everbloom
