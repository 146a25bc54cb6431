// Rivals that know their negatives: none loses a member but the complement Bloom filter, none takes more bits than given, and a cascade is
// exact or fails.
#include "lab/rivals/complement_bloom.hpp"
#include "lab/rivals/habf.hpp"
#include "lab/rivals/layered.hpp"
#include "unit/rivals/rival_keys.hpp"

namespace everbloom::support {
namespace {

using namespace lab::rivals;

constexpr std::uint64_t members_count = 3000;

struct two_sets {
    std::vector<digest> members = rival_keys(random_stream::members, members_count);
    std::vector<digest> negatives = rival_keys(random_stream::negatives, 5 * members_count);
};

TEST(bloom_cascade_rival, is_exact_for_members_and_negatives) {
    const two_sets sets;
    for (const std::uint64_t each : {8U, 10U, 14U}) {
        const auto made = layered_bloom::cascade(sets.members, sets.negatives, each * members_count);
        ASSERT_TRUE(made) << made.error().sentence;
        EXPECT_EQ(positives(**made, sets.members), members_count);
        EXPECT_EQ(positives(**made, sets.negatives), 0U);
        EXPECT_LE((*made)->bits(), each * members_count);
    }
}

TEST(bloom_cascade_rival, fails_below_its_least_size) {
    const two_sets sets;
    const double least = layered_bloom::cascade_bits(members_count, 5 * members_count, 0.72 / 5);
    const auto made = layered_bloom::cascade(sets.members, sets.negatives, static_cast<std::uint64_t>(least * 0.9));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().sentence.find("need about"), std::string::npos) << made.error().sentence;
    const auto larger = layered_bloom::cascade(sets.members, sets.negatives, static_cast<std::uint64_t>(least * 1.1));
    EXPECT_TRUE(larger) << larger.error().sentence;
}

TEST(stacked_rival, loses_no_member_and_knows_its_negatives_better_than_others) {
    const two_sets sets;
    for (const std::uint64_t each : {4U, 8U, 12U}) {
        const auto made = layered_bloom::stacked(sets.members, sets.negatives, each * members_count, 0.9);
        ASSERT_TRUE(made) << made.error().sentence;
        EXPECT_EQ(positives(**made, sets.members), members_count);
        EXPECT_LE((*made)->bits(), each * members_count);
        const auto absent = rival_keys(random_stream::absent, sets.negatives.size());
        if (each > 4) {
            EXPECT_LT(2 * positives(**made, sets.negatives), positives(**made, absent));
        }
    }
    EXPECT_FALSE(layered_bloom::stacked(sets.members, sets.negatives, 10, 0.9));
}

TEST(habf_rival, loses_no_member_and_knows_its_negatives_better_than_others) {
    const two_sets sets;
    for (const std::uint64_t each : {6U, 8U, 12U}) {
        const habf made(sets.members, sets.negatives, each * members_count, 3, 0.2);
        EXPECT_EQ(positives(made, sets.members), members_count);
        EXPECT_LE(made.bits(), each * members_count);
        EXPECT_GT(made.adjusted_members(), 0U);
        const auto absent = rival_keys(random_stream::absent, sets.negatives.size());
        EXPECT_LT(positives(made, sets.negatives), positives(made, absent));
    }
}

TEST(complement_rival, answers_no_for_known_negatives_and_loses_members_as_often_as_its_second_filter_errs) {
    const two_sets sets;
    constexpr std::uint64_t each = 60; // 10 bits for each of six keys
    const complement_bloom made(sets.members, sets.negatives, each * members_count);
    EXPECT_EQ(positives(made, sets.negatives), 0U) << "every one of them is in the second filter";
    const std::uint64_t found = positives(made, sets.members);
    EXPECT_NEAR(static_cast<double>(members_count - found), 0.0082 * members_count, 30.0);
    EXPECT_LE(made.bits(), each * members_count);
}

} // namespace
} // namespace everbloom::support
