// What every filter that can remove keys promises: members stay as long as they are members, strangers change nothing, and the
// judgement beforehand is what happens.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class erasing : public ::testing::TestWithParam<kind_pointer> {};
class erasing_safely : public ::testing::TestWithParam<kind_pointer> {};

INSTANTIATE_TEST_SUITE_P(kinds, erasing, ::testing::ValuesIn(subjects_that_can(capability::erase)), subject_name);
INSTANTIATE_TEST_SUITE_P(kinds, erasing_safely, ::testing::ValuesIn(subjects_that_erase_safely()), subject_name);

TEST_P(erasing, a_key_alone_can_be_removed_and_is_gone) {
    const subject_kind& kind = *GetParam();
    const key_family keys(1);
    for (const auto& spec : spec_variants(kind, 100, 0.01)) {
        for (std::uint64_t i = 0; i < 20; ++i) {
            auto filter = must(kind.make(spec));
            ASSERT_TRUE(succeeded(filter->insert(keys[i])));
            ASSERT_TRUE(filter->may_contain(keys[i]));
            ASSERT_EQ(filter->erase(keys[i]), erase_outcome::removed);
            ASSERT_FALSE(filter->may_contain(keys[i]));
            ASSERT_EQ(filter->erase(keys[i]), erase_outcome::not_present);
        }
    }
}

TEST_P(erasing_safely, half_the_keys_leave_and_the_others_stay) {
    const subject_kind& kind = *GetParam();
    const key_family keys(2);
    for (const std::uint64_t items : {10, 500, 5000}) {
        auto filter = make_planned(kind, items, 0.01);
        for (std::uint64_t i = 0; i < items; ++i) ASSERT_TRUE(succeeded(filter->insert(keys[i])));
        for (std::uint64_t i = 0; i < items; i += 2) {
            const erase_outcome outcome = filter->erase(keys[i]);
            ASSERT_NE(outcome, erase_outcome::not_present) << "it was a member";
            ASSERT_NE(outcome, erase_outcome::unsupported) << "it said it could";
            if (!succeeded(outcome) || outcome == erase_outcome::removed_still_positive) {
                ASSERT_TRUE(filter->may_contain(keys[i])) << name_of(outcome);
            }
        }
        for (std::uint64_t i = 1; i < items; i += 2) ASSERT_TRUE(filter->may_contain(keys[i])) << i;
    }
}

// Promise 3: every key that is surely not there answers not_present, and the bytes do not change.
TEST_P(erasing, what_is_surely_absent_is_not_present_and_changes_nothing) {
    const subject_kind& kind = *GetParam();
    const key_family members(3);
    const key_family strangers(4);
    for (const auto& spec : spec_variants(kind, 100, 0.05)) {
        auto filter = must(kind.make(spec));
        for (std::uint64_t i = 0; i < 100; ++i) (void)filter->insert(members[i]);
        const auto before = filter->snapshot();
        for (std::uint64_t i = 0; i < 1000; ++i) {
            if (filter->may_contain(strangers[i])) continue;
            ASSERT_EQ(filter->can_erase(strangers[i]), erase_outcome::not_present);
            ASSERT_EQ(filter->erase(strangers[i]), erase_outcome::not_present);
        }
        ASSERT_EQ(filter->snapshot(), before);
    }
}

TEST_P(erasing, the_judgement_changes_nothing_and_is_what_erase_then_answers) {
    const subject_kind& kind = *GetParam();
    dice random(5);
    const key_family keys(6);
    for (const auto& spec : spec_variants(kind, 40, 0.05)) {
        auto filter = must(kind.make(spec));
        for (int step = 0; step < 200; ++step) {
            const digest key = keys[random.below(60)];
            if (random.one_in(2)) {
                (void)filter->insert(key);
                continue;
            }
            const auto before = filter->snapshot();
            const erase_outcome judged = filter->can_erase(key);
            ASSERT_EQ(filter->snapshot(), before);
            const erase_outcome outcome = filter->erase(key);
            ASSERT_EQ(outcome, judged) << name_of(outcome) << " after the judgement " << name_of(judged);
            if (!succeeded(outcome)) {
                ASSERT_EQ(filter->snapshot(), before) << name_of(outcome);
            }
        }
    }
}

TEST_P(erasing, a_batch_of_any_length_equals_one_by_one) {
    const subject_kind& kind = *GetParam();
    const key_family keys(7);
    for (const auto& spec : spec_variants(kind, 300, 0.02)) {
        for (const std::size_t length : {0, 1, 31, 32, 33, 64, 255, 1000}) {
            auto single = must(kind.make(spec));
            auto batch = must(kind.make(spec));
            for (std::uint64_t i = 0; i < 300; ++i) {
                (void)single->insert(keys[i]);
                (void)batch->insert(keys[i]);
            }
            std::vector<digest> items; // members, strangers, and some twice
            for (std::size_t i = 0; i < length; ++i) items.push_back(keys[i % 7 == 0 ? i / 2 : i]);
            std::vector<erase_outcome> expected;
            for (const digest& item : items) expected.push_back(single->erase(item));
            std::vector<erase_outcome> outcomes(length, erase_outcome::unsupported);
            batch->erase(items, outcomes);
            ASSERT_EQ(outcomes, expected) << length;
            ASSERT_EQ(batch->snapshot(), single->snapshot()) << length;
        }
    }
}

TEST_P(erasing_safely, a_key_inserted_often_is_there_until_it_was_removed_as_often) {
    const subject_kind& kind = *GetParam();
    const key_family keys(8);
    for (const auto& spec : spec_variants(kind, 50, 0.01)) {
        for (const int times : {2, 3, 4, 5, 15, 16, 17, 100}) {
            auto filter = must(kind.make(spec));
            std::vector<digest> others; // a small filter may have no room for all of them
            int inside = succeeded(filter->insert(keys[0])) ? 1 : 0;
            ASSERT_GT(inside, 0);
            for (std::uint64_t i = 1; i <= 10; ++i) {
                if (succeeded(filter->insert(keys[i]))) others.push_back(keys[i]);
            }
            for (int i = 1; i < times; ++i) inside += succeeded(filter->insert(keys[0])) ? 1 : 0;
            for (int i = 0; i < times && inside > 0; ++i) {
                ASSERT_TRUE(filter->may_contain(keys[0])) << inside << " of " << times << " still in";
                const erase_outcome outcome = filter->erase(keys[0]);
                ASSERT_NE(outcome, erase_outcome::not_present);
                inside -= succeeded(outcome) ? 1 : 0;
            }
            ASSERT_TRUE(inside == 0 || filter->may_contain(keys[0]));
            for (const digest& other : others) ASSERT_TRUE(filter->may_contain(other));
        }
    }
}

class counting_copies : public ::testing::TestWithParam<kind_pointer> {};

INSTANTIATE_TEST_SUITE_P(kinds, counting_copies, ::testing::ValuesIn(subjects_that_can(capability::count)),
                         subject_name);

TEST_P(counting_copies, the_estimate_is_never_too_low_while_no_cell_is_stuck) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 100, 0.02)) {
        auto filter = must(kind.make(spec));
        const key_family keys(9);
        dice random(10);
        std::vector<std::uint64_t> truth(60, 0);
        for (int step = 0; step < 150; ++step) {
            const std::uint64_t key = random.below(truth.size());
            const insert_outcome outcome = filter->insert(keys[key]);
            if (outcome == insert_outcome::inserted_saturated) break; // from here on a cell may hide copies
            truth[key] += succeeded(outcome) ? 1 : 0;
            ASSERT_GE(filter->estimate_count(keys[key]), truth[key]);
        }
        for (std::uint64_t key = 0; key < truth.size(); ++key) ASSERT_GE(filter->estimate_count(keys[key]), truth[key]);
    }
}

TEST_P(counting_copies, a_surely_absent_key_counts_zero) {
    const subject_kind& kind = *GetParam();
    auto filter = make_planned(kind, 100, 0.01);
    for (std::uint64_t i = 0; i < 100; ++i) (void)filter->insert(key_family(11)[i]);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const digest stranger = key_family(12)[i];
        const bool counted = filter->estimate_count(stranger) != 0;
        ASSERT_TRUE(filter->may_contain(stranger) || !counted) << i;
        // A kind that can confirm knows better than its cells.
        ASSERT_EQ(counted, kind.can(capability::confirm) ? filter->confirm(stranger) : filter->may_contain(stranger))
            << i;
    }
}

} // namespace
} // namespace everbloom
