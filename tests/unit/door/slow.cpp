// The front door of slow filters.
#include "support/temporary_directory.hpp"

#include <everbloom/slow_filter.hpp>

namespace everbloom {
namespace {

TEST(slow_filter, lives_in_its_file) {
    const support::temporary_directory here;
    const std::string path = here / "seen.eb";
    {
        auto seen = slow_filter<std::string>::create(path, {.capacity = 1000, .fpr = 0.01});
        EXPECT_EQ(seen.insert("anna"), insert_outcome::inserted);
        std::vector<std::string> many;
        for (int i = 0; i < 5000; ++i) many.push_back("key" + std::to_string(i));
        EXPECT_EQ(seen.insert(many).successes(), 5000U);
        seen.flush();
        EXPECT_EQ(slow_filter<std::string>::try_open(path).error().reason, failure_reason::busy);
        const auto reader = slow_filter<std::string>::open_for_reading(path);
        EXPECT_TRUE(reader.may_contain("anna"));
        EXPECT_EQ(seen.erase("anna"), erase_outcome::removed);
        EXPECT_EQ(seen.erase("anna"), erase_outcome::not_present);
        EXPECT_EQ(seen.erase_later(std::string_view("key7")), deferred_outcome::accepted);
        EXPECT_EQ(seen.count("key7"), 0U);
        const deferred_tally tally =
            seen.erase_later(std::vector<std::string>{"key9", "nobody was ever called so", "key10"});
        EXPECT_EQ(tally.all(), 3U);
        EXPECT_EQ(tally.of(deferred_outcome::refused), 0U);
        EXPECT_GE(tally.successes(), 2U);
        EXPECT_EQ(seen.count("key10"), 0U);
        EXPECT_EQ(seen.insert(std::vector<std::string>{"key9", "key10"}).successes(), 2U);
        EXPECT_EQ(seen.count("key8"), 1U);
    } // flushed by the destructor
    auto again = slow_filter<std::string>::open(path);
    EXPECT_EQ(again.count("anna"), 0U);
    const auto answers = again.may_contain(std::vector<std::string>{"key1", "key2"});
    EXPECT_EQ(answers, (std::vector<std::uint8_t>{1, 1}));
    again.resize({.fpr = 0.001});
    const slow_stats now = again.stats();
    EXPECT_EQ(now.keys, 4999U);
    EXPECT_EQ(now.pending, 0U);
    EXPECT_LT(now.fpr, 0.0012);
    EXPECT_EQ(now.target_fpr, 0.001);
    EXPECT_GT(now.bits_per_key, 8);
    EXPECT_FALSE(again.last_error());
    EXPECT_TRUE(again.try_verify());
    again.close();
    EXPECT_FALSE(again.try_flush());
    EXPECT_TRUE(again.may_contain("anyone")) << "a closed filter does not say no";
    EXPECT_EQ(again.insert("zoe"), insert_outcome::not_writable);
    EXPECT_EQ(here.listing(), "seen.eb");
}

TEST(slow_filter, says_why_it_cannot_be_opened) {
    const support::temporary_directory here;
    const std::string path = here / "numbers.eb";
    slow_filter<std::uint64_t>::create(path, {.capacity = 100}).insert(std::vector<std::uint64_t>{1, 2, 3});
    EXPECT_EQ(slow_filter<std::string>::try_open(path).error().reason, failure_reason::mismatch);
    EXPECT_EQ(slow_filter<std::uint64_t>::try_create(path, {.capacity = 100}).error().reason,
              failure_reason::input_output);
    EXPECT_EQ(slow_filter<std::uint64_t>::try_create(path, {.capacity = 0}).error().reason,
              failure_reason::bad_parameter);
    EXPECT_EQ(slow_filter<std::uint64_t>::try_open(here / "missing.eb").error().reason, failure_reason::input_output);
    EXPECT_THROW((void)slow_filter<std::uint64_t>::open(here / "missing.eb"), error);
    EXPECT_TRUE(slow_filter<std::uint64_t>::open(path).may_contain(2));
    auto moved = slow_filter<std::uint64_t>::open(path);
    const auto holder = std::move(moved);
    EXPECT_TRUE(holder.may_contain(1));
}

} // namespace
} // namespace everbloom
