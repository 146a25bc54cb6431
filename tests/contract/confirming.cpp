// What every filter promises that can confirm its answers: a member is always confirmed, a stranger hardly ever, and what is confirmed
// the cells do not deny.
#include "support/key_family.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class confirming : public ::testing::TestWithParam<kind_pointer> {};
INSTANTIATE_TEST_SUITE_P(kinds, confirming, ::testing::ValuesIn(subjects_that_can(capability::confirm)), subject_name);

TEST_P(confirming, members_are_confirmed_at_every_size_and_after_a_load) {
    const subject_kind& kind = *GetParam();
    const key_family keys(1);
    for (const auto& spec : spec_variants(kind, 100, 0.05)) {
        auto filter = must(kind.make(spec));
        std::vector<digest> members;
        for (std::uint64_t i = 0; i < 400; ++i) {
            if (succeeded(filter->insert(keys[i]))) members.push_back(keys[i]);
        }
        const auto loaded = filter->reassembled();
        for (const digest& key : members) {
            ASSERT_TRUE(filter->confirm(key));
            ASSERT_TRUE(loaded->confirm(key));
        }
    }
}

TEST_P(confirming, strangers_are_not_even_where_the_cells_are_wrong) {
    const subject_kind& kind = *GetParam();
    auto filter = make_planned(kind, 1'000, 0.1);
    for (std::uint64_t i = 0; i < 1'000; ++i) ASSERT_TRUE(succeeded(filter->insert(key_family(2)[i])));
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < 5'000; ++i) {
        wrong += filter->may_contain(key_family(3)[i]) ? 1 : 0;
        ASSERT_FALSE(filter->confirm(key_family(3)[i])) << i;
    }
    EXPECT_GT(wrong, 50u) << "the cells took some of them for members";
}

} // namespace
} // namespace everbloom
