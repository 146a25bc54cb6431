// Promise 5: tiny filters, in which positions of one key coincide and all keys share cells. Thousands of them, every kind.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/multiset_oracle.hpp"
#include "support/rounds.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class tiny_filters : public ::testing::TestWithParam<kind_pointer> {};

INSTANTIATE_TEST_SUITE_P(kinds, tiny_filters, ::testing::ValuesIn(subjects_that_can(capability::insert)), subject_name);

/// A short life of one tiny filter against the exact truth.
void live(const subject_kind& kind, const geometry& spec, std::uint64_t seed) {
    constexpr std::uint64_t universe = 12;
    const auto filter = must(kind.make(spec));
    const bool erases = kind.can(capability::erase) && kind.keeps_members;
    const key_family keys(seed);
    dice random(seed);
    multiset_oracle truth(universe);
    for (int step = 0; step < 30; ++step) {
        const std::uint64_t key = random.below(universe);
        if (erases && random.one_in(2)) {
            // Only members may leave; but what the judgement refuses must be harmless for strangers too.
            const erase_outcome judged = filter->can_erase(keys[key]);
            ASSERT_TRUE(!truth.has(key) || judged != erase_outcome::not_present);
            if (!truth.has(key) && succeeded(judged)) continue;
            const auto before = filter->snapshot();
            const erase_outcome outcome = filter->erase(keys[key]);
            ASSERT_EQ(outcome, judged);
            if (succeeded(outcome)) {
                truth.remove(key);
            } else {
                ASSERT_EQ(filter->snapshot(), before) << name_of(outcome);
            }
            for (const std::uint64_t member : truth.members()) ASSERT_TRUE(filter->may_contain(keys[member]));
            continue;
        }
        if (succeeded(filter->insert(keys[key]))) truth.add(key);
        for (const std::uint64_t member : truth.members()) ASSERT_TRUE(filter->may_contain(keys[member]));
    }
}

TEST_P(tiny_filters, never_lose_a_member) {
    const subject_kind& kind = *GetParam();
    const auto specs = tiny_specs(kind);
    const std::uint64_t filters = rounds(100'000);
    for (std::uint64_t seed = 0; seed < filters; ++seed) {
        live(kind, specs[seed % specs.size()], seed);
        if (HasFatalFailure()) {
            FAIL() << "filter " << seed << ", spec " << seed % specs.size();
        }
    }
}

// The same key alone: however its positions coincide, it comes and goes without a trace of a collision with itself.
TEST_P(tiny_filters, a_key_does_not_collide_with_itself) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : tiny_specs(kind)) {
        auto filter = must(kind.make(spec));
        for (std::uint64_t i = 0; i < 20; ++i) {
            const digest key = key_family(99)[i];
            filter->clear();
            const insert_outcome outcome = filter->insert(key);
            ASSERT_TRUE(outcome == insert_outcome::inserted || outcome == insert_outcome::inserted_grew)
                << name_of(outcome);
            ASSERT_TRUE(filter->may_contain(key));
            if (kind.can(capability::erase)) {
                ASSERT_EQ(filter->erase(key), erase_outcome::removed);
                ASSERT_FALSE(filter->may_contain(key));
            }
        }
    }
}

} // namespace
} // namespace everbloom
