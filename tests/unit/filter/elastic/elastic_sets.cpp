// Elastic filters as sets: union and intersection across sizes; and files that were saved in the middle of a resize.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/elastic/elastic.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;

elastic_filter filled(std::uint64_t bits, std::uint64_t from, std::uint64_t to) {
    elastic_spec spec;
    spec.initial_bits = bits;
    auto made = must(make<elastic_filter>(spec.started()));
    for (std::uint64_t i = from; i < to; ++i) EXPECT_TRUE(succeeded(made.insert(key_family(1)[i])));
    return made;
}

/// With a resize under way: the first keys that begin one, and no more.
elastic_filter in_the_middle_of_a_resize() {
    elastic_filter made = filled(1 << 15, 0, 1200);
    for (std::uint64_t i = 1200; made.spec().next_bits == 0 || made.spec().moved < 5; ++i) {
        EXPECT_TRUE(succeeded(made.insert(key_family(1)[i])));
    }
    return made;
}

std::array<heap_words, 6> copy_of_sections(const elastic_filter& filter) {
    std::array<heap_words, 6> stores;
    const auto sections = filter.sections();
    for (std::size_t i = 0; i < stores.size(); ++i) {
        stores[i] = must(heap_words::make(sections[i].size() / line_words));
        std::copy(sections[i].begin(), sections[i].end(), stores[i].data());
    }
    return stores;
}

TEST(elastic_sets, the_union_of_different_sizes_has_the_larger_and_all_keys) {
    for (const bool small_first : {true, false}) {
        elastic_filter small = filled(1 << 10, 0, 30);
        elastic_filter large = filled(1 << 16, 20, 80);
        elastic_filter& into = small_first ? small : large;
        must(into.merge(small_first ? large : small));
        EXPECT_EQ(into.spec().bits, 1u << 16);
        EXPECT_EQ(into.spec().items, 90u);
        for (std::uint64_t i = 0; i < 80; ++i) {
            EXPECT_EQ(into.estimate_count(key_family(1)[i]), i >= 20 && i < 30 ? 2u : 1u) << i;
        }
        for (std::uint64_t i = 0; i < 80; ++i) EXPECT_TRUE(succeeded(into.erase(key_family(1)[i])));
        for (std::uint64_t i = 20; i < 30; ++i) EXPECT_EQ(into.erase(key_family(1)[i]), erase_outcome::removed);
        EXPECT_EQ(into.parts().weighted_ones(), 0u);
    }
}

TEST(elastic_sets, the_union_grows_as_far_as_the_keys_need) {
    elastic_filter left = filled(1 << 10, 0, 40);
    must(left.merge(filled(1 << 10, 40, 80)));
    EXPECT_EQ(left.spec().bits, 1u << 11);
    EXPECT_LE(left.set_bit_rate(), 0.2);
    EXPECT_EQ(snapshot_of(left), snapshot_of([] {
                  elastic_filter one_by_one = filled(1 << 10, 0, 80);
                  return one_by_one;
              }()));
}

TEST(elastic_sets, a_union_beyond_the_limit_is_refused_and_changes_nothing) {
    elastic_spec spec;
    spec.initial_bits = spec.most_bits = 1 << 10;
    auto left = must(make<elastic_filter>(spec.started()));
    for (std::uint64_t i = 0; i < 40; ++i) left.insert(key_family(1)[i]);
    const auto before = snapshot_of(left);
    const auto refused = left.merge(filled(1 << 10, 40, 80));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    EXPECT_EQ(snapshot_of(left), before);
}

TEST(elastic_sets, other_hashes_do_not_mix) {
    elastic_filter left = filled(1 << 10, 0, 10);
    elastic_spec other = left.spec();
    other.hashes = 4;
    EXPECT_EQ(left.merge(must(make<elastic_filter>(other.started()))).error().reason, failure_reason::mismatch);
    other = left.spec();
    other.word_bits = 32;
    EXPECT_EQ(left.intersect(must(make<elastic_filter>(other.started()))).error().reason, failure_reason::mismatch);
}

TEST(elastic_sets, the_intersection_has_the_common_keys_and_their_smaller_counts) {
    elastic_filter left = filled(1 << 10, 0, 60);
    for (std::uint64_t i = 0; i < 60; i += 2) left.insert(key_family(1)[i]);
    elastic_filter right = filled(1 << 13, 40, 100);
    right.insert(key_family(1)[50]);
    right.insert(key_family(1)[51]);
    must(left.intersect(right));
    EXPECT_EQ(left.spec().bits, 1u << 13);
    EXPECT_EQ(left.spec().items, 21u);
    for (std::uint64_t i = 0; i < 100; ++i) {
        const std::uint64_t expected = i < 40 || i >= 60 ? 0 : i == 50 ? 2 : 1;
        EXPECT_EQ(left.estimate_count(key_family(1)[i]), expected) << i;
    }
    for (std::uint64_t i = 40; i < 60; ++i) EXPECT_TRUE(succeeded(left.erase(key_family(1)[i])));
    EXPECT_EQ(left.erase(key_family(1)[50]), erase_outcome::removed);
    EXPECT_EQ(left.parts().weighted_ones(), 0u);
}

// One hash in common is enough for it to stay, without a key that could remove it.
TEST(elastic_sets, an_intersection_can_hold_hashes_of_keys_that_are_not_common) {
    elastic_spec spec;
    spec.initial_bits = 1 << 12;
    spec.word_bits = 12;
    spec.threshold = 500'000;
    auto left = must(make<elastic_filter>(spec.started()));
    auto right = must(make<elastic_filter>(spec.started()));
    for (std::uint64_t i = 0; i < 200; ++i) left.insert(key_family(2)[i]);
    for (std::uint64_t i = 0; i < 200; ++i) right.insert(key_family(3)[i]);
    must(left.intersect(right));
    EXPECT_GT(left.parts().copies(), 0u);
    EXPECT_GE(left.spec().items * spec.hashes, left.parts().copies());
    for (std::uint64_t i = 0; i < 200; ++i) EXPECT_EQ(left.erase(key_family(2)[i]), erase_outcome::not_present);
    // It is written and read like any other.
    EXPECT_TRUE(elastic_filter::assemble(left.spec(), copy_of_sections(left)).has_value());
}

TEST(elastic_sets, a_resize_goes_on_after_loading_as_if_nothing_had_happened) {
    elastic_filter filter = in_the_middle_of_a_resize();
    ASSERT_GT(filter.spec().next_bits, filter.spec().bits);
    auto loaded = must(elastic_filter::assemble(filter.spec(), copy_of_sections(filter)));
    for (std::uint64_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(filter.insert(key_family(4)[i]), loaded.insert(key_family(4)[i]));
        if (i % 3 == 0) {
            ASSERT_EQ(filter.erase(key_family(1)[i]), loaded.erase(key_family(1)[i]));
        }
    }
    EXPECT_EQ(snapshot_of(loaded), snapshot_of(filter));
    EXPECT_EQ(loaded.spec().next_bits, 0u);
}

TEST(elastic_sets, a_view_in_the_middle_of_a_resize_answers_alike) {
    const elastic_filter filter = in_the_middle_of_a_resize();
    std::array<const_words, 6> stores;
    const auto sections = filter.sections();
    for (std::size_t i = 0; i < stores.size(); ++i) stores[i] = {sections[i].data(), sections[i].size(), nullptr};
    const auto view = must(basic_elastic_filter<const_words>::assemble(filter.spec(), std::move(stores)));
    std::vector<digest> asked = key_family(1).first(3000);
    std::vector<std::uint8_t> answers(asked.size());
    view.may_contain(asked, answers);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        ASSERT_EQ(answers[i] != 0, filter.may_contain(asked[i]));
        ASSERT_EQ(view.may_contain(asked[i]), filter.may_contain(asked[i]));
        ASSERT_EQ(view.estimate_count(asked[i]), filter.estimate_count(asked[i]));
        ASSERT_EQ(view.can_erase(asked[i]), filter.can_erase(asked[i]));
    }
}

TEST(elastic_sets, a_union_in_the_middle_of_a_resize_loses_no_key) {
    elastic_filter left = in_the_middle_of_a_resize();
    const std::uint64_t items = left.spec().items;
    must(left.merge(in_the_middle_of_a_resize()));
    EXPECT_EQ(left.spec().items, 2 * items);
    for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(left.estimate_count(key_family(1)[i]), 2u);
}

TEST(elastic_sets, every_flipped_bit_of_a_resizing_filter_is_found) {
    const elastic_filter filter = in_the_middle_of_a_resize();
    const auto sections = filter.sections();
    std::uint64_t looked_at = 0;
    for (std::size_t section = 0; section < sections.size(); ++section) {
        for (std::size_t word = 0; word < sections[section].size(); word += 37) {
            const unsigned bit = static_cast<unsigned>(word * 7 % 64);
            auto stores = copy_of_sections(filter);
            stores[section].data()[word] ^= std::uint64_t{1} << bit;
            const auto loaded = elastic_filter::assemble(filter.spec(), std::move(stores));
            ++looked_at;
            if (!loaded) {
                EXPECT_EQ(loaded.error().reason, failure_reason::damaged);
                continue;
            }
            // Only what is a legal filter of other keys may pass: another fingerprint in the same place of the order.
            EXPECT_GE(section, 2u) << word;
        }
    }
    EXPECT_GT(looked_at, 100u);
}

TEST(elastic_sets, impossible_numbers_of_keys_are_refused) {
    const elastic_filter filter = filled(1 << 10, 0, 20);
    for (const std::uint64_t items : {0, 19, 101, 100'000}) {
        elastic_spec spec = filter.spec();
        spec.items = items;
        EXPECT_FALSE(elastic_filter::assemble(spec, copy_of_sections(filter)).has_value()) << items;
    }
}

} // namespace
} // namespace everbloom
