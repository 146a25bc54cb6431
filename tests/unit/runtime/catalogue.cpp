// Building by name: every wish that cannot be met is answered with a sentence that says what to do.
#include "support/must.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace everbloom {
namespace {

using support::must;

void expect_refusal(const build_request& wanted, std::string_view says) {
    const auto refused = build(wanted);
    ASSERT_FALSE(refused.has_value()) << "expected: " << says;
    EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter) << refused.error().sentence;
    EXPECT_NE(refused.error().sentence.find(says), std::string::npos) << refused.error().sentence;
}

TEST(catalogue, lists_every_kind_with_its_parameters) {
    ASSERT_FALSE(known_kinds().empty());
    for (const kind_info& kind : known_kinds()) {
        EXPECT_EQ(find_kind(kind.name)->id, kind.id);
        ASSERT_FALSE(kind.parameters.empty()) << kind.name;
        for (const parameter_info& one : kind.parameters) {
            EXPECT_FALSE(one.meaning.empty()) << kind.name << ' ' << one.name;
            EXPECT_LE(one.least, one.most) << kind.name << ' ' << one.name;
            EXPECT_TRUE(one.words.empty() || one.words.size() == one.most + 1) << kind.name << ' ' << one.name;
        }
    }
    EXPECT_EQ(find_kind("bloomy"), nullptr);
}

TEST(catalogue, an_unknown_kind_is_answered_with_those_there_are) {
    expect_refusal({"bloomy", 1000, {}, {}}, "there is no kind 'bloomy'; the kinds are bloom, blocked, counting");
}

TEST(catalogue, an_unknown_parameter_is_answered_with_those_there_are) {
    expect_refusal({"bloom", 1000, {}, {{"colour", "red"}}}, "no parameter 'colour'; it has bits, hashes, probe");
}

TEST(catalogue, a_value_in_the_wrong_words_is_named) {
    expect_refusal({"bloom", {}, {}, {{"bits", "many"}, {"hashes", "3"}}}, "bits: 'many' is not a size");
    expect_refusal({"bloom", 1000, {}, {{"probe", "triple"}}},
                   "probe: 'triple' is not a valid choice; use double or independent");
}

TEST(catalogue, a_size_must_come_from_somewhere) {
    expect_refusal({"bloom", {}, {}, {}}, "no size given");
    expect_refusal({"bloom", {}, 0.01, {}}, "no size given");
    expect_refusal({"bloom", {}, {}, {{"hashes", "3"}}}, "no size given");
    expect_refusal({"bloom", {}, {}, {{"bits", "100"}}}, "hashes is missing");
}

TEST(catalogue, values_outside_their_range_are_refused_by_name) {
    for (const std::string_view hashes : {"0", "33", "18446744073709551615"}) {
        expect_refusal({"bloom", {}, {}, {{"bits", "100"}, {"hashes", std::string(hashes)}}}, "hashes is");
        expect_refusal({"bloom", 1000, {}, {{"hashes", std::string(hashes)}}}, "hashes is");
    }
    expect_refusal({"bloom", {}, {}, {{"bits", "0"}, {"hashes", "3"}}}, "bits is 0");
    expect_refusal({"bloom", {}, {}, {{"bits", "1e18"}, {"hashes", "3"}}}, "bits is 1000000000000000000");
    for (const std::string_view counter_bits : {"0", "1", "33"}) {
        expect_refusal({"counting", 1000, {}, {{"counter_bits", std::string(counter_bits)}}}, "counter_bits is");
        expect_refusal({"counting", 1000, {}, {{"bits", "4000"}, {"counter_bits", std::string(counter_bits)}}},
                       "counter_bits is");
    }
}

TEST(catalogue, workloads_that_make_no_sense_are_refused) {
    for (const kind_info& kind : known_kinds()) {
        const std::string name(kind.name);
        expect_refusal({name, 0, {}, {}}, "items is 0");
        for (const double fpr : {0.0, 1.0, -0.5, 2.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
            expect_refusal({name, 1000, fpr, {}}, "between 0 and 1");
        }
    }
    expect_refusal({"bloom", {}, 2.0, {{"bits", "100"}, {"hashes", "3"}}}, "between 0 and 1");
}

TEST(catalogue, more_than_the_machine_holds_is_out_of_memory) {
    const auto refused = build({"bloom", {}, {}, {{"bits", "1e16"}, {"hashes", "3"}}});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::out_of_memory) << refused.error().sentence;
}

TEST(catalogue, geometry_given_in_words_overrides_the_plan) {
    const any_filter filter = must(build({"bloom", 1000, 0.01, {{"probe", "independent"}, {"hashes", "4"}}}));
    EXPECT_EQ(filter.kind(), "bloom");
    EXPECT_EQ(filter.geometry("hashes"), 4u);
    EXPECT_EQ(filter.geometry("probe"), 1u);
    EXPECT_EQ(filter.geometry("colour"), std::nullopt);
    EXPECT_EQ(filter.geometry().back().word, "independent");
    EXPECT_LE(filter.predict({1000}).fpr.value_or(1), 0.0105);
}

TEST(catalogue, the_best_hashes_are_chosen_for_given_bits_and_items) {
    EXPECT_EQ(must(build({"bloom", 1000, {}, {{"bits", "10000"}}})).geometry("hashes"), 7u);
    EXPECT_EQ(must(build({"blocked", {}, {}, {{"bits", "100"}}})).geometry("bits"), 512u) << "rounded up to a line";
}

TEST(catalogue, a_filter_can_be_built_like_another) {
    any_filter filter = must(build({"counting", 100, 0.01, {{"counter_bits", "5"}}}));
    ASSERT_TRUE(filter.insert(digest{1, 2}).has_value());
    const any_filter twin = must(build_like(filter));
    EXPECT_EQ(twin.kind(), "counting");
    for (const geometry_value& one : filter.geometry()) EXPECT_EQ(twin.geometry(one.name), one.value) << one.name;
    EXPECT_FALSE(twin.may_contain(digest{1, 2}));
}

TEST(catalogue, a_forecast_is_what_the_filter_itself_predicts) {
    for (const kind_info& kind : known_kinds()) {
        SCOPED_TRACE(kind.name);
        const build_request wanted{std::string(kind.name), 1000, 0.01, {}};
        const any_filter made = must(build(wanted));
        const forecast seen = must(predict(wanted, {.items = 700}));
        EXPECT_EQ(seen.predicted.fpr, made.predict({.items = 700}).fpr);
        EXPECT_EQ(seen.predicted.deletability, made.predict({.items = 700}).deletability);
        const auto geometry = made.geometry();
        ASSERT_EQ(seen.geometry.size(), geometry.size());
        for (std::size_t i = 0; i < geometry.size(); ++i) {
            EXPECT_EQ(seen.geometry[i].name, geometry[i].name);
            EXPECT_EQ(seen.geometry[i].value, geometry[i].value);
            EXPECT_EQ(seen.geometry[i].word, geometry[i].word);
        }
        EXPECT_EQ(seen.bytes, must(bytes_needed(wanted)));
    }
    EXPECT_FALSE(predict({"no such kind", 1000, 0.01, {}}, {}));
}

} // namespace
} // namespace everbloom
