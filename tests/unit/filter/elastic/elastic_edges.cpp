// Keys at the edges: their hashes lie where a page, a bucket or a block ends, a few stored hashes before or behind it.
//
// Where fewer than 64 bits of a hash are stored, most edges lie between two stored hashes, and what is not stored of a key's hash
// decides on which side the whole hash would be. It must not matter: the stored hash says where a key is. Random keys come so near to
// an edge once in a million.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/reloaded.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/elastic/elastic.hpp>
#include <everbloom/filter/elastic/elastic_blocked.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/runtime/shared_elastic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;
using support::reloaded_as;

/// One by one and in a batch.
template <class Filter>
void expect_everybody(const Filter& filter, const std::vector<digest>& members) {
    std::vector<std::uint8_t> answers(members.size());
    filter.may_contain(members, answers);
    for (std::size_t i = 0; i < members.size(); ++i) {
        ASSERT_TRUE(filter.may_contain(members[i]));
        ASSERT_TRUE(answers[i]);
        ASSERT_TRUE(filter.confirm(members[i]));
    }
}

class elastic_at_the_edges {
public:
    explicit elastic_at_the_edges(dice& random) {
        elastic_spec spec;
        spec.initial_bits = 1 << 8;
        spec.hashes = 1 + random.below(3);
        spec.word_bits = 10 + random.below(54);
        spec.bucket_slots = 32; // many keys share the few edges
        filter_ = must(make<elastic_filter>(spec.started()));
    }

    [[nodiscard]] elastic_filter& filter() noexcept { return filter_; }
    [[nodiscard]] elastic_spec spec() const noexcept { return filter_.spec(); }
    [[nodiscard]] static std::uint64_t parts(const elastic_spec& spec) noexcept { return spec.bits; }
    void reload() { filter_ = reloaded_as<elastic_filter>(filter_); }
    void expect_empty() const {
        EXPECT_EQ(filter_.parts().weighted_ones(), 0u);
        EXPECT_EQ(filter_.parts().slots(), 0u);
    }

private:
    elastic_filter filter_ = must(make<elastic_filter>(elastic_spec{.initial_bits = 2}.started()));
};

elastic_blocked_spec short_hashes(dice& random) {
    elastic_blocked_spec spec;
    spec.initial_bits = line_bits;
    spec.word_bits = 30 + random.below(31);
    return spec.started();
}

class elastic_blocked_at_the_edges {
public:
    explicit elastic_blocked_at_the_edges(dice& random)
        : filter_(must(make<elastic_blocked_filter>(short_hashes(random)))) {}

    [[nodiscard]] elastic_blocked_filter& filter() noexcept { return filter_; }
    [[nodiscard]] elastic_blocked_spec spec() const noexcept { return filter_.spec(); }
    [[nodiscard]] static std::uint64_t parts(const elastic_blocked_spec& spec) noexcept { return spec.blocks(); }
    void reload() { filter_ = reloaded_as<elastic_blocked_filter>(filter_); }
    void expect_empty() const { EXPECT_EQ(filter_.keys(), 0u); }

private:
    elastic_blocked_filter filter_;
};

class shared_elastic_at_the_edges {
public:
    explicit shared_elastic_at_the_edges(dice& random)
        : filter_(must(shared_elastic_filter::make(short_hashes(random), 1))) {}

    [[nodiscard]] shared_elastic_filter& filter() noexcept { return filter_; }
    [[nodiscard]] elastic_blocked_spec spec() const {
        return filter_.with_shard(0, [](const auto& shard) { return shard.spec(); });
    }
    [[nodiscard]] static std::uint64_t parts(const elastic_blocked_spec& spec) noexcept { return spec.blocks(); }
    void reload() const {
        filter_.with_shard(0, [](const auto& shard) { (void)reloaded_as<elastic_blocked_filter>(shard); });
    }
    void expect_empty() const { EXPECT_EQ(filter_.keys(), 0u); }

private:
    shared_elastic_filter filter_;
};

/// A key whose first hash lies next to an edge of the filter as it is now.
template <class Spec>
digest key_at_an_edge(const Spec& spec, std::uint64_t parts, dice& random) {
    const std::uint64_t count = random.one_in(2) ? parts : spec.progress().pages;
    const std::uint64_t edge = hash_geometry::start_of(random.below(count), count);
    const std::uint64_t unit = std::uint64_t{1} << (64 - spec.word_bits);
    const std::uint64_t stored = (edge & stored_mask(spec.word_bits)) + (random.below(3) - 1) * unit;
    return {stored + random.below(unit), random.word()};
}

template <class Subject>
class at_the_edges : public ::testing::Test {};
using subjects_at_the_edges =
    ::testing::Types<elastic_at_the_edges, elastic_blocked_at_the_edges, shared_elastic_at_the_edges>;
TYPED_TEST_SUITE(at_the_edges, subjects_at_the_edges);

TYPED_TEST(at_the_edges, keys_come_and_go_and_nobody_is_missed_between_two_steps_of_a_resize) {
    const std::uint64_t seeds = support::rounds(20);
    std::uint64_t steps_of_resizes = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        dice random(seed);
        TypeParam subject(random);
        std::vector<digest> inside;
        auto before = subject.spec();
        for (std::uint64_t step = 0; step < 1'600; ++step) {
            // First most come, then most leave.
            if (inside.empty() || (step < 1'200 ? !random.one_in(8) : random.one_in(4))) {
                const digest key = random.one_in(3) ? key_at_an_edge(before, TypeParam::parts(before), random)
                                                    : digest{random.word(), random.word()};
                if (succeeded(subject.filter().insert(key))) inside.push_back(key);
            } else {
                std::swap(inside[random.below(inside.size())], inside.back());
                ASSERT_TRUE(succeeded(subject.filter().erase(inside.back())));
                inside.pop_back();
            }
            const auto after = subject.spec();
            steps_of_resizes += after.moved != before.moved ? 1 : 0;
            if (after.moved != before.moved || step % 50 == 0) {
                ASSERT_NO_FATAL_FAILURE(expect_everybody(subject.filter(), inside)) << "step " << step;
                subject.reload();
            }
            before = after;
        }
        for (const digest& key : inside) ASSERT_TRUE(succeeded(subject.filter().erase(key)));
        subject.expect_empty();
        subject.reload();
    }
    EXPECT_GT(steps_of_resizes, 3 * seeds);
}

// So large a filter that a slot holds fewer bits than the end of a bucket has.
TEST(elastic_at_the_edges_of_buckets, a_bit_goes_with_its_last_hash_whatever_the_next_bucket_begins_with) {
    elastic_spec spec;
    spec.initial_bits = 1 << 24;
    spec.hashes = 1;
    spec.word_bits = 28;
    auto filter = must(make<elastic_filter>(spec.started()));
    dice random(1);
    constexpr std::uint64_t buckets = 100;
    for (std::uint64_t i = 0; i < buckets; ++i) {
        const std::uint64_t start = (1 + random.below(spec.initial_bits - 1)) << 40;
        const digest last_before{start - 1, 0};
        ASSERT_TRUE(succeeded(filter.insert(digest{start, 0})));
        ASSERT_TRUE(succeeded(filter.insert(last_before)));
        ASSERT_EQ(filter.can_erase(last_before), erase_outcome::removed);
        ASSERT_EQ(filter.erase(last_before), erase_outcome::removed);
        ASSERT_FALSE(filter.may_contain(last_before));
        ASSERT_TRUE(filter.may_contain(digest{start, 0}));
    }
    EXPECT_EQ(filter.parts().weighted_ones(), buckets);
    (void)reloaded_as<elastic_filter>(filter);
}

} // namespace
} // namespace everbloom
