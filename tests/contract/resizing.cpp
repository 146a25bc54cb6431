// What every filter that can change its size promises: nobody is lost on the way up or down, what was removed stays removed, and a
// refusal changes nothing.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/multiset_oracle.hpp"
#include "support/rounds.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class growing : public ::testing::TestWithParam<kind_pointer> {};
class shrinking : public ::testing::TestWithParam<kind_pointer> {};

INSTANTIATE_TEST_SUITE_P(kinds, growing, ::testing::ValuesIn(subjects_that_can(capability::grow)), subject_name);
INSTANTIATE_TEST_SUITE_P(kinds, shrinking, ::testing::ValuesIn(subjects_that_can(capability::shrink)), subject_name);

/// Grows or shrinks; a refusal must leave everything as it was.
bool change(subject& filter, result<void> (subject::*how)()) {
    const auto before = filter.snapshot();
    const auto spec = filter.geometry();
    const auto done = (filter.*how)();
    if (done) return true;
    EXPECT_EQ(filter.snapshot(), before);
    EXPECT_EQ(filter.geometry(), spec);
    EXPECT_FALSE(done.error().sentence.empty());
    return false;
}

TEST_P(growing, members_stay_and_room_is_made) {
    const subject_kind& kind = *GetParam();
    const key_family keys(1);
    for (const auto& spec : spec_variants(kind, 200, 0.01)) {
        auto filter = must(kind.make(spec));
        std::vector<digest> members;
        for (std::uint64_t i = 0; i < 200; ++i) {
            if (succeeded(filter->insert(keys[i]))) members.push_back(keys[i]);
        }
        for (int step = 0; step < 3; ++step) {
            const std::uint64_t before = words_of(*filter);
            if (!change(*filter, &subject::grow)) break;
            ASSERT_GE(words_of(*filter), before);
            for (const digest& key : members) ASSERT_TRUE(filter->may_contain(key)) << "step " << step;
        }
    }
}

TEST_P(growing, a_grown_filter_takes_twice_the_planned_keys) {
    const subject_kind& kind = *GetParam();
    const key_family keys(2);
    constexpr std::uint64_t planned = 1000;
    auto filter = make_planned(kind, planned, 0.01);
    for (std::uint64_t i = 0; i < planned; ++i) ASSERT_TRUE(succeeded(filter->insert(keys[i])));
    must(filter->grow());
    for (std::uint64_t i = planned; i < 2 * planned; ++i) ASSERT_TRUE(succeeded(filter->insert(keys[i]))) << i;
    for (std::uint64_t i = 0; i < 2 * planned; ++i) ASSERT_TRUE(filter->may_contain(keys[i])) << i;
}

TEST_P(shrinking, members_stay_and_memory_is_given_back) {
    const subject_kind& kind = *GetParam();
    const key_family keys(3);
    auto filter = make_planned(kind, 2000, 0.01);
    for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(succeeded(filter->insert(keys[i])));
    std::uint64_t before = words_of(*filter);
    if (!grows_by_itself(kind)) {
        must(filter->shrink());
    } else if (!change(*filter, &subject::shrink)) {
        // A kind that never is larger than it must be has nothing to give back until it has grown.
        must(filter->grow());
        before = words_of(*filter);
        must(filter->shrink());
    }
    EXPECT_LT(words_of(*filter), before);
    for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(filter->may_contain(keys[i])) << i;
}

TEST_P(shrinking, a_filter_that_shrinks_until_it_refuses_still_has_everybody) {
    const subject_kind& kind = *GetParam();
    const key_family keys(4);
    auto filter = make_planned(kind, 500, 0.01);
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_TRUE(succeeded(filter->insert(keys[i])));
    int steps = 0;
    while (steps < 40 && change(*filter, &subject::shrink)) ++steps;
    EXPECT_LT(steps, 40) << "no filter shrinks for ever";
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_TRUE(filter->may_contain(keys[i])) << i;
}

// Up and down at random, with keys coming and going in between, against the exact truth.
TEST_P(shrinking, a_long_life_of_changing_sizes_loses_nobody) {
    const subject_kind& kind = *GetParam();
    const bool erases = kind.can(capability::erase) && kind.keeps_members;
    for (std::uint64_t seed = 0; seed < rounds(40); ++seed) {
        auto filter = make_planned(kind, 100, 0.01);
        const key_family keys(100 + seed);
        dice random(seed);
        multiset_oracle truth(150);
        for (int step = 0; step < 400; ++step) {
            const std::uint64_t key = random.below(150);
            switch (random.below(erases ? 12 : 8)) {
            case 0:
                if (kind.can(capability::grow) && words_of(*filter) < 4096) (void)change(*filter, &subject::grow);
                break;
            case 1: (void)change(*filter, &subject::shrink); break;
            case 8:
            case 9:
            case 10:
            case 11:
                if (truth.has(key) && succeeded(filter->erase(keys[key]))) truth.remove(key);
                break;
            default:
                if (truth.count(key) < 2 && succeeded(filter->insert(keys[key]))) truth.add(key);
                break;
            }
            if (step % 10 != 0) continue;
            for (const std::uint64_t member : truth.members()) {
                ASSERT_TRUE(filter->may_contain(keys[member])) << "seed " << seed << ", step " << step;
            }
        }
    }
}

std::vector<kind_pointer> subjects_that_grow_by_themselves() {
    std::vector<kind_pointer> chosen = subjects_that_can(capability::insert);
    std::erase_if(chosen, [](kind_pointer kind) { return !grows_by_itself(*kind); });
    return chosen;
}

class growing_by_itself : public ::testing::TestWithParam<kind_pointer> {
protected:
    std::vector<digest> members;

    /// Whether all members are found, in one batch.
    [[nodiscard]] bool has_everybody(const subject& filter) {
        answers_.assign(members.size(), 0);
        filter.may_contain(members, answers_);
        return std::find(answers_.begin(), answers_.end(), 0) == answers_.end();
    }

private:
    std::vector<std::uint8_t> answers_;
};
INSTANTIATE_TEST_SUITE_P(kinds, growing_by_itself, ::testing::ValuesIn(subjects_that_grow_by_themselves()),
                         subject_name);

// A resize that is spread over many operations has a state between any two of them, and a key may be missed in one of these only.
// Short hashes, small buckets and the like make it likely that some key lies where the resize has just arrived.
TEST_P(growing_by_itself, nobody_is_missed_between_two_steps_of_a_resize) {
    const subject_kind& kind = *GetParam();
    const bool erases = kind.can(capability::erase) && kind.keeps_members;
    constexpr std::uint64_t coming = 600;
    constexpr std::uint64_t most_words =
        1024; // a chain of many sub-filters is slow and has no states that a short one has not
    const key_family keys(5);
    for (const geometry& spec : tight_specs(kind)) {
        const auto filter = must(kind.make(spec));
        members.clear();
        geometry before = filter->geometry();
        const auto check_step = [&] {
            const geometry after = filter->geometry();
            if (after == before) return;
            before = after;
            ASSERT_TRUE(has_everybody(*filter)) << members.size() << " keys, " << ::testing::PrintToString(after);
        };
        for (std::uint64_t i = 0; i < coming && words_of(*filter) < most_words; ++i) {
            if (succeeded(filter->insert(keys[i]))) members.push_back(keys[i]);
            ASSERT_NO_FATAL_FAILURE(check_step());
        }
        for (std::uint64_t i = 0; erases && i < coming && !members.empty(); ++i) {
            const digest leaving = members.back();
            members.pop_back();
            if (!succeeded(filter->erase(leaving))) members.insert(members.begin(), leaving); // tried again at the end
            ASSERT_NO_FATAL_FAILURE(check_step());
        }
        ASSERT_TRUE(has_everybody(*filter));
    }
}

class reshaping : public ::testing::TestWithParam<kind_pointer> {};
INSTANTIATE_TEST_SUITE_P(kinds, reshaping, ::testing::ValuesIn(subjects_that_can(capability::resize)), subject_name);

/// The plan for a workload, with what only the keys could change as `filter` has it.
geometry plan_like(const subject_kind& kind, const subject& filter, const workload& wanted) {
    const kind_info& info = *find_kind(kind.name);
    geometry planned = must(kind.plan(wanted));
    for (std::size_t i = 0; i < planned.size(); ++i) {
        const auto& kept = info.kept_by_resize;
        if (std::find(kept.begin(), kept.end(), info.parameters[i].name) != kept.end()) {
            planned[i] = filter.geometry()[i];
        }
    }
    return kind.started(planned);
}

TEST_P(reshaping, members_and_their_copies_stay_at_any_size_and_a_refusal_changes_nothing) {
    const subject_kind& kind = *GetParam();
    const key_family keys(7);
    auto filter = make_planned(kind, 300, 0.01);
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_TRUE(succeeded(filter->insert(keys[i])));
    for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(succeeded(filter->insert(keys[i])));
    int resized = 0;
    for (const std::uint64_t items : {300u, 5'000u, 40u, 700u, 20'000u, 310u}) {
        const geometry wanted = plan_like(kind, *filter, {items, 0.01});
        const auto before = filter->snapshot();
        const auto done = filter->resize(wanted);
        if (!done) {
            EXPECT_LT(items, 300u) << done.error().sentence;
            EXPECT_EQ(filter->snapshot(), before);
            continue;
        }
        ++resized;
        for (std::uint64_t i = 0; i < 300; ++i) {
            ASSERT_TRUE(filter->may_contain(keys[i])) << i << " at " << items;
            ASSERT_EQ(filter->estimate_count(keys[i]), i < 50 ? 2u : 1u) << i << " at " << items;
        }
    }
    EXPECT_GE(resized, 5);
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_TRUE(succeeded(filter->erase(keys[i])));
    for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(succeeded(filter->erase(keys[i])));
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_EQ(filter->erase(keys[i]), erase_outcome::not_present);
}

TEST_P(reshaping, a_geometry_of_another_word_is_refused_and_nothing_changes) {
    const subject_kind& kind = *GetParam();
    auto filter = make_planned(kind, 300, 0.01);
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_TRUE(succeeded(filter->insert(key_family(8)[i])));
    const auto before = filter->snapshot();
    const kind_info& info = *find_kind(kind.name);
    ASSERT_FALSE(info.kept_by_resize.empty());
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const auto& kept = info.kept_by_resize;
        if (std::find(kept.begin(), kept.end(), info.parameters[i].name) == kept.end()) continue;
        geometry wanted = filter->geometry();
        wanted[i] = std::min(wanted[i] + 1, info.parameters[i].most + 1); // more than the keys have left behind
        EXPECT_FALSE(filter->resize(wanted).has_value()) << info.parameters[i].name;
        EXPECT_EQ(filter->snapshot(), before);
    }
}

} // namespace
} // namespace everbloom
