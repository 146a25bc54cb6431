// Copies for queries: every member is found, the FPR is what was asked for, and the copy is smaller than its source.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/statistics.hpp"
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

/// A kind that can be copied, and the kind of the copy.
struct pair_of_kinds {
    std::string source;
    std::string copy; // empty: the smallest one

    [[nodiscard]] any_filter of(const any_filter& from, double fpr) const { return must(from.query_copy(fpr, copy)); }
};

std::vector<pair_of_kinds> all_copies() {
    std::vector<pair_of_kinds> made;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::query_copy)) continue;
        const std::string source(kind.name);
        for (const char* const copy : {"", "fuse", source == "quotient" ? "quotient" : "bloom"}) {
            made.push_back({source, copy});
        }
    }
    return made;
}

any_filter filled(const std::string& kind, std::uint64_t planned, std::uint64_t keys,
                  std::vector<parameter_text> parameters = {}) {
    any_filter made = must(build({kind, planned, 0.001, std::move(parameters)}));
    const key_family family(7);
    for (std::uint64_t i = 0; i < keys; ++i) EXPECT_TRUE(succeeded(must(made.insert(family[i]))));
    return made;
}

any_filter filled_at(const std::string& kind, double fpr, std::vector<parameter_text> parameters) {
    any_filter made = must(build({kind, some_keys, fpr, std::move(parameters)}));
    const key_family family(7);
    for (std::uint64_t i = 0; i < some_keys; ++i) EXPECT_TRUE(succeeded(must(made.insert(family[i]))));
    return made;
}

constexpr std::uint64_t asked = 200'000;

std::uint64_t false_positives(const any_filter& filter) {
    const key_family absent(8);
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < asked; ++i) found += filter.may_contain(absent[i]) ? 1 : 0;
    return found;
}

void expect_members(const any_filter& copy, std::uint64_t keys) {
    const key_family family(7);
    for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(copy.may_contain(family[i])) << i;
}

class query_copies : public ::testing::TestWithParam<pair_of_kinds> {};
INSTANTIATE_TEST_SUITE_P(kinds, query_copies, ::testing::ValuesIn(all_copies()), [](const auto& info) {
    return info.param.source + (info.param.copy.empty() ? "" : "_as_" + info.param.copy);
});

TEST_P(query_copies, have_every_member_the_fpr_and_fewer_bytes) {
    // Planned for as many, for far fewer (it has grown), and for far more (it is nearly empty).
    for (const std::uint64_t planned : {some_keys, some_keys / 100, 10 * some_keys}) {
        const any_filter source = filled(GetParam().source, planned, some_keys);
        for (const double fpr : {0.05, 0.01, 0.002}) {
            const any_filter copy = GetParam().of(source, fpr);
            expect_members(copy, some_keys);
            EXPECT_TRUE(agrees_with_chance(false_positives(copy), asked, copy.measure().fpr)) << planned << " " << fpr;
            EXPECT_LE(copy.measure().fpr, 1.02 * fpr); // bits set by chance
            EXPECT_NEAR(copy.measure().items, some_keys, 0.02 * some_keys);
            EXPECT_LT(copy.payload_bytes(), source.payload_bytes()) << planned << " " << fpr;
        }
    }
}

TEST_P(query_copies, need_about_as_many_bits_as_their_fpr_does) {
    const any_filter copy = GetParam().of(filled(GetParam().source, some_keys, some_keys), 0.01);
    const double bits = 8 * static_cast<double>(copy.payload_bytes()) / some_keys;
    const double needed = std::log2(1 / copy.measure().fpr);
    EXPECT_LT(bits, std::fmax(1.46 * needed, needed + 4.7)); // a table between two doublings has the most
}

TEST_P(query_copies, of_a_filter_without_keys_and_of_one_key) {
    for (const std::uint64_t keys : {0, 1}) {
        const any_filter copy = GetParam().of(filled(GetParam().source, 1000, keys), 0.01);
        expect_members(copy, keys);
        EXPECT_TRUE(agrees_with_chance(false_positives(copy), asked, copy.measure().fpr));
        if (keys == 0) {
            EXPECT_EQ(copy.measure().fpr, 0);
        }
    }
}

TEST_P(query_copies, of_a_key_with_many_copies_have_it_once_or_as_often) {
    any_filter source = filled(GetParam().source, 1000, 100);
    const key_family family(7);
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(succeeded(must(source.insert(family[3]))));
    const any_filter copy = GetParam().of(source, 0.01);
    expect_members(copy, 100);
    if (copy.can(capability::count)) {
        EXPECT_EQ(must(copy.estimate_count(family[3])), 1001u);
    }
}

TEST_P(query_copies, are_refused_in_words_where_they_are_impossible) {
    any_filter source = filled(GetParam().source, 1000, 1000);
    for (const double fpr : {0.0, 1.0, -1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
        const auto refused = source.query_copy(fpr, GetParam().copy);
        ASSERT_FALSE(refused) << fpr;
        EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter);
    }
    EXPECT_FALSE(source.query_copy(1e-15, GetParam().copy)) << "lower than the hashes allow";
    const key_family absent(8);
    std::vector<digest> negatives;
    for (std::uint64_t i = 0; i < 100; ++i) negatives.push_back(absent[i]);
    must(source.exclude(negatives));
    const auto refused = source.query_copy(0.01, GetParam().copy);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence.find("exclusion list"), std::string::npos);
}

TEST_P(query_copies, of_a_file_have_its_hash_key_and_key_type) {
    const temporary_directory here;
    filter<std::string> source({.capacity = 1000, .fpr = 0.001, .kind = GetParam().source});
    for (int i = 0; i < 1000; ++i) source.insert("key " + std::to_string(i));
    source.save(here / "x.eb");
    const auto mapped = filter<std::string>::map(here / "x.eb");
    const std::string& kind = GetParam().copy;
    for (const filter<std::string>& copy : {source.query_copy(0.01, kind), mapped.query_copy(0.01, kind)}) {
        EXPECT_TRUE(copy.hasher() == source.hasher());
        for (int i = 0; i < 1000; ++i) EXPECT_TRUE(copy.may_contain("key " + std::to_string(i)));
        EXPECT_EQ(copy.stats().capacity, 1000u);
        EXPECT_LT(copy.saved_bytes(), source.saved_bytes());
        copy.save(here / "copy.eb");
        EXPECT_TRUE(filter<std::string>::open(here / "copy.eb").may_contain("key 7"));
    }
}

TEST(query_copy, is_of_the_smallest_kind_unless_another_is_named) {
    for (const std::string source : {"quotient", "elastic_blocked"}) {
        const std::string other = source == "quotient" ? "quotient" : "bloom";
        const any_filter whole = filled(source, some_keys, some_keys);
        const any_filter smallest = must(whole.query_copy(0.01));
        EXPECT_EQ(smallest.kind(), "fuse");
        EXPECT_EQ(must(whole.query_copy(0.01, "fuse")).kind(), "fuse");
        EXPECT_EQ(must(whole.query_copy(0.01, other)).kind(), other);
        EXPECT_LT(smallest.payload_bytes(), must(whole.query_copy(0.01, other)).payload_bytes());
        for (const char* const wrong : {"blocked", "no such kind", "elastic_blocked"}) {
            const auto refused = whole.query_copy(0.01, wrong);
            ASSERT_FALSE(refused) << wrong;
            EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter) << refused.error().sentence;
        }
    }
}

TEST(query_copy, that_is_larger_as_fuse_is_not_fuse) {
    // A filter that was not planned to grow has an FPR of its own that is nearly the target: little is left for fingerprints.
    const any_filter whole = filled_at("quotient", 0.01, {{"planned_keys", "20000"}});
    const double own = whole.measure().fpr;
    const any_filter copy = must(whole.query_copy(1.0001 * own));
    EXPECT_EQ(copy.kind(), "quotient");
    EXPECT_LT(copy.payload_bytes(), must(whole.query_copy(1.0001 * own, "fuse")).payload_bytes());
}

// The FPR of a copy has two parts: the name of a member, which the source would have found as well, and an equal fingerprint.
TEST(query_copy, as_fuse_errs_as_often_as_both_parts_together_say) {
    const any_filter whole = filled_at("quotient", 0.01, {{"planned_keys", "20000"}});
    const double own = whole.measure().fpr;
    ASSERT_GT(own, 0.005);
    for (const double fpr : {0.3, 0.1, 0.05, 0.02}) {
        const any_filter copy = must(whole.query_copy(fpr, "fuse"));
        const double fingerprints = std::exp2(-static_cast<double>(copy.geometry("fingerprint_bits").value()));
        EXPECT_NEAR(copy.measure().fpr, own + (1 - own) * fingerprints, 0.01 * own) << fpr; // some keys share a name
        EXPECT_TRUE(agrees_with_chance(false_positives(copy), asked, copy.measure().fpr)) << fpr;
        EXPECT_FALSE(agrees_with_chance(false_positives(copy), asked, fingerprints)) << "the test would not see it";
        expect_members(copy, some_keys);
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
