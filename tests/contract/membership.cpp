// What every filter that takes keys promises: no false negative, answers that do not depend on how the question is put, and the
// same bytes from the same operations.
#include "support/key_family.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace everbloom {
namespace {

using namespace support;

class membership : public ::testing::TestWithParam<kind_pointer> {
protected:
    /// Inserts keys one by one; gives back those that were taken. A refusal must leave everything as it was.
    static std::vector<digest> insert_all(subject& into, const std::vector<digest>& keys) {
        std::vector<digest> taken;
        for (const digest& key : keys) {
            const insert_outcome outcome = into.insert(key);
            if (succeeded(outcome)) taken.push_back(key);
            EXPECT_LT(static_cast<std::size_t>(outcome), insert_outcome_names.size());
        }
        return taken;
    }

    static std::uint64_t missing(const subject& from, const std::vector<digest>& keys) {
        return static_cast<std::uint64_t>(
            std::count_if(keys.begin(), keys.end(), [&](const digest& key) { return !from.may_contain(key); }));
    }
};

INSTANTIATE_TEST_SUITE_P(kinds, membership, ::testing::ValuesIn(subjects_that_can(capability::insert)), subject_name);

TEST_P(membership, an_empty_filter_contains_nothing) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 100, 0.01)) {
        const auto filter = must(kind.make(spec));
        const key_family keys(1);
        for (std::uint64_t i = 0; i < 200; ++i) ASSERT_FALSE(filter->may_contain(keys[i]));
    }
}

TEST_P(membership, has_no_false_negatives_at_any_load) {
    const subject_kind& kind = *GetParam();
    for (const std::uint64_t planned : {1, 10, 1000, 20000}) {
        auto filter = make_planned(kind, planned, 0.01);
        const key_family keys(planned);
        std::vector<digest> members;
        // A quarter of the plan, all of it, twice and five times as much.
        for (const std::uint64_t target : {planned / 4, planned, 2 * planned, 5 * planned}) {
            std::vector<digest> more;
            for (std::uint64_t i = members.size(); i < target; ++i) more.push_back(keys[i]);
            const auto taken = insert_all(*filter, more);
            members.insert(members.end(), taken.begin(), taken.end());
            ASSERT_EQ(missing(*filter, members), 0u) << members.size() << " members, planned " << planned;
            if (target <= planned) {
                ASSERT_EQ(taken.size(), more.size()) << "a filter takes what it was planned for";
            }
            if (taken.size() != more.size()) break; // full: the numbers of the keys no longer tell who is in
        }
    }
}

TEST_P(membership, has_no_false_negatives_with_any_parameters) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 100, 0.01)) {
        auto filter = must(kind.make(spec));
        ASSERT_EQ(filter->geometry(), spec);
        const auto taken = insert_all(*filter, key_family(2).first(300));
        ASSERT_EQ(missing(*filter, taken), 0u);
    }
}

TEST_P(membership, a_key_may_be_inserted_again_and_again) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 50, 0.01)) {
        auto filter = must(kind.make(spec));
        const key_family keys(3);
        const auto others = insert_all(*filter, keys.first(20));
        for (int again = 0; again < 300; ++again) {
            (void)filter->insert(keys[0]);
            ASSERT_EQ(missing(*filter, others), 0u) << "after " << again;
        }
    }
}

TEST_P(membership, a_refused_key_leaves_the_bytes_as_they_were) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 20, 0.05)) {
        auto filter = must(kind.make(spec));
        const key_family keys(4);
        for (std::uint64_t i = 0; i < 200; ++i) {
            const auto before = filter->snapshot();
            const insert_outcome outcome = filter->insert(keys[i % 150]);
            if (succeeded(outcome)) {
                ASSERT_TRUE(filter->may_contain(keys[i % 150])) << name_of(outcome);
            } else {
                ASSERT_EQ(filter->snapshot(), before) << name_of(outcome);
            }
            if (!kind.can(capability::grow)) {
                ASSERT_NE(outcome, insert_outcome::inserted_grew);
                ASSERT_NE(outcome, insert_outcome::growth_refused);
            }
        }
    }
}

TEST_P(membership, a_batch_of_any_length_equals_one_by_one) {
    const subject_kind& kind = *GetParam();
    const key_family keys(5);
    for (const auto& spec : spec_variants(kind, 400, 0.02)) {
        for (const std::size_t length : {0, 1, 2, 31, 32, 33, 64, 255, 1000}) {
            auto single = must(kind.make(spec));
            auto batch = must(kind.make(spec));
            std::vector<digest> items = keys.first(length);
            if (length > 40) items[length - 1] = items[3]; // a repetition, far apart and within a window
            if (length > 8) items[7] = items[5];
            std::vector<insert_outcome> expected;
            for (const digest& item : items) expected.push_back(single->insert(item));
            std::vector<insert_outcome> outcomes(length, insert_outcome::growth_refused);
            batch->insert(items, outcomes);
            ASSERT_EQ(outcomes, expected) << length;
            ASSERT_EQ(batch->snapshot(), single->snapshot()) << length;

            std::vector<digest> asked = items;
            for (std::uint64_t i = 0; i < length; ++i) asked.push_back(keys[10000 + i]);
            std::vector<std::uint8_t> answers(asked.size(), 7);
            batch->may_contain(asked, answers);
            for (std::size_t i = 0; i < asked.size(); ++i) {
                ASSERT_EQ(answers[i], single->may_contain(asked[i]) ? 1 : 0) << i << " of " << length;
            }
        }
    }
}

TEST_P(membership, the_same_operations_make_the_same_bytes) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 100, 0.01)) {
        auto one = must(kind.make(spec));
        auto two = must(kind.make(spec));
        insert_all(*one, key_family(6).first(100));
        insert_all(*two, key_family(6).first(100));
        ASSERT_EQ(one->snapshot(), two->snapshot());
    }
}

TEST_P(membership, clear_gives_the_empty_filter) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 100, 0.01)) {
        auto filter = must(kind.make(spec));
        const auto empty = filter->snapshot();
        filter->clear();
        ASSERT_EQ(filter->snapshot(), empty) << "clearing nothing changes nothing";
        insert_all(*filter, key_family(7).first(150));
        ASSERT_NE(filter->snapshot(), empty);
        filter->clear();
        if (filter->geometry() == spec) {
            ASSERT_EQ(filter->snapshot(), empty);
        }
        ASSERT_FALSE(filter->may_contain(key_family(7)[0]));
    }
}

TEST_P(membership, cells_of_an_empty_filter_are_zero_and_of_a_used_one_are_not) {
    const subject_kind& kind = *GetParam();
    auto filter = make_planned(kind, 100, 0.01);
    ASSERT_GT(filter->cells(), 0u);
    for (std::uint64_t i = 0; i < filter->cells(); ++i) ASSERT_EQ(filter->cell(i), 0u) << i;
    filter->insert(key_family(8)[0]);
    std::uint64_t occupied = 0;
    for (std::uint64_t i = 0; i < filter->cells(); ++i) occupied += filter->cell(i) != 0 ? 1 : 0;
    EXPECT_GT(occupied, 0u);
}

TEST_P(membership, a_moved_filter_keeps_its_keys_and_what_it_left_can_be_used_again) {
    const subject_kind& kind = *GetParam();
    const auto original = make_planned(kind, 100, 0.01);
    const auto taken = insert_all(*original, key_family(9).first(50));
    const auto moved = original->moved_out();
    EXPECT_EQ(missing(*moved, taken), 0u);
    original->assign(std::move(*make_planned(kind, 10, 0.1)));
    EXPECT_GT(missing(*original, taken), 0u);
    EXPECT_TRUE(succeeded(original->insert(taken[0])));
    original->assign(std::move(*moved));
    EXPECT_EQ(missing(*original, taken), 0u);
} // `moved` is destroyed in the state it was left in

} // namespace
} // namespace everbloom
