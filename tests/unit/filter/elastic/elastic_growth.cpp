// How an elastic filter grows and shrinks: what begins it, what refuses it, and that nothing is lost on the way.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/reloaded.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/elastic/elastic.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::key_family;
using support::must;
using support::reloaded;
using support::snapshot_of;

elastic_spec small_spec(std::uint64_t bits) {
    elastic_spec spec;
    spec.initial_bits = bits;
    return spec.started();
}
elastic_filter make_elastic(const elastic_spec& spec) { return must(make<elastic_filter>(spec.started())); }
digest key_of(std::uint64_t hash) { return {backwards(hash), 0}; }

TEST(elastic_growth, begins_with_the_key_that_would_set_too_many_bits) {
    elastic_spec spec = small_spec(1024);
    spec.hashes = 1;
    auto filter = make_elastic(spec);
    const std::uint64_t allowed = 204; // of 1024, at a threshold of 0.2
    std::uint64_t i = 0;
    for (; filter.spec().target_bits() == 1024; ++i) {
        const std::uint64_t before = filter.parts().weighted_ones();
        const bool sets_one_more = !filter.may_contain(key_family(1)[i]);
        const insert_outcome outcome = filter.insert(key_family(1)[i]);
        ASSERT_LE(before, allowed);
        ASSERT_EQ(outcome == insert_outcome::inserted_grew, before == allowed && sets_one_more) << i;
    }
    EXPECT_EQ(filter.spec().target_bits(), 2048u);
    EXPECT_EQ(filter.expansions(), 1u);
    for (; filter.spec().next_bits != 0; ++i) ASSERT_TRUE(succeeded(filter.insert(key_family(1)[i])));
    EXPECT_LE(filter.set_bit_rate(), 0.12);
}

TEST(elastic_growth, begins_when_the_bucket_tree_overflows) {
    elastic_spec spec = small_spec(4);
    spec.hashes = 1;
    spec.threshold = 990'000;
    spec.bucket_slots = 2;
    spec.branches = 2;
    auto filter = make_elastic(spec);
    // Two slots of its own and two that it shares; the fifth is one too many. Odd and even fingerprints part at once.
    for (std::uint64_t fingerprint = 0; fingerprint < 4; ++fingerprint) {
        ASSERT_EQ(filter.insert(key_of(fingerprint * 4)), insert_outcome::inserted) << fingerprint;
    }
    EXPECT_EQ(filter.insert(key_of(4 * 4)), insert_outcome::inserted_grew);
    EXPECT_EQ(filter.spec().bits, 8u);
    EXPECT_EQ(filter.bucket(0), (std::vector<std::uint64_t>{0, 2, 1}));
    EXPECT_EQ(filter.bucket(4), (std::vector<std::uint64_t>{0, 1}));
}

TEST(elastic_growth, neighbours_share_the_second_level) {
    elastic_spec spec = small_spec(4);
    spec.hashes = 1;
    spec.threshold = 990'000;
    spec.bucket_slots = 2;
    spec.branches = 2;
    auto filter = make_elastic(spec);
    for (const std::uint64_t index : {0, 1, 2}) {
        for (std::uint64_t fingerprint = 0; fingerprint < 3; ++fingerprint) {
            ASSERT_EQ(filter.insert(key_of(fingerprint * 4 + index)), insert_outcome::inserted);
        }
    }
    // 0 and 1 share one and have used it up; 2 shares another with 3.
    EXPECT_EQ(filter.insert(key_of(3 * 4 + 2)), insert_outcome::inserted);
    EXPECT_EQ(filter.insert(key_of(3 * 4 + 1)), insert_outcome::inserted_grew);
}

TEST(elastic_growth, one_key_makes_it_grow_once_at_most) {
    elastic_spec spec = small_spec(4);
    spec.hashes = 1;
    spec.threshold = 990'000;
    spec.bucket_slots = 2;
    spec.branches = 1;
    auto filter = make_elastic(spec);
    // Alike in their lowest six bits: four doublings would part them, one does not.
    for (std::uint64_t i = 0; i < 4; ++i) ASSERT_EQ(filter.insert(key_of(i << 6)), insert_outcome::inserted);
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(key_of(4 << 6)), insert_outcome::full_bucket);
    EXPECT_EQ(snapshot_of(filter), before);
    EXPECT_EQ(filter.spec().bits, 4u);
}

TEST(elastic_growth, one_key_a_million_times_needs_no_room) {
    auto filter = make_elastic(small_spec(1 << 12));
    for (std::uint64_t i = 0; i < 100; ++i) filter.insert(key_family(2)[i]);
    const std::vector<digest> many(1000, key_family(3)[0]);
    std::vector<insert_outcome> outcomes(many.size());
    for (int i = 0; i < 1000; ++i) {
        filter.insert(many, outcomes);
        for (const insert_outcome outcome : outcomes) ASSERT_TRUE(succeeded(outcome));
    }
    EXPECT_EQ(filter.expansions(), 0u);
    EXPECT_EQ(filter.estimate_count(many[0]), 1'000'000u);
    EXPECT_EQ(filter.spec().items, 1'000'100u);
    EXPECT_EQ(filter.spec().pages, small_spec(1 << 12).pages);
    while (filter.estimate_count(many[0]) < (1 << 20) + 2) ASSERT_TRUE(succeeded(filter.insert(many[0])));
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(many[0]), insert_outcome::full_counter);
    EXPECT_EQ(snapshot_of(filter), before);
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(filter.estimate_count(key_family(2)[i]), 1u);
}

TEST(elastic_growth, many_copies_of_all_keys_get_more_pages_and_no_more_bits) {
    auto filter = make_elastic(small_spec(1 << 14));
    const std::uint64_t pages = filter.spec().pages;
    for (int copy = 0; copy < 5; ++copy) {
        for (std::uint64_t i = 0; i < 600; ++i) ASSERT_TRUE(succeeded(filter.insert(key_family(4)[i])));
    }
    EXPECT_EQ(filter.expansions(), 0u);
    EXPECT_EQ(filter.spec().bits, 1u << 14);
    EXPECT_GT(filter.spec().target_pages(), pages);
    const auto again = reloaded(filter);
    for (std::uint64_t i = 0; i < 600; ++i) ASSERT_EQ(again.estimate_count(key_family(4)[i]), 5u);
}

TEST(elastic_growth, is_refused_at_the_limit_and_nothing_changes) {
    elastic_spec spec = small_spec(1024);
    spec.most_bits = 5000; // no power of two: 4096 is the most
    auto filter = make_elastic(spec);
    std::uint64_t inside = 0;
    while (succeeded(filter.insert(key_family(5)[inside]))) ++inside;
    EXPECT_EQ(filter.spec().bits, 4096u);
    EXPECT_GT(filter.set_bit_rate(), 0.195);
    EXPECT_LE(filter.set_bit_rate(), 0.2);
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(key_family(5)[inside]), insert_outcome::growth_refused);
    EXPECT_EQ(snapshot_of(filter), before);
    EXPECT_EQ(filter.insert(key_family(5)[0]), insert_outcome::inserted_counted) << "a copy needs no bits";
    for (std::uint64_t i = 0; i < inside; ++i) ASSERT_TRUE(filter.may_contain(key_family(5)[i]));
    EXPECT_FALSE(filter.grow().has_value());
}

TEST(elastic_growth, is_refused_when_the_fingerprints_are_used_up) {
    elastic_spec spec = small_spec(64);
    spec.word_bits = 10;
    spec.hashes = 2;
    auto filter = make_elastic(spec);
    std::uint64_t inside = 0;
    while (succeeded(filter.insert(key_family(6)[inside]))) ++inside;
    EXPECT_EQ(filter.spec().bits, 1024u);
    EXPECT_EQ(filter.insert(key_family(6)[inside]), insert_outcome::growth_refused);
    for (std::uint64_t i = 0; i < inside; ++i) ASSERT_TRUE(filter.confirm(key_family(6)[i]));
    for (std::uint64_t i = 0; i < inside; ++i) ASSERT_TRUE(succeeded(filter.erase(key_family(6)[i])));
    EXPECT_EQ(filter.parts().weighted_ones(), 0u);
}

TEST(elastic_growth, is_not_thwarted_by_a_size_that_no_machine_has) {
    elastic_spec spec = small_spec(1024);
    auto filter = make_elastic(spec);
    for (std::uint64_t i = 0; i < 40; ++i) filter.insert(key_family(7)[i]);
    elastic_spec wanted = spec;
    wanted.initial_bits = std::uint64_t{1} << 55;
    const auto before = snapshot_of(filter);
    const auto refused = filter.resize(wanted.started());
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::out_of_memory);
    EXPECT_EQ(snapshot_of(filter), before);
}

/// The whole lifetime: every operation between two steps of a resize, checked against an exact set, reloaded in the middle.
void live_and_leave(std::uint64_t seed) {
    dice random(seed);
    elastic_spec spec = small_spec(1 << 10);
    spec.hashes = 1 + random.below(7);
    spec.word_bits = random.one_in(3) ? 20 : 64;
    spec.bucket_slots = random.one_in(3) ? 1 : 8;
    auto filter = make_elastic(spec);
    const key_family keys(100 + seed);
    std::vector<digest> inside;
    std::uint64_t fresh = 0;
    std::uint64_t steps_while_resizing = 0;
    for (std::uint64_t step = 0; step < 12'000; ++step) {
        // Four thousand to come, then most to leave, then again.
        const bool comes = step / 4000 % 2 == 0 ? !random.one_in(8) : random.one_in(8);
        if (comes || inside.empty()) {
            const digest key =
                random.one_in(30) && !inside.empty() ? inside[random.below(inside.size())] : keys[fresh++];
            if (succeeded(filter.insert(key))) inside.push_back(key);
            ASSERT_TRUE(inside.empty() || filter.may_contain(inside.back()));
        } else {
            std::swap(inside[random.below(inside.size())], inside.back());
            const erase_outcome judged = filter.can_erase(inside.back());
            ASSERT_EQ(filter.erase(inside.back()), judged);
            ASSERT_TRUE(succeeded(judged));
            inside.pop_back();
        }
        steps_while_resizing += filter.spec().next_bits != 0 ? 1 : 0;
        if (step % 97 == 0) {
            for (const digest& key : inside) ASSERT_TRUE(filter.may_contain(key)) << seed << " " << step;
        }
        if (step % 701 == 0) {
            auto again = reloaded(filter);
            ASSERT_EQ(snapshot_of(again), snapshot_of(filter));
            ASSERT_EQ(again.parts().weighted_ones(), filter.parts().weighted_ones());
            filter = std::move(again);
        }
        ASSERT_EQ(filter.spec().items, inside.size());
    }
    EXPECT_GT(steps_while_resizing, 0u);
    for (const digest& key : inside) ASSERT_TRUE(succeeded(filter.erase(key)));
    EXPECT_EQ(filter.parts().weighted_ones(), 0u);
    EXPECT_EQ(filter.parts().copies(), 0u);
    EXPECT_EQ(filter.parts().slots(), 0u);
    for (const auto& words : filter.sections()) {
        for (const std::uint64_t word : words) ASSERT_EQ(word, 0u);
    }
}

TEST(elastic_growth, keys_come_and_go_while_it_resizes_and_no_bit_is_left_behind) {
    for (std::uint64_t seed = 0; seed < support::rounds(20); ++seed) ASSERT_NO_FATAL_FAILURE(live_and_leave(seed));
    // Here a query compared a whole hash with the frontier, not the twenty bits of it that are stored.
    ASSERT_NO_FATAL_FAILURE(live_and_leave(86));
}

TEST(elastic_growth, no_insertion_moves_more_than_a_few_pages) {
    auto filter = make_elastic(small_spec(1 << 12));
    std::uint64_t moved_before = 0;
    std::uint64_t most = 0;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        const bool was_resizing = filter.spec().next_bits != 0;
        ASSERT_TRUE(succeeded(filter.insert(key_family(8)[i])));
        if (was_resizing && filter.spec().next_bits != 0) most = std::max(most, filter.spec().moved - moved_before);
        moved_before = filter.spec().moved;
        ASSERT_LE(filter.set_bit_rate(), 0.2);
    }
    EXPECT_GE(filter.expansions(), 9u);
    EXPECT_EQ(most, 1u);
}

TEST(elastic_growth, it_shrinks_by_itself_when_most_have_left_and_never_below_its_first_size) {
    auto filter = make_elastic(small_spec(1 << 10));
    for (std::uint64_t i = 0; i < 20'000; ++i) filter.insert(key_family(9)[i]);
    const std::uint64_t grown = filter.spec().target_bits();
    EXPECT_EQ(grown, 1u << 19);
    for (std::uint64_t i = 50; i < 20'000; ++i) {
        ASSERT_TRUE(succeeded(filter.erase(key_family(9)[i])));
        if (i % 1000 != 0) continue;
        for (std::uint64_t j = 0; j < 50; ++j) ASSERT_TRUE(filter.may_contain(key_family(9)[j]));
    }
    EXPECT_LE(filter.spec().target_bits(), 1u << 13);
    for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(succeeded(filter.erase(key_family(9)[i])));
    EXPECT_GE(filter.spec().target_bits(), 1u << 10);
    EXPECT_EQ(filter.parts().weighted_ones(), 0u);
}

TEST(elastic_growth, it_does_not_shrink_where_buckets_would_overflow) {
    elastic_spec spec = small_spec(64);
    spec.hashes = 1;
    spec.bucket_slots = 1;
    spec.branches = 1;
    spec.threshold = 500'000;
    auto filter = make_elastic(spec);
    must(filter.grow());
    must(filter.grow()); // 256 bits
    // Three that 256 buckets part and 128 do not hold together: one slot, and one that is not shared.
    for (const std::uint64_t hash : {0, 128, 256}) ASSERT_TRUE(succeeded(filter.insert(key_of(hash))));
    for (std::uint64_t i = 1; i < 20; ++i) filter.insert(key_of(i));
    for (std::uint64_t i = 1; i < 20; ++i) ASSERT_EQ(filter.erase(key_of(i)), erase_outcome::removed);
    EXPECT_EQ(filter.spec().target_bits(), 256u);
    const auto before = snapshot_of(filter);
    const auto refused = filter.shrink();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    EXPECT_EQ(snapshot_of(filter), before);
}

TEST(elastic_growth, shrinking_is_refused_where_too_many_bits_would_be_set) {
    auto filter = make_elastic(small_spec(1 << 12));
    for (std::uint64_t i = 0; i < 160; ++i) filter.insert(key_family(10)[i]);
    EXPECT_FALSE(filter.shrink().has_value());
    for (std::uint64_t i = 20; i < 160; ++i) filter.erase(key_family(10)[i]);
    must(filter.shrink());
    for (std::uint64_t i = 0; i < 20; ++i) EXPECT_TRUE(filter.confirm(key_family(10)[i]));
}

TEST(elastic_growth, reshaping_changes_everything_but_the_hashes) {
    auto filter = make_elastic(small_spec(1 << 12));
    for (std::uint64_t i = 0; i < 150; ++i) filter.insert(key_family(11)[i]);
    elastic_spec wanted = small_spec(1 << 17);
    wanted.threshold = 50'000;
    wanted.bucket_slots = 4;
    wanted.branches = 2;
    wanted.most_bits = 1 << 20;
    must(filter.resize(wanted.started()));
    EXPECT_EQ(filter.spec().bits, 1u << 17);
    EXPECT_EQ(filter.spec().threshold, 50'000u);
    EXPECT_EQ(filter.spec().items, 150u);
    for (std::uint64_t i = 0; i < 150; ++i) EXPECT_TRUE(filter.confirm(key_family(11)[i]));
    (void)reloaded(filter);
    wanted.hashes = 4;
    EXPECT_EQ(filter.resize(wanted.started()).error().reason, failure_reason::mismatch);
}

} // namespace
} // namespace everbloom
