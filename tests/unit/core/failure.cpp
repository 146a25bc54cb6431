// A failure is a reason and a sentence, and gains the place where it happened on its way up.
#include <everbloom/core/result.hpp>

#include <gtest/gtest.h>

#include <set>

namespace everbloom {
namespace {

TEST(failure_value, in_puts_the_place_before_the_sentence_and_keeps_the_reason) {
    const failure told = in("names.eb", {failure_reason::damaged, "the header is damaged"});
    EXPECT_EQ(told.reason, failure_reason::damaged);
    EXPECT_EQ(told.sentence, "names.eb: the header is damaged");
}

TEST(failure_value, places_can_be_nested) {
    const failure told = in("outer", in("inner", {failure_reason::busy, "wait"}));
    EXPECT_EQ(told.sentence, "outer: inner: wait");
}

TEST(failure_value, every_reason_has_a_name_of_its_own) {
    std::set<std::string_view> names;
    for (int reason = 0; reason <= static_cast<int>(failure_reason::no_room); ++reason) {
        const std::string_view name = name_of(static_cast<failure_reason>(reason));
        EXPECT_NE(name, "unknown");
        EXPECT_TRUE(names.insert(name).second) << name;
    }
}

TEST(failure_value, fail_makes_a_result_without_a_value) {
    const result<int> none = fail(failure_reason::unsupported, "cannot");
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().reason, failure_reason::unsupported);
    const result<std::string> passed_on = fail(none.error());
    ASSERT_FALSE(passed_on.has_value());
    EXPECT_EQ(passed_on.error().sentence, "cannot");
}

} // namespace
} // namespace everbloom
