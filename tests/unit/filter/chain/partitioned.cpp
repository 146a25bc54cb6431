// The lists of a partitioned filter: they share out the sub-filters, and asking them one by one is asking the chain.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/filter/chain/partitioned.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class partitioned_lists : public ::testing::Test {
protected:
    static constexpr std::uint64_t members = 2000;
    static constexpr std::uint64_t strangers = 2000;

    partitioned_lists() {
        spec.initial_bits = 1000;
        spec.hashes = 5;
        spec.partitions = 3;
        filter.emplace(must(make<partitioned_filter>(spec)));
        for (std::uint64_t i = 0; i < members; ++i) {
            EXPECT_TRUE(succeeded(filter->insert(key_family(1)[i])));
            lies_in.push_back(filter->spec().filters - 1); // nothing leaves, so the last one takes the key
        }
        asked = key_family(1).first(members);
        for (std::uint64_t i = 0; i < strangers; ++i) asked.push_back(key_family(2)[i]);
        expected.resize(asked.size());
        filter->may_contain(asked, expected);
    }

    partitioned_spec spec;
    std::optional<partitioned_filter> filter;
    std::vector<std::uint64_t> lies_in; // the sub-filter of each member
    std::vector<digest> asked;
    std::vector<std::uint8_t> expected;
};

TEST_F(partitioned_lists, hold_the_sub_filters_in_turn) {
    ASSERT_GT(filter->spec().filters, 10u);
    for (std::uint64_t list = 0; list < spec.partitions; ++list) {
        std::vector<std::uint8_t> answers(asked.size(), 0);
        may_contain_in(*filter, list, asked, answers);
        std::uint64_t others = 0;
        for (std::uint64_t i = 0; i < members; ++i) {
            if (lies_in[i] % spec.partitions == list) {
                ASSERT_EQ(answers[i], 1) << i;
            } else {
                others += answers[i];
            }
        }
        EXPECT_LT(others, members / 2) << "members of other lists are strangers here";
    }
}

TEST_F(partitioned_lists, together_answer_as_the_filter_does) {
    std::vector<std::uint8_t> answers(asked.size(), 0);
    for (std::uint64_t list = 0; list < spec.partitions; ++list) may_contain_in(*filter, list, asked, answers);
    EXPECT_EQ(answers, expected);
    may_contain_in(*filter, 1000, asked, answers); // a list without sub-filters
    EXPECT_EQ(answers, expected);
}

TEST_F(partitioned_lists, answer_one_key_as_they_answer_many) {
    for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(filter->may_contain(asked[i]), expected[i] != 0) << i;
}

} // namespace
} // namespace everbloom
