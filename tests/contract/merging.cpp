// What every filter that can be merged promises: it holds the keys of both, and nothing is lost by trying what does not fit.
#include "support/key_family.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class merging : public ::testing::TestWithParam<kind_pointer> {
protected:
    static std::unique_ptr<subject> filled(const geometry& spec, std::uint64_t from, std::uint64_t to) {
        auto made = must(GetParam()->make(spec));
        for (std::uint64_t i = from; i < to; ++i) (void)made->insert(key_family(1)[i]);
        return made;
    }

    /// The words of a filter. One that takes on any size may be in the middle of a growth, so it takes on a given size first.
    static snapshot at_rest(subject& filter, const geometry& size) {
        if (GetParam()->can(capability::resize)) must(filter.resize(size));
        return filter.snapshot();
    }

    /// False if the keys of both do not fit into one, which must then be unchanged. A planned filter has room.
    static bool merged(subject& left, const subject& right) {
        const auto before = left.snapshot();
        const auto done = left.merge(right);
        if (done) return true;
        EXPECT_EQ(done.error().reason, failure_reason::no_room) << done.error().sentence;
        EXPECT_EQ(left.snapshot(), before);
        EXPECT_NE(left.geometry(), must(GetParam()->plan(workload{100, 0.01})));
        return false;
    }
};

INSTANTIATE_TEST_SUITE_P(kinds, merging, ::testing::ValuesIn(subjects_that_can(capability::merge)), subject_name);

TEST_P(merging, the_keys_of_both_are_in) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 100, 0.01)) {
        auto left = filled(spec, 0, 50);
        const auto right = filled(spec, 30, 80); // some keys in both
        const auto right_before = right->snapshot();
        std::vector<digest> members;
        for (std::uint64_t i = 0; i < 80; ++i) {
            const digest key = key_family(1)[i];
            if (left->may_contain(key) || right->may_contain(key)) members.push_back(key);
        }
        ASSERT_GT(members.size(), 0u);
        if (!merged(*left, *right)) continue;
        ASSERT_EQ(right->snapshot(), right_before);
        for (const digest& key : members) ASSERT_TRUE(left->may_contain(key));
    }
}

// Where the order of insertions does not show in the bytes, merging is inserting everything; where it does, the answers count.
TEST_P(merging, equals_inserting_everything) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 100, 0.01)) {
        auto both = filled(spec, 0, 40);
        if (!merged(*both, *filled(spec, 40, 80))) continue;
        auto one_by_one = filled(spec, 0, 80);
        auto backwards = must(kind.make(spec));
        for (std::uint64_t i = 80; i-- > 0;) (void)backwards->insert(key_family(1)[i]);
        const geometry size = one_by_one->geometry();
        if (at_rest(*backwards, size) == at_rest(*one_by_one, size)) {
            ASSERT_EQ(at_rest(*both, size), at_rest(*one_by_one, size));
        }
        for (std::uint64_t i = 0; i < 80; ++i) {
            const digest key = key_family(1)[i];
            ASSERT_TRUE(both->may_contain(key) || !one_by_one->may_contain(key)) << i;
        }
    }
}

TEST_P(merging, an_empty_filter_adds_nothing) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 50, 0.01)) {
        auto filter = filled(spec, 0, 40);
        auto untouched = filled(spec, 0, 40);
        const geometry size = untouched->geometry();
        must(filter->merge(*must(kind.make(spec))));
        ASSERT_EQ(at_rest(*filter, size), at_rest(*untouched, size));
        auto empty = must(kind.make(spec));
        must(empty->merge(*filter));
        for (std::uint64_t i = 0; i < 40; ++i) {
            ASSERT_TRUE(empty->may_contain(key_family(1)[i]) || !filter->may_contain(key_family(1)[i]));
        }
    }
}

// Some kinds can take in a filter of another geometry; then its keys are in. A kind that can resize itself need not refuse any, and one
// that grows by itself need not refuse another size.
TEST_P(merging, another_geometry_is_taken_in_or_refused_and_then_nothing_changes) {
    const subject_kind& kind = *GetParam();
    const auto variants = spec_variants(kind, 100, 0.01);
    ASSERT_GT(variants.size(), 1u);
    const bool takes_other_sizes = kind.can(capability::resize) || find_kind(kind.name)->grows_by_itself;
    for (std::size_t i = 1; i < variants.size(); ++i) {
        auto filter = filled(variants[0], 0, 50);
        const auto before = filter->snapshot();
        const auto other = filled(variants[i], 40, 90);
        const auto done = filter->merge(*other);
        if (done) {
            ASSERT_TRUE(takes_other_sizes) << "its cells lie elsewhere";
            for (std::uint64_t key = 0; key < 90; ++key) {
                const bool was_in = key < 50 || other->may_contain(key_family(1)[key]);
                ASSERT_TRUE(filter->may_contain(key_family(1)[key]) || !was_in) << key;
            }
            continue;
        }
        // A kind that takes on any geometry may find that it would have no room for all keys.
        EXPECT_TRUE(done.error().reason == failure_reason::mismatch ||
                    (takes_other_sizes && done.error().reason == failure_reason::no_room))
            << done.error().sentence;
        EXPECT_FALSE(done.error().sentence.empty());
        ASSERT_EQ(filter->snapshot(), before);
    }
}

TEST_P(merging, with_itself_loses_nobody) {
    const subject_kind& kind = *GetParam();
    auto filter = filled(must(kind.plan(workload{100, 0.01})), 0, 60);
    must(filter->merge(*filter));
    for (std::uint64_t i = 0; i < 60; ++i) ASSERT_TRUE(filter->may_contain(key_family(1)[i]));
}

} // namespace
} // namespace everbloom
