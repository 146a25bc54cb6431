// Copies for queries: every member is found, the FPR is what was asked for, and the copy is smaller than its source.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/everbloom.hpp>
#include <everbloom/jobs/query_copy.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace everbloom {
namespace {

using namespace support;

constexpr std::uint64_t some_keys = 20'000;

std::vector<std::string> kinds_that_can() {
    std::vector<std::string> names;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(capability::query_copy)) names.emplace_back(kind.name);
    }
    return names;
}

any_filter filled(const std::string& kind, std::uint64_t planned, std::uint64_t keys,
                  std::vector<parameter_text> parameters = {}) {
    any_filter made = must(build({kind, planned, 0.001, std::move(parameters)}));
    const key_family family(7);
    for (std::uint64_t i = 0; i < keys; ++i) EXPECT_TRUE(succeeded(must(made.insert(family[i]))));
    return made;
}

double measured_fpr(const any_filter& filter) {
    const key_family absent(8);
    constexpr std::uint64_t asked = 200'000;
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < asked; ++i) found += filter.may_contain(absent[i]) ? 1 : 0;
    return static_cast<double>(found) / asked;
}

void expect_members(const any_filter& copy, std::uint64_t keys) {
    const key_family family(7);
    for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(copy.may_contain(family[i])) << i;
}

class query_copies : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(kinds, query_copies, ::testing::ValuesIn(kinds_that_can()),
                         [](const auto& info) { return info.param; });

TEST_P(query_copies, have_every_member_the_fpr_and_fewer_bytes) {
    // Planned for as many, for far fewer (it has grown), and for far more (it is nearly empty).
    for (const std::uint64_t planned : {some_keys, some_keys / 100, 10 * some_keys}) {
        const any_filter source = filled(GetParam(), planned, some_keys);
        for (const double fpr : {0.05, 0.01, 0.002}) {
            const any_filter copy = must(source.query_copy(fpr));
            expect_members(copy, some_keys);
            // Four standard errors of 200,000 questions.
            EXPECT_LT(measured_fpr(copy), fpr + 4 * std::sqrt(fpr / 200'000)) << planned << " " << fpr;
            EXPECT_LE(copy.measure().fpr, 1.02 * fpr); // bits set by chance
            EXPECT_NEAR(copy.measure().items, some_keys, 0.02 * some_keys);
            EXPECT_LT(copy.payload_bytes(), source.payload_bytes()) << planned << " " << fpr;
        }
    }
}

TEST_P(query_copies, need_about_as_many_bits_as_their_fpr_does) {
    const any_filter copy = must(filled(GetParam(), some_keys, some_keys).query_copy(0.01));
    const double bits = 8 * static_cast<double>(copy.payload_bytes()) / some_keys;
    const double needed = std::log2(1 / copy.measure().fpr);
    EXPECT_LT(bits, std::fmax(1.46 * needed, needed + 4.7)); // a table between two doublings has the most
}

TEST_P(query_copies, of_a_filter_without_keys_and_of_one_key) {
    for (const std::uint64_t keys : {0, 1}) {
        const any_filter copy = must(filled(GetParam(), 1000, keys).query_copy(0.01));
        expect_members(copy, keys);
        EXPECT_LT(measured_fpr(copy), 0.011);
    }
}

TEST_P(query_copies, of_a_key_with_many_copies_have_it_once_or_as_often) {
    any_filter source = filled(GetParam(), 1000, 100);
    const key_family family(7);
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(succeeded(must(source.insert(family[3]))));
    any_filter copy = must(source.query_copy(0.01));
    expect_members(copy, 100);
    if (copy.can(capability::count)) {
        EXPECT_EQ(must(copy.estimate_count(family[3])), 1001u);
    }
}

TEST_P(query_copies, are_refused_in_words_where_they_are_impossible) {
    any_filter source = filled(GetParam(), 1000, 1000);
    for (const double fpr : {0.0, 1.0, -1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
        const auto refused = source.query_copy(fpr);
        ASSERT_FALSE(refused) << fpr;
        EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter);
    }
    EXPECT_FALSE(source.query_copy(1e-15)) << "lower than the hashes allow";
    const key_family absent(8);
    std::vector<digest> negatives;
    for (std::uint64_t i = 0; i < 100; ++i) negatives.push_back(absent[i]);
    must(source.exclude(negatives));
    const auto refused = source.query_copy(0.01);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence.find("exclusion list"), std::string::npos);
}

TEST_P(query_copies, of_a_file_have_its_hash_key_and_key_type) {
    const temporary_directory here;
    filter<std::string> source({.capacity = 1000, .fpr = 0.001, .kind = GetParam()});
    for (int i = 0; i < 1000; ++i) source.insert("key " + std::to_string(i));
    source.save(here / "x.eb");
    const auto mapped = filter<std::string>::map(here / "x.eb");
    for (const filter<std::string>& copy : {source.query_copy(0.01), mapped.query_copy(0.01)}) {
        EXPECT_TRUE(copy.hasher() == source.hasher());
        for (int i = 0; i < 1000; ++i) EXPECT_TRUE(copy.may_contain("key " + std::to_string(i)));
        EXPECT_EQ(copy.stats().capacity, 1000u);
        EXPECT_LT(copy.saved_bytes(), source.saved_bytes());
        copy.save(here / "copy.eb");
        EXPECT_TRUE(filter<std::string>::open(here / "copy.eb").may_contain("key 7"));
    }
}

TEST(query_copy, is_refused_by_kinds_that_keep_too_little) {
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(capability::query_copy)) continue;
        const auto refused = must(build({std::string(kind.name), 100, 0.01, {}})).query_copy(0.01);
        ASSERT_FALSE(refused) << kind.name;
        EXPECT_EQ(refused.error().reason, failure_reason::unsupported) << kind.name;
    }
}

TEST(query_copy, of_short_stored_hashes_says_how_many_bits_are_needed) {
    const auto refused = filled("elastic_blocked", 100, 100, {{"word_bits", "40"}}).query_copy(0.01);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence.find("needs 48"), std::string::npos) << refused.error().sentence;
}

TEST(query_copy, of_a_moved_from_filter_is_a_failure) {
    any_filter source = filled("quotient", 100, 10);
    const any_filter moved = std::move(source);
    EXPECT_FALSE(source.query_copy(0.01)); // NOLINT(bugprone-use-after-move): that is the question
}

TEST(reduce, smallest_hash_of_an_index) {
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{64}, std::uint64_t{1'000'003},
                                      (std::uint64_t{1} << 63) + 5}) {
        for (std::uint64_t i = 0; i < 200; ++i) {
            const std::uint64_t index = mix(i) % range;
            const std::uint64_t hash = smallest_reduced_to(index, range);
            EXPECT_EQ(reduce(hash, range), index);
            if (hash != 0) {
                EXPECT_LT(reduce(hash - 1, range), index);
            }
        }
    }
}

} // namespace
} // namespace everbloom
