// A quotient filter against an exact account of what it must answer.
//
// Fingerprints are so short here that most keys share theirs with others. Then "maybe" must be the answer exactly if a live key has the
// same class (a fingerprint and its other), and the number of copies must be that of the live keys of the class: no more and no less,
// after any insertions, removals, growth, shrinking, merging and reloading. One lost or invented bit shows.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"
#include "support/store_like.hpp"

#include <everbloom/filter/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <unordered_map>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;
using support::rounds;
using support::snapshot_of;

/// Keys of which many collide: any row and path, but few buckets and tags.
class colliding_keys {
public:
    colliding_keys(const quotient_spec& spec, std::uint64_t buckets, std::uint64_t tags)
        : all_buckets_(spec.buckets), buckets_(buckets), tags_(tags) {}

    [[nodiscard]] digest any(dice& random) const {
        constexpr std::uint64_t all_tags = 1 << quotient_spec::tag_bits;
        const std::uint64_t bucket = all_buckets_ - 1 - random.below(buckets_);
        const std::uint64_t chosen = bucket * all_tags + random.below(tags_);
        const std::uint64_t top = (chosen << 32) / (all_buckets_ * all_tags) + 1; // decides both
        return {random.word(), top << 32 | (random.word() & low_mask(32))};
    }

private:
    std::uint64_t all_buckets_;
    std::uint64_t buckets_;
    std::uint64_t tags_;
};

/// Sections around which a filter is put together again, which checks every word.
quotient_filter reloaded_quotient(const quotient_filter& filter) {
    must(filter.spec().check());
    std::array<chunked_words, 2> stores;
    const auto lines = quotient_filter::section_lines(filter.spec());
    for (std::size_t i = 0; i < stores.size(); ++i) {
        EXPECT_EQ(filter.sections()[i].size(), lines[i] * line_words);
        stores[i] = support::store_like<chunked_words>(filter.sections()[i]);
    }
    return must(quotient_filter::assemble(filter.spec(), std::move(stores)));
}
basic_quotient_filter<const_words> view_of(const quotient_filter& filter) {
    std::array<const_words, 2> stores;
    for (std::size_t i = 0; i < stores.size(); ++i) {
        stores[i] = const_words(filter.sections()[i], nullptr);
    }
    return must(basic_quotient_filter<const_words>::assemble(filter.spec(), stores));
}

/// A filter, and the live keys of every class.
class audited_filter {
public:
    audited_filter(const quotient_spec& spec, const colliding_keys& keys, std::uint64_t seed)
        : filter(must(make<quotient_filter>(spec.started()))), keys_(keys), random_(seed) {}

    quotient_filter filter;

    void insert(const digest& key) {
        if (!succeeded(filter.insert(key))) {
            ++refusals;
            return;
        }
        note(key);
    }
    void insert_any() {
        const digest key = keys_.any(random_);
        insert(key);
        expect_exact(key);
    }
    void insert_many_copies(std::uint64_t copies) {
        const digest key = keys_.any(random_);
        for (std::uint64_t i = 0; i < copies; ++i) insert(key);
        expect_exact(key);
    }
    void insert_batch(std::size_t size) {
        std::vector<digest> batch;
        for (std::size_t i = 0; i < size; ++i) batch.push_back(keys_.any(random_));
        std::vector<insert_outcome> outcomes(size);
        filter.insert(batch, outcomes);
        for (std::size_t i = 0; i < size; ++i) {
            if (succeeded(outcomes[i])) note(batch[i]);
        }
        expect_exact(batch);
    }
    void erase_any() {
        if (live_.empty()) return;
        const digest key = take();
        ASSERT_EQ(filter.can_erase(key), erase_outcome::removed);
        ASSERT_EQ(filter.erase(key), erase_outcome::removed);
        expect_exact(key);
    }
    void erase_batch(std::size_t size) {
        std::vector<digest> batch;
        for (std::size_t i = 0; i < size && !live_.empty(); ++i) batch.push_back(take());
        std::vector<erase_outcome> outcomes(batch.size());
        filter.erase(batch, outcomes);
        for (const erase_outcome outcome : outcomes) ASSERT_EQ(outcome, erase_outcome::removed);
        expect_exact(batch);
    }
    /// Only members may be removed: a key of whose class no member is left is refused.
    void try_to_erase_absent() {
        const digest key = keys_.any(random_);
        if (expected(key) != 0) return;
        ASSERT_EQ(filter.can_erase(key), erase_outcome::not_present);
        ASSERT_EQ(filter.erase(key), erase_outcome::not_present);
    }
    void grow() {
        if (filter.grow()) ++grown;
    }
    void shrink() {
        const auto before = snapshot_of(filter);
        if (filter.shrink()) {
            ++shrunk;
        } else {
            ASSERT_EQ(snapshot_of(filter), before);
        }
    }
    void merge(const audited_filter& other) {
        must(filter.merge(other.filter));
        const std::vector<digest> added = other.live_; // it may be this one
        for (const digest& key : added) note(key);
    }
    void clear() {
        filter.clear();
        live_.clear();
        classes_.clear();
    }
    void reload() { filter = reloaded_quotient(filter); }

    [[nodiscard]] std::uint64_t expected(const digest& key) const {
        const auto found = classes_.find(class_of(key));
        return found == classes_.end() ? 0 : found->second.copies;
    }
    template <class F>
    void expect_exact(const F& asked, const digest& key) const {
        const std::uint64_t copies = expected(key);
        ASSERT_EQ(asked.may_contain(key), copies != 0);
        ASSERT_EQ(asked.estimate_count(key), copies);
    }
    void expect_exact(const digest& key) const {
        expect_exact(filter, key);
        ASSERT_EQ(filter.keys(), live_.size());
    }
    void expect_exact(const std::vector<digest>& keys) const {
        std::vector<std::uint8_t> answers(keys.size());
        filter.may_contain(keys, answers);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            expect_exact(keys[i]);
            ASSERT_EQ(answers[i] != 0, expected(keys[i]) != 0);
        }
    }
    /// Keys at random, of which some are members and some are not.
    void expect_exact_at_random(std::size_t tries) {
        std::vector<digest> keys;
        for (std::size_t i = 0; i < tries; ++i) keys.push_back(keys_.any(random_));
        expect_exact(keys);
    }
    /// Every class that was ever in use, in the filter, in one put together from its words, and in a view of them.
    void expect_all_exact() const {
        const quotient_filter again = reloaded_quotient(filter);
        const auto view = view_of(filter);
        ASSERT_EQ(snapshot_of(again), snapshot_of(filter));
        ASSERT_EQ(again.keys(), live_.size());
        ASSERT_EQ(view.keys(), live_.size());
        ASSERT_EQ(view.items(), filter.items());
        std::uint64_t items = 0;
        for (std::uint64_t line = 0; line < filter.spec().lines(); ++line) items += filter.items_in(line);
        ASSERT_EQ(items, filter.items());
        for (const auto& [number, seen] : classes_) {
            ASSERT_EQ(filter.places().class_number(filter.places().fingerprint_of_number(number)), number);
            expect_exact(filter, seen.example);
            expect_exact(again, seen.example);
            expect_exact(view, seen.example);
        }
    }

    [[nodiscard]] std::uint64_t live() const { return live_.size(); }
    [[nodiscard]] dice& random() { return random_; }

    std::uint64_t refusals = 0;
    std::uint64_t grown = 0;
    std::uint64_t shrunk = 0;

private:
    struct key_class {
        std::uint64_t copies = 0;
        digest example = {};
    };
    [[nodiscard]] std::uint64_t class_of(const digest& key) const {
        return filter.places().class_number(filter.places().fingerprint(key));
    }
    void note(const digest& key) {
        live_.push_back(key);
        key_class& same = classes_[class_of(key)];
        ++same.copies;
        same.example = key;
    }
    digest take() {
        std::swap(live_[random_.below(live_.size())], live_.back());
        const digest key = live_.back();
        live_.pop_back();
        --classes_[class_of(key)].copies;
        return key;
    }

    colliding_keys keys_;
    dice random_;
    std::vector<digest> live_;
    std::unordered_map<std::uint64_t, key_class> classes_;
};

quotient_spec tiny_spec(std::uint64_t rows, std::uint64_t buckets, std::uint64_t remainder_bits) {
    quotient_spec spec;
    spec.rows = spec.initial_lines = rows;
    spec.buckets = buckets;
    spec.remainder_bits = remainder_bits;
    return spec.started();
}

/// More insertions than removals for a while, then fewer, again and again.
void live_through(audited_filter& audited, std::uint64_t operations) {
    dice& random = audited.random();
    std::uint64_t largest = 0;
    for (std::uint64_t i = 0; i < operations; ++i) {
        const bool fuller = i * 5 / operations % 2 == 0;
        const bool inserts = random.below(10) < (fuller ? 7U : 3U);
        const std::uint64_t what = random.below(2000);
        if (what == 0) {
            audited.grow();
        } else if (what == 1) {
            audited.shrink();
        } else if (what == 2) {
            audited.reload();
        } else if (what == 3) {
            audited.expect_all_exact();
        } else if (what < 20) {
            audited.try_to_erase_absent();
        } else if (what < 40) {
            inserts ? audited.insert_batch(random.below(100)) : audited.erase_batch(random.below(100));
        } else if (what < 60) {
            audited.insert_many_copies(random.below(20));
        } else if (inserts) {
            audited.insert_any();
        } else {
            audited.erase_any();
        }
        if (testing::Test::HasFatalFailure()) return;
        largest = std::max(largest, audited.filter.spec().lines());
        if (i % 32 == 0) audited.expect_exact_at_random(4);
    }
    audited.expect_all_exact();
    EXPECT_TRUE(operations < 4000 || largest > audited.filter.spec().initial_lines)
        << "it did not grow, so this tests little";
    while (audited.live() != 0 && !testing::Test::HasFatalFailure()) audited.erase_any();
    EXPECT_EQ(audited.filter.items(), 0u);
    EXPECT_EQ(audited.filter.spec().copy_slots, 0u);
}

TEST(quotient_oracle, a_lifetime_of_colliding_keys_is_answered_exactly) {
    std::uint64_t seed = 0;
    for (const std::uint64_t rows : {1, 2, 3, 5, 11}) {
        for (const std::uint64_t bits : {8, 9, 11, 14}) {
            const quotient_spec spec = tiny_spec(rows, seed % 3 == 0 ? 79 : 16, bits);
            audited_filter audited(spec, {spec, 3, 2}, ++seed);
            SCOPED_TRACE(testing::Message() << rows << " rows, " << bits << " bits, " << spec.buckets << " buckets");
            ASSERT_NO_FATAL_FAILURE(live_through(audited, rounds(4500)));
        }
    }
}

TEST(quotient_oracle, a_lifetime_of_keys_in_all_buckets_is_answered_exactly) {
    for (const std::uint64_t rows : {1, 4, 7}) {
        const quotient_spec spec = tiny_spec(rows, 16, 8);
        audited_filter audited(spec, {spec, 16, 4}, rows);
        SCOPED_TRACE(testing::Message() << rows << " rows");
        ASSERT_NO_FATAL_FAILURE(live_through(audited, rounds(12'000)));
    }
}

TEST(quotient_oracle, merged_filters_hold_the_keys_of_both_at_any_two_sizes) {
    for (std::uint64_t round = 0; round < rounds(10); ++round) {
        dice random(round);
        const quotient_spec spec = tiny_spec(1 + random.below(5), 16, 8 + random.below(4));
        quotient_spec larger = spec;
        larger.initial_lines = spec.rows * 3;
        audited_filter one(spec, {spec, 16, 4}, 2 * round);
        audited_filter two(larger.started(), {spec, 16, 4}, 2 * round + 1);
        one.insert_batch(random.below(700));
        two.insert_batch(random.below(700));
        one.insert_many_copies(random.below(50));
        two.insert_many_copies(random.below(50));
        if (random.one_in(2)) two.grow();
        one.merge(two);
        one.expect_all_exact();
        one.merge(one);
        one.expect_all_exact();
        two.expect_all_exact();
        while (one.live() != 0 && !HasFatalFailure()) one.erase_batch(50);
        one.expect_all_exact();
    }
}

TEST(quotient_oracle, filters_with_other_fingerprints_are_not_merged) {
    for (const quotient_spec& other : {tiny_spec(2, 16, 9), tiny_spec(3, 17, 9), tiny_spec(3, 16, 10)}) {
        const quotient_spec spec = tiny_spec(3, 16, 9);
        audited_filter one(spec, {spec, 4, 3}, 1);
        audited_filter two(other, {other, 4, 3}, 2);
        one.insert_batch(300);
        two.insert_batch(300);
        const auto before = snapshot_of(one.filter);
        EXPECT_FALSE(one.filter.merge(two.filter));
        EXPECT_EQ(snapshot_of(one.filter), before);
    }
}

TEST(quotient_oracle, a_merge_that_finds_no_room_changes_nothing) {
    quotient_spec spec = tiny_spec(4, 16, 10);
    spec.most_lines = 5;
    audited_filter one(spec, {spec, 16, 4}, 1);
    audited_filter two(spec, {spec, 16, 4}, 2);
    one.insert_batch(150);
    two.insert_batch(150);
    const auto before = snapshot_of(one.filter);
    EXPECT_FALSE(one.filter.merge(two.filter));
    EXPECT_EQ(snapshot_of(one.filter), before);
    one.expect_all_exact();
}

TEST(quotient_oracle, thousands_of_copies_of_some_keys_are_counted) {
    const quotient_spec spec = tiny_spec(2, 16, 9);
    audited_filter audited(spec, {spec, 2, 2}, 7);
    for (std::uint64_t round = 0; round < 12; ++round) {
        audited.insert_many_copies(audited.random().below(rounds(2000)));
        audited.insert_batch(20);
        audited.expect_all_exact();
        if (round == 5) audited.grow();
        if (round == 8) audited.reload();
    }
    EXPECT_GT(audited.filter.keys(), 2 * audited.filter.items());
    while (audited.live() != 0 && !HasFatalFailure()) audited.erase_batch(100);
    EXPECT_EQ(audited.filter.spec().copy_slots, 0u);
    audited.insert_batch(100);
    audited.clear();
    audited.expect_all_exact();
    EXPECT_EQ(snapshot_of(audited.filter), snapshot_of(must(make<quotient_filter>(spec))));
}

TEST(quotient_oracle, batches_do_to_the_bit_what_single_operations_do) {
    dice random(8);
    for (std::uint64_t round = 0; round < rounds(20); ++round) {
        const quotient_spec spec = tiny_spec(1 + random.below(6), 79, 8 + random.below(6));
        const colliding_keys keys(spec, 79, 4);
        auto batched = must(make<quotient_filter>(spec));
        auto single = must(make<quotient_filter>(spec));
        std::vector<digest> members;
        for (int step = 0; step < 12; ++step) {
            std::vector<digest> batch;
            const std::size_t size = random.below(150);
            if (step < 7) {
                for (std::size_t i = 0; i < size; ++i) batch.push_back(keys.any(random));
                members.insert(members.end(), batch.begin(), batch.end());
                std::vector<insert_outcome> outcomes(size);
                batched.insert(batch, outcomes);
                for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(outcomes[i], single.insert(batch[i]));
            } else {
                while (batch.size() < size && !members.empty()) {
                    batch.push_back(members.back());
                    members.pop_back();
                }
                std::vector<erase_outcome> outcomes(batch.size());
                batched.erase(batch, outcomes);
                for (std::size_t i = 0; i < batch.size(); ++i) ASSERT_EQ(outcomes[i], single.erase(batch[i]));
            }
            ASSERT_EQ(snapshot_of(batched), snapshot_of(single));
        }
    }
}

} // namespace
} // namespace everbloom
