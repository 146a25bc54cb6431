// Static rivals: every member is found, the FPR is 2^-bits, the space is that of the papers, and a construction without a solution fails.
#include "lab/rivals/ribbon.hpp"
#include "unit/rivals/rival_keys.hpp"

namespace everbloom::support {
namespace {

using namespace lab::rivals;

TEST(ribbon_rival, finds_all_members_and_errs_as_often_as_its_bits_say) {
    for (const unsigned bits : {1U, 7U, 13U}) {
        const auto members = rival_keys(random_stream::members, 20'000);
        const auto made = ribbon_filter::build(members, bits);
        ASSERT_TRUE(made) << made.error().sentence;
        expect_rates(**made, members, std::exp2(-static_cast<double>(bits)));
        EXPECT_LT(static_cast<double>((*made)->bits()) / 20'000 / bits, 1.1) << "the paper: overhead below 10 %";
    }
}

TEST(ribbon_rival, takes_sets_of_every_small_size_and_repeated_keys) {
    for (std::uint64_t keys = 0; keys < 300; keys = keys * 5 / 4 + 1) {
        auto members = rival_keys(random_stream::members, keys);
        members.insert(members.end(), members.begin(), members.end());
        const auto made = ribbon_filter::build(members, 8);
        ASSERT_TRUE(made) << keys << ": " << made.error().sentence;
        EXPECT_EQ(positives(**made, members), members.size());
    }
}

TEST(ribbon_rival, too_few_rows_are_a_failure) {
    const auto members = rival_keys(random_stream::members, 20'000);
    const auto made = ribbon_filter::build(members, 8, 3, 0.9);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().sentence.find("no solution for 20000 keys"), std::string::npos) << made.error().sentence;
}

TEST(ribbon_rival, needs_as_many_rows_as_the_table_of_its_author_says) {
    // 1,024 rows: 1,004 keys with half of the seeds, 976 with 19 of 20.
    const auto members = rival_keys(random_stream::members, 1004);
    const auto solved = [&](std::size_t keys) {
        std::uint64_t seeds = 0;
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            seeds += ribbon_filter::is_solvable(std::span(members).first(keys), 1024, 8, seed) ? 1 : 0;
        }
        return seeds;
    };
    EXPECT_NEAR(static_cast<double>(solved(1004)), 150, 40);
    EXPECT_NEAR(static_cast<double>(solved(976)), 285, 15);
    EXPECT_FALSE(ribbon_filter::is_solvable(members, 1000, 8, 1)) << "fewer rows than keys";
}

} // namespace
} // namespace everbloom::support
