// What every kind's geometry and model promise: numbers outside their range are refused by name, and a plan is kept.
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace everbloom {
namespace {

using namespace support;

class specs : public ::testing::TestWithParam<kind_pointer> {};

INSTANTIATE_TEST_SUITE_P(kinds, specs, ::testing::ValuesIn(all_subjects()), subject_name);

TEST_P(specs, fields_describe_themselves) {
    const subject_kind& kind = *GetParam();
    std::set<std::string_view> names;
    for (const auto& field : find_kind(kind.name)->parameters) {
        EXPECT_TRUE(names.insert(field.name).second) << field.name;
        EXPECT_FALSE(field.meaning.empty()) << field.name;
        EXPECT_LE(field.least, field.most) << field.name;
        EXPECT_EQ(field.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << field.name;
        EXPECT_TRUE(field.words.empty() || (field.least == 0 && field.most == field.words.size() - 1)) << field.name;
    }
}

TEST_P(specs, every_field_out_of_range_is_refused_by_name) {
    const subject_kind& kind = *GetParam();
    const auto planned = must(kind.plan(workload{100, 0.01}));
    const auto& fields = find_kind(kind.name)->parameters;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const parameter_info& field = fields[i];
        std::set<std::uint64_t> wrong;
        if (field.least > 0) wrong.insert({0, field.least - 1});
        if (field.most < std::numeric_limits<std::uint64_t>::max()) {
            wrong.insert({field.most + 1, std::numeric_limits<std::uint64_t>::max()});
        }
        for (const std::uint64_t value : wrong) {
            auto spec = planned;
            spec[i] = value;
            const auto refused = kind.check(spec);
            ASSERT_FALSE(refused.has_value()) << field.name << " = " << value;
            EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter);
            EXPECT_NE(refused.error().sentence.find(field.name), std::string::npos) << refused.error().sentence;
            EXPECT_FALSE(kind.make(spec).has_value()) << field.name << " = " << value;
        }
    }
}

TEST_P(specs, zeros_are_no_geometry) {
    const subject_kind& kind = *GetParam();
    EXPECT_FALSE(kind.make(geometry(find_kind(kind.name)->parameters.size(), 0)).has_value());
}

TEST_P(specs, sections_have_names_and_the_sizes_that_the_filter_then_has) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 100, 0.01)) {
        const auto filter = must(kind.make(spec));
        const auto lines = kind.section_lines(spec);
        const auto words = filter->section_words();
        for (std::size_t i = 0; i < lines.size(); ++i) {
            EXPECT_FALSE(kind.section_names[i].empty());
            EXPECT_EQ(words[i], lines[i] * line_words) << kind.section_names[i];
        }
    }
}

TEST_P(specs, a_plan_is_a_legal_geometry_that_meets_the_rate) {
    const subject_kind& kind = *GetParam();
    for (const std::uint64_t items : {100, 1000, 100'000, 10'000'000}) {
        for (const double fpr : {0.1, 0.03, 0.01, 0.001, 1e-5}) {
            const auto spec = kind.plan(workload{items, fpr});
            ASSERT_TRUE(spec.has_value()) << spec.error().sentence;
            ASSERT_TRUE(kind.check(*spec).has_value()) << items << " items at " << fpr;
            const prediction said = kind.predict(*spec, lifetime{items});
            ASSERT_TRUE(said.fpr.has_value()) << "a model can say what happens when keys only come";
            // The sizing rule rounds; the bound is what rounding may cost.
            EXPECT_LE(*said.fpr, 1.05 * fpr) << items << " items at " << fpr;
            EXPECT_GT(*said.fpr, 0) << items << " items at " << fpr;
        }
    }
}

TEST_P(specs, a_larger_plan_does_not_need_less) {
    const subject_kind& kind = *GetParam();
    std::uint64_t before = 0;
    for (const std::uint64_t items : {10, 100, 1000, 10'000, 100'000, 1'000'000}) {
        std::uint64_t lines = 0;
        for (const std::uint64_t section : kind.section_lines(must(kind.plan(workload{items, 0.01})))) {
            lines += section;
        }
        EXPECT_GE(lines, before) << items;
        before = lines;
    }
}

TEST_P(specs, a_plan_for_nothing_or_for_no_rate_is_refused) {
    const subject_kind& kind = *GetParam();
    EXPECT_FALSE(kind.plan(workload{0, 0.01}).has_value());
    for (const double fpr : {0.0, 1.0, -1.0, 1.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
        const auto refused = kind.plan(workload{100, fpr});
        ASSERT_FALSE(refused.has_value()) << fpr;
        EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter);
    }
    const auto refused = kind.plan(workload{std::numeric_limits<std::uint64_t>::max(), 1e-300});
    if (refused.has_value()) {
        EXPECT_FALSE(kind.make(*refused).has_value());
    }
}

TEST_P(specs, the_predicted_rate_is_zero_for_nothing_and_rises_with_the_items) {
    const subject_kind& kind = *GetParam();
    const auto spec = must(kind.plan(workload{1000, 0.01}));
    EXPECT_NEAR(kind.predict(spec, lifetime{0}).fpr.value_or(1), 0, 1e-12);
    double before = 0;
    for (const std::uint64_t items : {1, 10, 100, 500, 1000, 2000, 5000, 100'000}) {
        const double rate = kind.predict(spec, lifetime{items}).fpr.value_or(-1);
        // Who grows may fall back, and then stays within the rate that was asked for.
        EXPECT_TRUE(rate >= before || (grows_by_itself(kind) && rate > 0 && rate <= 0.01)) << items << ": " << rate;
        EXPECT_LE(rate, 1) << items;
        before = rate;
    }
}

TEST_P(specs, deletability_is_predicted_where_keys_can_leave_and_only_there) {
    const subject_kind& kind = *GetParam();
    const auto spec = must(kind.plan(workload{1000, 0.01}));
    const prediction said = kind.predict(spec, lifetime{1000, 0.5, 0});
    if (kind.can(capability::erase)) {
        ASSERT_TRUE(said.deletability.has_value());
        EXPECT_GE(*said.deletability, 0);
        EXPECT_LE(*said.deletability, 1);
    } else {
        EXPECT_FALSE(said.deletability.has_value());
    }
}

TEST_P(specs, an_empty_filter_measures_as_empty) {
    const subject_kind& kind = *GetParam();
    const auto filter = make_planned(kind, 1000, 0.01);
    const measurement seen = filter->measure();
    EXPECT_NEAR(seen.fpr, 0, 1e-12);
    EXPECT_NEAR(seen.items, 0, 1e-9);
}

} // namespace
} // namespace everbloom
