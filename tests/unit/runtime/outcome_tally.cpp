// Outcomes that are counted many at a time are counted like one at a time.
#include "support/dice.hpp"

#include <everbloom/runtime/outcome_tally.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

template <class Outcome, class Tally>
void compare_with_one_at_a_time(std::uint64_t kinds) {
    support::dice random(kinds);
    for (const std::size_t count : {0, 1, 7, 8, 9, 15, 16, 17, 256, 1000}) {
        for (const std::uint64_t run : {1, 3, 40}) { // outcomes that are equal in a row, on average
            std::vector<Outcome> outcomes;
            auto last = static_cast<Outcome>(kinds - 1);
            while (outcomes.size() < count) {
                if (random.one_in(run)) last = static_cast<Outcome>(random.below(kinds));
                outcomes.push_back(last);
            }
            Tally many;
            many.add(outcomes);
            Tally one_by_one;
            for (const Outcome one : outcomes) one_by_one.add(one);
            for (std::uint64_t kind = 0; kind < kinds; ++kind) {
                ASSERT_EQ(many.of(static_cast<Outcome>(kind)), one_by_one.of(static_cast<Outcome>(kind)))
                    << kind << " of " << kinds << ", " << count << " outcomes";
            }
        }
    }
}

TEST(outcome_tally, many_at_a_time_are_counted_like_one_at_a_time) {
    compare_with_one_at_a_time<insert_outcome, insert_tally>(insert_outcome_names.size());
    compare_with_one_at_a_time<erase_outcome, erase_tally>(erase_outcome_names.size());
}

} // namespace
} // namespace everbloom
