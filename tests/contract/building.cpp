// What every filter promises that is built from all of its keys at once: no false negative, the same answers however it is asked, opened or
// moved, and the same bytes from the same keys.
#include "support/key_family.hpp"
#include "support/runtime_twin.hpp"
#include "support/small_specs.hpp"
#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace everbloom {
namespace {

using namespace support;

class building : public ::testing::TestWithParam<kind_pointer> {
protected:
    static std::unique_ptr<subject> built(const geometry& spec, std::span<const digest> keys) {
        auto made = must(GetParam()->make(spec));
        must(made->build(keys));
        return made;
    }
    static std::uint64_t missing(const subject& from, std::span<const digest> keys) {
        return static_cast<std::uint64_t>(
            std::count_if(keys.begin(), keys.end(), [&](const digest& key) { return !from.may_contain(key); }));
    }
};

INSTANTIATE_TEST_SUITE_P(kinds, building, ::testing::ValuesIn(subjects_that_can(capability::build)), subject_name);

TEST_P(building, an_empty_filter_contains_nothing) {
    for (const auto& spec : spec_variants(*GetParam(), 100, 0.01)) {
        const auto filter = must(GetParam()->make(spec));
        const auto of_nothing = built(spec, {});
        for (std::uint64_t i = 0; i < 200; ++i) {
            ASSERT_FALSE(filter->may_contain(key_family(1)[i]));
            ASSERT_FALSE(of_nothing->may_contain(key_family(1)[i]));
        }
    }
}

TEST_P(building, has_no_false_negatives_with_any_parameters_and_number_of_keys) {
    for (const auto& spec : spec_variants(*GetParam(), 100, 0.01)) {
        for (const std::uint64_t count : {1, 2, 7, 100, 1500}) {
            const auto keys = key_family(count).first(count);
            const auto filter = built(spec, keys);
            ASSERT_EQ(missing(*filter, keys), 0u) << count;
            must(GetParam()->check(filter->geometry()));
            EXPECT_NEAR(filter->measure().items, static_cast<double>(count), 0.5);
        }
    }
}

TEST_P(building, the_order_of_the_keys_and_repetitions_do_not_matter) {
    for (const auto& spec : spec_variants(*GetParam(), 100, 0.01)) {
        auto keys = key_family(3).first(300);
        const auto one = built(spec, keys);
        std::reverse(keys.begin(), keys.end());
        keys.insert(keys.end(), keys.begin(), keys.begin() + 50);
        ASSERT_EQ(built(spec, keys)->snapshot(), one->snapshot());
    }
}

TEST_P(building, views_copies_and_batches_answer_alike) {
    for (const auto& spec : spec_variants(*GetParam(), 400, 0.02)) {
        const auto keys = key_family(4).first(400);
        const auto filter = built(spec, keys);
        const auto before = filter->snapshot();
        const auto view = filter->view();
        const auto again = filter->reassembled();
        ASSERT_EQ(view->snapshot(), before);
        ASSERT_EQ(again->snapshot(), before);
        const auto asked = key_family(4).first(1000);
        for (const std::size_t length : {0, 1, 31, 32, 33, 255, 1000}) {
            std::vector<std::uint8_t> answers(length, 7);
            filter->may_contain(std::span(asked).first(length), answers);
            for (std::size_t i = 0; i < length; ++i) {
                ASSERT_EQ(answers[i] != 0, filter->may_contain(asked[i])) << i;
                ASSERT_EQ(answers[i] != 0, view->may_contain(asked[i])) << i;
                ASSERT_EQ(answers[i] != 0, again->may_contain(asked[i])) << i;
            }
        }
        ASSERT_EQ(filter->snapshot(), before) << "questions change nothing";
        const auto moved = filter->moved_out();
        ASSERT_EQ(moved->snapshot(), before);
        filter->assign(std::move(*again));
        ASSERT_EQ(filter->snapshot(), before);
    }
}

TEST_P(building, replaces_what_was_there) {
    const auto spec = must(GetParam()->plan(workload{100, 0.01}));
    auto filter = built(spec, key_family(5).first(2000));
    const auto keys = key_family(6).first(50);
    must(filter->build(keys));
    EXPECT_EQ(filter->snapshot(), built(spec, keys)->snapshot());
    must(filter->build({}));
    EXPECT_EQ(filter->snapshot(), built(spec, {})->snapshot());
}

TEST_P(building, files_are_saved_opened_and_mapped) {
    const temporary_directory here;
    const auto keys = key_family(7).first(3000);
    filter_file file = file_twin(*GetParam(), must(GetParam()->plan(workload{3000, 0.001})));
    must(file.filter().build(keys));
    must(save_filter(file, here / "x.eb"));
    for (const auto load : {&open_filter, &map_filter}) {
        filter_file loaded = must(load(here / "x.eb"));
        for (const digest& key : keys) ASSERT_TRUE(loaded.filter().may_contain(key));
        EXPECT_EQ(write_filter(loaded), write_filter(file));
        EXPECT_EQ(loaded.filter().keys(), 3000u);
        const auto copy = must(loaded.filter().clone());
        for (const digest& key : keys) ASSERT_TRUE(copy.may_contain(key));
        EXPECT_EQ(loaded.filter().build(keys).has_value(), !loaded.filter().is_mapped());
    }
}

} // namespace
} // namespace everbloom
