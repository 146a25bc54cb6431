// The yes-no filter: the paper's example to the bit, what a no-filter may and may not take, and what happens to keys that come later.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/filter/bloom/bloom.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/filter/yes_no/yes_no_build.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace everbloom {
namespace {

using namespace support;

constexpr auto assigned_by(yes_no_assignment how) { return static_cast<std::uint64_t>(how); }

/// The settings of [Carrea16 §V].
yes_no_spec header_spec() {
    return {.yes_bits = 160,
            .yes_hashes = 4,
            .no_filters = 3,
            .no_bits = 32,
            .no_hashes = 5,
            .assign = assigned_by(yes_no_assignment::first_fit)};
}

std::uint64_t positives(const yes_no_filter& filter, const std::vector<digest>& keys) {
    return static_cast<std::uint64_t>(
        std::count_if(keys.begin(), keys.end(), [&](digest key) { return filter.may_contain(key); }));
}

/// The first key of a family whose positions are as wanted.
template <class Wanted>
digest find_key(std::uint64_t family, Wanted wanted) {
    const key_family keys(family);
    for (std::uint64_t i = 0; i < 10'000'000; ++i) {
        if (wanted(keys[i])) return keys[i];
    }
    throw std::runtime_error("no key has these positions");
}

std::vector<std::uint64_t> numbers(const position_list& positions) {
    return {positions.get().begin(), positions.get().end()};
}

/// Fig. 3: p = 13, q = 2, r = 2, k = 3, k' = 1; h(e) = 5, 2, 12 and w(e) = 2, counted from 1.
class figure_3 : public ::testing::Test {
protected:
    const yes_no_spec spec{.yes_bits = 13, .yes_hashes = 3, .no_filters = 2, .no_bits = 2, .no_hashes = 1};
    const yes_no_places places{spec};
    const digest e = find_key(1, [this](digest key) {
        return numbers(places.yes(key, 0)) == std::vector<std::uint64_t>{4, 1, 11} &&
               numbers(places.no(key, 0)) == std::vector<std::uint64_t>{1};
    });

    [[nodiscard]] static std::string yes_text(const yes_no_filter& filter) {
        std::string text;
        for (std::uint64_t i = 0; i < 13; ++i) text += filter.yes_bit(0, i) ? '1' : '0';
        return text;
    }
    [[nodiscard]] static std::string no_text(const yes_no_filter& filter, std::uint64_t no_filter) {
        std::string text;
        for (std::uint64_t i = 0; i < 2; ++i) text += filter.no_bit(0, no_filter, i) ? '1' : '0';
        return text;
    }
};

TEST_F(figure_3, the_element_sets_its_three_bits_of_the_yes_filter) {
    const auto built = must(build_yes_no(spec, std::vector{e}, {}));
    EXPECT_EQ(yes_text(built.filter), "0100100000010");
    EXPECT_EQ(no_text(built.filter, 0), "00");
    EXPECT_EQ(no_text(built.filter, 1), "00");
    EXPECT_TRUE(built.filter.may_contain(e));
}

TEST_F(figure_3, as_a_false_positive_it_sets_its_bit_of_the_first_no_filter) {
    // A member with the same yes-filter and the other no-filter: e looks like it, until it is known not to be.
    const digest member = find_key(2, [this](digest key) {
        return numbers(places.yes(key, 0)) == std::vector<std::uint64_t>{11, 4, 1} &&
               numbers(places.no(key, 0)) == std::vector<std::uint64_t>{0};
    });
    const auto built = must(build_yes_no(spec, std::vector{member}, std::vector{e}));
    EXPECT_EQ(yes_text(built.filter), "0100100000010");
    EXPECT_EQ(no_text(built.filter, 0), "01");
    EXPECT_EQ(no_text(built.filter, 1), "00");
    EXPECT_FALSE(built.filter.may_contain(e));
    EXPECT_TRUE(built.filter.may_contain(member));
    EXPECT_EQ(built.report.false_positives_before, 1u);
    EXPECT_EQ(built.report.false_positives_after, 0u);
}

TEST_F(figure_3, it_cannot_be_refused_at_the_price_of_a_member) {
    const digest twin = find_key(3, [this](digest key) {
        return numbers(places.yes(key, 0)) == std::vector<std::uint64_t>{1, 4, 11} &&
               numbers(places.no(key, 0)) == std::vector<std::uint64_t>{1};
    });
    for (const yes_no_assignment how :
         {yes_no_assignment::first_fit, yes_no_assignment::best_fit, yes_no_assignment::search}) {
        yes_no_spec tried = spec;
        tried.assign = assigned_by(how);
        const auto built = must(build_yes_no(tried, std::vector{twin}, std::vector{e}));
        EXPECT_TRUE(built.filter.may_contain(twin));
        EXPECT_TRUE(built.filter.may_contain(e));
        EXPECT_EQ(built.report.false_positives_after, 1u);
    }
}

TEST_F(figure_3, unless_that_is_allowed) {
    const digest twin = find_key(3, [this](digest key) {
        return numbers(places.yes(key, 0)) == std::vector<std::uint64_t>{1, 4, 11} &&
               numbers(places.no(key, 0)) == std::vector<std::uint64_t>{1};
    });
    const auto built = must(build_yes_no(spec, std::vector{twin}, std::vector{e}, {false_negatives::allowed}));
    EXPECT_FALSE(built.filter.may_contain(e));
    EXPECT_FALSE(built.filter.may_contain(twin));
    EXPECT_EQ(built.report.false_positives_after, 0u);
    EXPECT_EQ(built.report.members_lost, 1u);
}

TEST_F(figure_3, first_fit_goes_to_the_second_no_filter_where_the_first_would_cover_a_member) {
    // With k' = 2 a member that has both bits is covered as soon as both are set in one no-filter.
    const yes_no_spec two{.yes_bits = 13,
                          .yes_hashes = 1,
                          .no_filters = 2,
                          .no_bits = 2,
                          .no_hashes = 2,
                          .assign = assigned_by(yes_no_assignment::first_fit)};
    const yes_no_places where(two);
    const auto key_at = [&](std::uint64_t family, std::vector<std::uint64_t> no) {
        return find_key(family, [&](digest key) {
            return numbers(where.yes(key, 0)) == std::vector<std::uint64_t>{7} && numbers(where.no(key, 0)) == no;
        });
    };
    const digest member = key_at(4, {0, 1});
    const std::vector<digest> negatives{key_at(5, {0, 0}), key_at(6, {1, 1})};
    const auto built = must(build_yes_no(two, std::vector{member}, negatives));
    EXPECT_EQ(no_text(built.filter, 0), "10");
    EXPECT_EQ(no_text(built.filter, 1), "01");
    EXPECT_TRUE(built.filter.may_contain(member));
    EXPECT_EQ(positives(built.filter, negatives), 0u);
}

TEST(yes_no, without_no_filters_is_a_bloom_filter_to_the_bit) {
    yes_no_spec spec = header_spec();
    spec.no_filters = 0;
    const auto members = key_family(1).first(30);
    const auto built = must(build_yes_no(spec, members, key_family(2).first(100)));
    bloom_filter bloom = must(
        make<bloom_filter>({.bits = 160, .hashes = 4, .probe = static_cast<std::uint64_t>(probe_scheme::independent)}));
    for (const digest key : members) bloom.insert(key);
    for (std::uint64_t i = 0; i < 160; ++i) ASSERT_EQ(built.filter.cell(i), bloom.cell(i)) << i;
    EXPECT_EQ(built.report.false_positives_before, built.report.false_positives_after);
}

TEST(yes_no, says_no_to_what_it_reports_as_protected_and_yes_to_every_member) {
    for (const yes_no_assignment how :
         {yes_no_assignment::first_fit, yes_no_assignment::best_fit, yes_no_assignment::search}) {
        yes_no_spec spec = header_spec();
        spec.assign = assigned_by(how);
        std::uint64_t before = 0;
        std::uint64_t after = 0;
        for (std::uint64_t trial = 0; trial < 300; ++trial) {
            const auto members = key_family(2 * trial).first(30);
            const auto negatives = key_family(2 * trial + 1).first(100);
            const auto built = must(build_yes_no(spec, members, negatives));
            ASSERT_EQ(positives(built.filter, members), members.size());
            ASSERT_EQ(positives(built.filter, negatives), built.report.false_positives_after);
            before += built.report.false_positives_before;
            after += built.report.false_positives_after;
        }
        EXPECT_GT(before, 300u * 7);
        EXPECT_LT(after, 300u / 10);
    }
}

TEST(yes_no, search_leaves_less_than_first_fit_and_seeds_less_than_search) {
    std::array<std::uint64_t, 3> left{};
    for (std::size_t way = 0; way < left.size(); ++way) {
        yes_no_spec spec = header_spec();
        if (way > 0) spec.assign = assigned_by(yes_no_assignment::search);
        if (way > 1) spec.seeds = 8;
        for (std::uint64_t trial = 0; trial < 2000; ++trial) {
            left[way] += must(build_yes_no(spec, key_family(2 * trial).first(30), key_family(2 * trial + 1).first(100)))
                             .report.false_positives_after;
        }
    }
    EXPECT_GT(left[0], 55u); // 0.046 of 2000 are 92, give or take 10
    EXPECT_LT(left[0], 130u);
    EXPECT_LT(left[1], 65u); // 0.018: 36, give or take 6
    EXPECT_EQ(left[2], 0u);
}

TEST(yes_no, the_seed_of_every_part_is_kept) {
    yes_no_spec spec = header_spec();
    spec.parts = 40;
    spec.seeds = 16;
    spec.no_filters = 1; // too few, so that other seeds are needed
    const auto members = key_family(1).first(30 * spec.parts);
    const auto negatives = key_family(2).first(60 * spec.parts);
    const auto built = must(build_yes_no(spec, members, negatives));
    std::uint64_t reseeded = 0;
    for (std::uint64_t part = 0; part < spec.parts; ++part) reseeded += built.filter.seed(part) != 0 ? 1 : 0;
    EXPECT_GT(reseeded, 10u);
    EXPECT_EQ(positives(built.filter, members), members.size());
    EXPECT_EQ(positives(built.filter, negatives), built.report.false_positives_after);
}

TEST(yes_no, threads_build_the_same_filter) {
    const yes_no_spec spec{
        .yes_bits = 9600, .yes_hashes = 7, .no_filters = 2, .no_bits = 300, .no_hashes = 9, .parts = 20, .seeds = 2};
    const auto members = key_family(1).first(20'000);
    const auto negatives = key_family(2).first(20'000);
    const auto alone = must(build_yes_no(spec, members, negatives));
    const auto together = must(build_yes_no(spec, members, negatives, {false_negatives::refused, 4}));
    for (std::size_t section = 0; section < 3; ++section) {
        EXPECT_TRUE(std::ranges::equal(alone.filter.sections()[section], together.filter.sections()[section]));
    }
    EXPECT_EQ(alone.report.false_positives_before, together.report.false_positives_before);
}

TEST(yes_no, a_negative_that_is_a_member_stays_a_member) {
    const auto members = key_family(1).first(30);
    auto negatives = key_family(2).first(100);
    negatives.push_back(members[7]);
    const auto built = must(build_yes_no(header_spec(), members, negatives));
    EXPECT_EQ(positives(built.filter, members), members.size());
}

TEST(yes_no, a_key_that_comes_later_is_never_vetoed) {
    std::uint64_t unprotected = 0;
    for (std::uint64_t trial = 0; trial < 50; ++trial) {
        const auto members = key_family(3 * trial).first(20);
        const auto negatives = key_family(3 * trial + 1).first(200);
        yes_no_filter filter = std::move(must(build_yes_no(header_spec(), members, negatives)).filter);
        for (const digest key : negatives) { // the worst that can come: those it was protected from
            unprotected += filter.insert(key) == insert_outcome::inserted_unprotected ? 1 : 0;
            ASSERT_TRUE(filter.may_contain(key));
        }
        EXPECT_EQ(positives(filter, members), members.size());
        EXPECT_EQ(positives(filter, negatives), negatives.size());
    }
    EXPECT_GT(unprotected, 50u);
}

TEST(yes_no, merging_loses_no_member_of_either) {
    yes_no_spec spec = header_spec();
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
        const auto first = key_family(3 * trial).first(20);
        const auto second = key_family(3 * trial + 1).first(20);
        const auto negatives = key_family(3 * trial + 2).first(150);
        auto one = must(build_yes_no(spec, first, negatives));
        const auto other = must(build_yes_no(spec, second, negatives));
        must(one.filter.merge(other.filter));
        ASSERT_EQ(positives(one.filter, first), first.size());
        ASSERT_EQ(positives(one.filter, second), second.size());
    }
}

TEST(yes_no, filters_with_different_seeds_do_not_merge) {
    yes_no_spec spec = header_spec();
    spec.seeds = 4;
    auto one = must(make<yes_no_filter>(spec));
    auto other = must(make<yes_no_filter>(spec));
    other.set_part(0, 3, {}, {});
    EXPECT_EQ(one.merge(other).error().reason, failure_reason::mismatch);
}

TEST(protecting_a_yes_no_filter, needs_exactly_its_members) {
    const auto members = key_family(1).first(30);
    const auto negatives = key_family(2).first(100);
    yes_no_filter filter = must(make<yes_no_filter>(header_spec()));
    for (const digest key : members) filter.insert(key);

    const auto fewer = protect(filter, std::span(members).first(20), negatives);
    ASSERT_FALSE(fewer);
    EXPECT_NE(fewer.error().sentence.find("not among these members"), std::string::npos);
    const auto others = protect(filter, key_family(3).first(30), negatives);
    ASSERT_FALSE(others);
    EXPECT_NE(others.error().sentence.find("not in the filter"), std::string::npos);
    EXPECT_GT(positives(filter, negatives), 0u) << "a refusal changes nothing";

    const auto done = must(protect(filter, members, negatives));
    EXPECT_EQ(done.negatives, 100u);
    EXPECT_GT(done.false_positives_before, 0u);
    EXPECT_EQ(positives(filter, negatives), done.false_positives_after);
    EXPECT_EQ(positives(filter, members), members.size());
}

TEST(yes_no, geometry_that_does_not_fit_is_refused) {
    yes_no_spec spec = header_spec();
    spec.no_filters = 65;
    EXPECT_FALSE(build_yes_no(spec, {}, {}));
    spec = header_spec();
    spec.no_bits = 0;
    EXPECT_FALSE(build_yes_no(spec, {}, {}));
    spec = header_spec();
    spec.parts = yes_no_spec::most_parts;
    spec.yes_bits = std::uint64_t{1} << 40;
    const auto refused = build_yes_no(spec, {}, {});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence.find("2^56"), std::string::npos);
}

TEST(yes_no, sixty_four_no_filters_fill_whole_words) {
    yes_no_spec spec = header_spec();
    spec.no_filters = 64;
    spec.assign = assigned_by(yes_no_assignment::best_fit);
    const auto members = key_family(1).first(100); // the yes-filter is nearly full
    const auto negatives = key_family(2).first(150);
    const auto built = must(build_yes_no(spec, members, negatives));
    EXPECT_GT(built.report.false_positives_before, 60u);
    EXPECT_EQ(positives(built.filter, members), members.size());
    EXPECT_EQ(positives(built.filter, negatives), built.report.false_positives_after);
    EXPECT_LT(built.report.false_positives_after, 10u);
}

TEST(yes_no, two_hundred_thousand_members_lose_none_to_fifty_thousand_negatives) {
    const std::uint64_t count = 200'000;
    const yes_no_spec spec{
        .yes_bits = 39'300, .yes_hashes = 7, .no_filters = 2, .no_bits = 600, .no_hashes = 10, .parts = 49};
    const auto members = key_family(1).first(count);
    const auto negatives = key_family(2).first(50'000);
    const auto built = must(build_yes_no(spec, members, negatives, {false_negatives::refused, 2}));
    EXPECT_EQ(positives(built.filter, members), members.size());
    EXPECT_EQ(positives(built.filter, negatives), built.report.false_positives_after);
    EXPECT_GT(built.report.false_positives_before, 400u);
    EXPECT_LT(built.report.false_positives_after, 5u);
}

} // namespace
} // namespace everbloom
