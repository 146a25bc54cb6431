// result: the parts of std::expected that programs use, and that nothing is lost, copied twice or forgotten on the way.
#include <everbloom/core/error.hpp>
#include <everbloom/core/result.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace everbloom {
namespace {

result<int> half_of(int number) {
    if (number % 2 != 0) return fail(failure_reason::bad_parameter, std::to_string(number) + " is odd");
    return number / 2;
}

TEST(result, has_a_value_or_a_failure) {
    const auto good = half_of(8);
    ASSERT_TRUE(good);
    EXPECT_TRUE(good.has_value());
    EXPECT_EQ(*good, 4);
    EXPECT_EQ(good, 4);
    EXPECT_EQ(good.value_or(7), 4);
    const auto bad = half_of(9);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().sentence, "9 is odd");
    EXPECT_EQ(bad.value_or(7), 7);
}

TEST(result, value_throws_the_failure) {
    EXPECT_EQ(half_of(8).value(), 4);
    try {
        (void)half_of(9).value();
        FAIL() << "a failure has no value";
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.reason(), failure_reason::bad_parameter);
        EXPECT_STREQ(thrown.what(), "9 is odd");
    }
    EXPECT_THROW(result<void>(fail(failure_reason::busy, "busy")).value(), error);
    EXPECT_NO_THROW(result<void>().value());
}

TEST(result, chains) {
    EXPECT_EQ(*half_of(8).and_then(half_of), 2);
    EXPECT_EQ(half_of(6).and_then(half_of).error().sentence, "3 is odd");
    EXPECT_EQ(*half_of(8).transform([](int number) { return std::to_string(number); }), "4");
    EXPECT_FALSE(half_of(7).transform([](int number) { return number; }));
    EXPECT_EQ(*half_of(7).or_else([](const failure&) { return result<int>(0); }), 0);
    EXPECT_EQ(*half_of(8).or_else([](const failure&) { return result<int>(0); }), 4);
    EXPECT_EQ(half_of(7).transform_error([](const failure& why) { return why.sentence.size(); }).error(), 8u);
    const auto done = result<void>().and_then([] { return half_of(4); });
    EXPECT_EQ(*done, 2);
    EXPECT_FALSE(result<void>(fail(failure_reason::busy, "")).and_then([] { return half_of(4); }));
}

TEST(result, moves_what_cannot_be_copied) {
    result<std::unique_ptr<int>> made(std::make_unique<int>(3));
    result<std::unique_ptr<int>> taken(std::move(made));
    ASSERT_TRUE(taken);
    EXPECT_EQ(**taken, 3);
    made = std::move(taken);
    EXPECT_EQ(**made, 3);
    made = fail(failure_reason::no_room, "none");
    EXPECT_FALSE(made);
    made = std::make_unique<int>(4);
    const std::unique_ptr<int> out = *std::move(made);
    EXPECT_EQ(*out, 4);
}

/// Counts how many there are.
struct tracked {
    static inline int alive = 0;
    tracked() { ++alive; }
    tracked(const tracked&) { ++alive; }
    tracked(tracked&&) noexcept { ++alive; }
    tracked& operator=(const tracked&) = default;
    tracked& operator=(tracked&&) noexcept = default;
    ~tracked() { --alive; }
};

TEST(result, destroys_what_it_held) {
    tracked::alive = 0;
    {
        result<tracked> one;
        result<tracked> copy(one);
        EXPECT_EQ(tracked::alive, 2);
        copy = fail(failure_reason::busy, std::string(100, 'x'));
        EXPECT_EQ(tracked::alive, 1);
        one = copy;
        EXPECT_EQ(tracked::alive, 0);
        EXPECT_EQ(one.error().sentence.size(), 100u);
        const result<tracked> other;
        one = other;
        const auto& same = one;
        one = same; // to itself
        EXPECT_EQ(tracked::alive, 2);
    }
    EXPECT_EQ(tracked::alive, 0);
}

TEST(result, success_without_a_value_copies_and_moves) {
    result<void> done;
    result<void> failed(fail(failure_reason::busy, std::string(100, 'x')));
    result<void> copy(failed);
    EXPECT_EQ(copy.error().sentence.size(), 100u);
    copy = done;
    EXPECT_TRUE(copy);
    copy = std::move(failed);
    EXPECT_FALSE(copy);
    copy = result<void>();
    EXPECT_TRUE(copy);
}

} // namespace
} // namespace everbloom
