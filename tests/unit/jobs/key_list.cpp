// Lists of keys: sorted, without duplicates; their differences; and their text, which is read again only if it is intact.
#include "support/must.hpp"

#include <everbloom/hash/checksum.hpp>
#include <everbloom/jobs/key_list.hpp>
#include <everbloom/jobs/list_text.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace everbloom {
namespace {

using namespace std::string_view_literals;
using support::must;

TEST(key_list, is_sorted_and_has_no_duplicates) {
    list_builder builder;
    for (const char* key : {"b", "a", "", "b", "c", "a"}) builder.add(key);
    EXPECT_EQ(builder.added(), 6U);
    key_arena arena;
    EXPECT_EQ(std::move(builder).finish(arena), (key_list{"", "a", "b", "c"}));
}

TEST(key_list, stays_small_while_duplicates_are_added) {
    list_builder builder;
    for (int i = 0; i < 300'000; ++i) builder.add(std::to_string(i % 100));
    key_arena arena;
    const key_list list = std::move(builder).finish(arena);
    EXPECT_EQ(list.size(), 100U);
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
}

TEST(key_list, changes_into_another_by_the_difference) {
    const key_list before{"a", "b", "d"};
    const key_list after{"b", "c", "d", "e"};
    const list_change change = change_between(before, after);
    EXPECT_EQ(change.added, (key_list{"c", "e"}));
    EXPECT_EQ(change.removed, (key_list{"a"}));
    EXPECT_EQ(changed(before, change), after);
    EXPECT_EQ(count_shared(before, after), 2U);
    EXPECT_TRUE(change_between(after, after).is_nothing());
}

struct written_list {
    std::string text;
    list_tail tail;
};

written_list written(const followed_list& list) {
    written_list made;
    made.tail = must(write_list_text(list, [&](std::string_view piece) { made.text += piece; }));
    return made;
}

followed_list addresses() { return {{key_type::ip, 15, 0.001, 77, 3}, {"10.0.0.1", "10.0.0.2", "::1"}}; }

TEST(list_text, is_read_as_it_was_written) {
    const written_list made = written(addresses());
    EXPECT_EQ(made.text, "10.0.0.1\n10.0.0.2\n::1\n");
    EXPECT_EQ(made.tail.text_checksum, checksum(made.text.data(), made.text.size()));
    const auto bytes = made.tail.write();
    const list_tail said = must(list_tail::parse(bytes));
    EXPECT_EQ(said.facts.type, key_type::ip);
    EXPECT_EQ(said.facts.kind, 15U);
    EXPECT_EQ(said.facts.fpr, 0.001);
    EXPECT_EQ(said.facts.identity, 77U);
    EXPECT_EQ(said.facts.undeletable, 3U);
    key_arena arena;
    list_checker checker(said, arena);
    EXPECT_TRUE(checker.take(std::string_view(made.text).substr(0, 9)));
    EXPECT_FALSE(checker.is_complete());
    EXPECT_TRUE(checker.take(std::string_view(made.text).substr(9)));
    EXPECT_TRUE(checker.is_complete());
    EXPECT_EQ(checker.finish(), addresses().keys);
}

TEST(list_text, that_was_changed_is_refused) {
    const written_list made = written(addresses());
    for (const std::string_view wrong : {
             "10.0.0.2\n10.0.0.1\n::1\n"sv,      // the order
             "10.0.0.1\n10.0.0.1\n::1\n"sv,      // a duplicate
             "10.0.0.1\n10.0.0.2\n0::1\n"sv,     // the spelling, and the length
             "10.0.0.1\n10.0.0.2\n::1"sv,        // no separator
             "10.0.0.1\n10.0.0.2\n::1\n::2\n"sv, // more
             "10.0.0.1\n10.0.0.2\nx:1\n"sv,
         }) {
        key_arena arena;
        list_checker checker(made.tail, arena);
        EXPECT_FALSE(checker.take(wrong)) << wrong;
    }
    key_arena arena;
    list_checker checker(made.tail, arena);
    EXPECT_TRUE(checker.take("10.0.0.1\n10.0.0.2\n::2\n"));
    EXPECT_FALSE(checker.is_complete()); // the checksum
}

TEST(list_text, has_a_tail_in_which_every_byte_is_checked) {
    const auto intact = written(addresses()).tail.write();
    for (std::size_t i = 0; i < intact.size(); ++i) {
        auto damaged = intact;
        damaged[i] ^= std::byte{1};
        const auto refused = list_tail::parse(damaged);
        ASSERT_FALSE(refused) << i;
        EXPECT_EQ(refused.error().reason, failure_reason::damaged) << i;
    }
}

TEST(list_text, takes_another_separator_for_keys_with_newlines) {
    EXPECT_EQ(written({{key_type::text, 1, 0.1, 0, 0}, {"a\nb"}}).text, "a\nb\0"sv);
    const auto refused = write_list_text({{key_type::text, 1, 0.1, 0, 0}, {"a\nb", "c\0d"sv}}, [](auto) {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, failure_reason::unsupported);
}

} // namespace
} // namespace everbloom
