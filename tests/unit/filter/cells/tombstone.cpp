// The tombstone filter: what its source describes, including what makes it unfit for anything but study.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/filter/cells/tombstone.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::key_family;
using support::must;

TEST(tombstone, a_removed_key_is_gone_and_can_never_come_back) {
    const digest key = key_family(1)[0];
    auto filter = must(make<tombstone_filter>({2000, 4}));
    filter.insert(key);
    EXPECT_TRUE(filter.may_contain(key));
    EXPECT_EQ(filter.erase(key), erase_outcome::removed);
    EXPECT_FALSE(filter.may_contain(key));
    EXPECT_EQ(filter.erase(key), erase_outcome::not_present);
    filter.insert(key);
    EXPECT_FALSE(filter.may_contain(key));
}

TEST(tombstone, removals_make_members_disappear) {
    const key_family keys(2);
    auto filter = must(make<tombstone_filter>({2000, 4}));
    for (std::uint64_t i = 0; i < 400; ++i) filter.insert(keys[i]);
    for (std::uint64_t i = 0; i < 200; ++i) filter.erase(keys[i]);
    std::uint64_t lost = 0;
    for (std::uint64_t i = 200; i < 400; ++i) lost += filter.may_contain(keys[i]) ? 0 : 1;
    EXPECT_GT(lost, 0u);
}

TEST(tombstone, a_stranger_is_never_removed) {
    const key_family keys(3);
    auto filter = must(make<tombstone_filter>({20000, 4}));
    for (std::uint64_t i = 0; i < 50; ++i) filter.insert(keys[i]);
    EXPECT_FALSE(filter.may_contain(keys[1000]));
    EXPECT_EQ(filter.erase(keys[1000]), erase_outcome::not_present);
}

} // namespace
} // namespace everbloom
