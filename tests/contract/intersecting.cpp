// What every filter promises that can keep what another one holds as well: the common keys stay, the other filter is not touched, and a
// refusal changes nothing.
#include "support/key_family.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class intersecting : public ::testing::TestWithParam<kind_pointer> {
protected:
    static std::unique_ptr<subject> filled(const geometry& spec, std::uint64_t from, std::uint64_t to) {
        auto made = must(GetParam()->make(spec));
        for (std::uint64_t i = from; i < to; ++i) (void)made->insert(key_family(1)[i]);
        return made;
    }
};

INSTANTIATE_TEST_SUITE_P(kinds, intersecting, ::testing::ValuesIn(subjects_that_can(capability::intersect)),
                         subject_name);

TEST_P(intersecting, the_common_keys_stay_and_the_others_are_gone) {
    const subject_kind& kind = *GetParam();
    const geometry spec = must(kind.plan(workload{100, 0.01}));
    auto filter = filled(spec, 0, 2'000);
    const auto other = filled(spec, 1'500, 1'600);
    const auto untouched = other->snapshot();
    must(filter->intersect(*other));
    EXPECT_EQ(other->snapshot(), untouched);
    for (std::uint64_t i = 1'500; i < 1'600; ++i) {
        ASSERT_TRUE(filter->may_contain(key_family(1)[i])) << i;
        ASSERT_TRUE(filter->confirm(key_family(1)[i])) << i;
    }
    for (std::uint64_t i = 0; i < 1'500; ++i) ASSERT_FALSE(filter->confirm(key_family(1)[i])) << i;
    for (std::uint64_t i = 1'500; i < 1'600; ++i) ASSERT_TRUE(succeeded(filter->erase(key_family(1)[i]))) << i;
}

TEST_P(intersecting, nothing_is_common_with_an_empty_filter) {
    const subject_kind& kind = *GetParam();
    const geometry spec = must(kind.plan(workload{100, 0.01}));
    auto filter = filled(spec, 0, 150);
    must(filter->intersect(*must(kind.make(spec))));
    for (std::uint64_t i = 0; i < 150; ++i) ASSERT_FALSE(filter->may_contain(key_family(1)[i])) << i;
}

TEST_P(intersecting, another_geometry_is_understood_or_refused_and_then_nothing_changes) {
    const subject_kind& kind = *GetParam();
    const auto variants = spec_variants(kind, 100, 0.01);
    for (std::size_t i = 1; i < variants.size(); ++i) {
        auto filter = filled(variants[0], 0, 60);
        const auto before = filter->snapshot();
        const auto other = filled(variants[i], 40, 100);
        if (!filter->intersect(*other)) {
            ASSERT_EQ(filter->snapshot(), before);
            continue;
        }
        for (std::uint64_t key = 40; key < 60; ++key) {
            // A small variant may have refused some keys.
            ASSERT_TRUE(filter->may_contain(key_family(1)[key]) || !other->confirm(key_family(1)[key])) << key;
        }
    }
}

} // namespace
} // namespace everbloom
