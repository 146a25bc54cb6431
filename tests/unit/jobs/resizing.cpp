// Resizing a filter without its keys: none is lost, the capacity follows, and a failure changes nothing.
#include "support/must.hpp"

#include <everbloom/core/units.hpp>
#include <everbloom/jobs/resizing.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::must;

constexpr std::uint64_t resized_keys = 1000;

filter_file filled(const std::string& kind, std::uint64_t capacity, double fpr) {
    filter_file file;
    file.handle = keyed(must(build({kind, capacity, fpr, {}})), any_hasher(hash_id::siphash, hash_key::from_seed(5)));
    file.target = {capacity, fpr};
    for (std::uint64_t i = 0; i < resized_keys; ++i) must(file.handle.insert(i));
    return file;
}

void expect_all_keys(const filter_file& file) {
    for (std::uint64_t i = 0; i < resized_keys; ++i) ASSERT_TRUE(file.handle.may_contain(i)) << i;
}

constexpr const char* resizable_kinds[] = {"dleft", "elastic", "elastic_blocked"}; // in steps, and freely

TEST(resizing, to_a_larger_capacity_keeps_the_keys_and_the_fpr) {
    for (const char* kind : resizable_kinds) {
        SCOPED_TRACE(kind);
        filter_file file = filled(kind, resized_keys, 0.001);
        const std::uint64_t before = file.filter().payload_bytes();
        must(resize_filter(file, {.capacity = 8 * resized_keys, .fpr = 0.01}));
        EXPECT_EQ(file.target.items, 8 * resized_keys);
        EXPECT_EQ(file.target.fpr, 0.01);
        EXPECT_GT(file.filter().payload_bytes(), before);
        expect_all_keys(file);
        EXPECT_LE(file.filter().predict({.items = 8 * resized_keys}).fpr.value_or(0), 0.011);
        EXPECT_TRUE(read_filter(write_filter(file)));
    }
}

TEST(resizing, to_fewer_bytes_keeps_the_limit) {
    for (const char* kind : resizable_kinds) {
        SCOPED_TRACE(kind);
        filter_file file = filled(kind, 16 * resized_keys, 0.001);
        const std::uint64_t limit = file.filter().payload_bytes() / 2;
        must(resize_filter(file, {.fpr = 0.01, .bytes = limit}));
        EXPECT_LE(file.filter().payload_bytes(), limit);
        EXPECT_GE(file.target.items, resized_keys);
        expect_all_keys(file);
    }
}

TEST(resizing, keeps_a_capacity_for_which_it_is_still_large_enough) {
    const filter_file file = filled("elastic_blocked", 4 * resized_keys, 0.001);
    const measurement now = file.filter().measure();
    const resize_request looser{.fpr = 0.01};
    const auto kept = must(plan_resize(file, now, looser, capacity_rule::keep_if_possible));
    const auto fitted = must(plan_resize(file, now, looser, capacity_rule::present_keys));
    EXPECT_GE(kept.target.items, fitted.target.items);
    EXPECT_EQ(fitted.target.items, fitted.items);
    EXPECT_EQ(fitted.target.fpr, 0.01);
    EXPECT_NEAR(static_cast<double>(fitted.items), resized_keys, 1);
    EXPECT_EQ(file.target.items, 4 * resized_keys); // planning changes nothing
}

TEST(resizing, that_fails_changes_nothing) {
    for (const char* kind : resizable_kinds) {
        SCOPED_TRACE(kind);
        filter_file file = filled(kind, resized_keys, 0.001);
        const auto before = write_filter(file);
        const auto too_few = resize_filter(file, {.capacity = 10});
        ASSERT_FALSE(too_few);
        EXPECT_EQ(too_few.error().reason, failure_reason::bad_parameter);
        EXPECT_TRUE(too_few.error().sentence.starts_with("a capacity of 10 keys is too small; the filter holds about"))
            << too_few.error().sentence;
        const auto too_small = resize_filter(file, {.fpr = 0.001, .bytes = 100});
        ASSERT_FALSE(too_small);
        EXPECT_EQ(too_small.error().reason, failure_reason::no_room);
        EXPECT_FALSE(resize_filter(file, {.fpr = 1.5}));
        EXPECT_FALSE(resize_filter(file, {}));
        EXPECT_EQ(write_filter(file), before);
    }
}

TEST(resizing, names_the_option_of_the_caller_for_an_fpr_that_cannot_be_kept) {
    const filter_file file = filled("dleft", resized_keys, 0.00001);
    const auto refused =
        plan_resize(file, file.filter().measure(), {.capacity = 1'000'000}, capacity_rule::keep_if_possible, "--fpr");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence.find("accept it with --fpr"), std::string::npos) << refused.error().sentence;
}

TEST(resizing, on_paper_gives_the_size_that_a_filter_grows_to) {
    constexpr std::uint64_t many = 50'000;
    filter_file file = filled("quotient", 100, 0.01);
    const auto plan = must(plan_growth(file, file.filter().measure(), many));
    EXPECT_EQ(plan.target.items, many);
    EXPECT_EQ(plan.target.fpr, 0.01);
    for (std::uint64_t i = resized_keys; i < many; ++i) must(file.handle.insert(i));
    EXPECT_NEAR(static_cast<double>(file.filter().payload_bytes()), static_cast<double>(plan.lines * line_bytes),
                2.0 * line_bytes);
}

TEST(resizing, on_paper_is_refused_as_one_that_is_done) {
    const filter_file file = filled("quotient", 100, 0.01);
    const auto sentence = [&](std::uint64_t capacity) {
        const auto plan = plan_growth(file, file.filter().measure(), capacity);
        return plan ? std::string() : plan.error().sentence;
    };
    EXPECT_EQ(sentence(1000), "");
    EXPECT_TRUE(sentence(10).starts_with("a capacity of 10 keys is too small; the filter holds")) << sentence(10);
    const std::string too_many = sentence(std::uint64_t{1} << 33);
    EXPECT_NE(too_many.find("accept it with a higher target FPR"), std::string::npos) << too_many;
    const filter_file other = filled("bloom", resized_keys, 0.001);
    EXPECT_FALSE(plan_growth(other, other.filter().measure(), 2 * resized_keys));
}

TEST(resizing, of_a_kind_that_cannot_is_unsupported) {
    filter_file file = filled("bloom", resized_keys, 0.001);
    const auto refused = resize_filter(file, {.capacity = 2 * resized_keys});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, failure_reason::unsupported);
    EXPECT_EQ(refused.error().sentence, "a bloom filter cannot be resized");
}

} // namespace
} // namespace everbloom
