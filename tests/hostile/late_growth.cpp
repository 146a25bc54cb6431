// An elastic blocked filter without memory for overflow pages falls behind with its growth, until the next growth is due while the last one is
// still under way. Then everything is moved at once, or the key is refused; no key is lost, and nothing is read that was not written.
#include "hostile/failing_new.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/reloaded.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/elastic/elastic_blocked.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

namespace everbloom::hostile {
namespace {

using support::key_family;
using support::must;

/// Three of five lie in an eighth of the pages, which overflow.
digest crowded_key(const key_family& keys, std::uint64_t number) {
    digest key = keys[number];
    if (number % 5 < 3) key.low >>= 3;
    return key;
}

class late_growth : public ::testing::TestWithParam<refusal> {};
INSTANTIATE_TEST_SUITE_P(refusals, late_growth, ::testing::Values(refusal::once, refusal::from_then_on));

TEST_P(late_growth, is_caught_up_with_by_the_next_one) {
    elastic_blocked_spec spec;
    spec.initial_bits = 8 * line_bits;
    auto filter = must(make<elastic_blocked_filter>(spec.started()));
    const key_family keys(83);
    // Enough for pages that grow within their own memory, where what is not filled yet holds what was there before.
    const std::uint64_t count = std::max<std::uint64_t>(support::rounds(80'000), 80'000);
    std::uint64_t begun_late = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const digest key = crowded_key(keys, i);
        const bool was_growing = filter.is_growing();
        const std::uint64_t before = filter.expansions();
        bool is_in = false;
        for (std::uint64_t number = 1; !is_in; ++number) { // every allocation in turn
            const failing_new refusing(number, GetParam());
            is_in = succeeded(filter.insert(key));
        }
        begun_late += was_growing && filter.expansions() != before ? 1 : 0;
        ASSERT_TRUE(filter.may_contain(key));
    }
    EXPECT_GT(begun_late, 3U);
    EXPECT_EQ(filter.keys(), count);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(filter.estimate_count(crowded_key(keys, i)), 1U) << i;
    (void)support::reloaded(filter);
}

} // namespace
} // namespace everbloom::hostile
