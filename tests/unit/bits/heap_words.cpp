// Memory for filters: zeroed, aligned to lines, and refused with a sentence where the machine cannot give it.
#include "support/must.hpp"

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/low_mask.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace everbloom {
namespace {

using support::must;

constexpr std::uint64_t huge_page_lines = (std::uint64_t{2} << 20) / line_bytes;

bool all_zero(const heap_words& store) {
    return std::all_of(store.data(), store.data() + store.words(), [](std::uint64_t word) { return word == 0; });
}

TEST(low_mask, sets_exactly_the_lowest_bits) {
    EXPECT_EQ(low_mask(0), 0u);
    EXPECT_EQ(low_mask(1), 1u);
    EXPECT_EQ(low_mask(32), 0xffffffffu);
    EXPECT_EQ(low_mask(63), 0x7fffffffffffffffu);
    EXPECT_EQ(low_mask(64), ~std::uint64_t{0});
}

TEST(heap_words, are_zeroed_and_line_aligned_at_every_size) {
    // Around a huge page the memory comes from another place.
    for (const std::uint64_t lines : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000}, huge_page_lines - 1,
                                      huge_page_lines, huge_page_lines + 1, 3 * huge_page_lines}) {
        const heap_words store = must(heap_words::make(lines));
        EXPECT_EQ(store.words(), lines * line_words);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store.data()) % line_bytes, 0u) << lines;
        EXPECT_TRUE(all_zero(store)) << lines;
    }
}

TEST(heap_words, large_stores_begin_on_a_huge_page) {
    if (!heap_words::has_huge_pages()) GTEST_SKIP();
    const heap_words store = must(heap_words::make(huge_page_lines));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store.data()) % (std::uint64_t{2} << 20), 0u);
}

TEST(heap_words, can_be_written_to_the_last_word) {
    heap_words store = must(heap_words::make(huge_page_lines + 1));
    store.data()[0] = 1;
    store.data()[store.words() - 1] = 2;
    EXPECT_EQ(store.data()[0] + store.data()[store.words() - 1], 3u);
}

TEST(heap_words, no_lines_are_no_memory) {
    const heap_words store = must(heap_words::make(0));
    EXPECT_EQ(store.words(), 0u);
    EXPECT_EQ(store.data(), nullptr);
}

TEST(heap_words, more_than_the_machine_has_is_refused_with_a_sentence) {
    const std::uint64_t machine_lines = heap_words::physical_memory_bytes() / line_bytes;
    for (const std::uint64_t lines : {machine_lines + 1, std::uint64_t{1} << 50, std::uint64_t{1} << 58,
                                      std::numeric_limits<std::uint64_t>::max()}) {
        const auto refused = heap_words::make(lines);
        ASSERT_FALSE(refused.has_value()) << lines;
        EXPECT_EQ(refused.error().reason, failure_reason::out_of_memory);
        EXPECT_NE(refused.error().sentence.find("ask for fewer bits"), std::string::npos) << refused.error().sentence;
    }
}

TEST(heap_words, a_copy_is_equal_and_independent) {
    for (const std::uint64_t lines : {std::uint64_t{0}, std::uint64_t{3}, huge_page_lines + 5}) {
        heap_words original = must(heap_words::make(lines));
        for (std::uint64_t i = 0; i < original.words(); ++i) original.data()[i] = i * i + 1;
        const heap_words copy = must(original.copy());
        ASSERT_EQ(copy.words(), original.words());
        EXPECT_TRUE(std::equal(copy.data(), copy.data() + copy.words(), original.data()));
        if (lines == 0) continue;
        original.data()[0] = 99;
        EXPECT_EQ(copy.data()[0], 1u);
    }
}

TEST(heap_words, moving_takes_the_memory_and_leaves_an_empty_store_behind) {
    for (const std::uint64_t lines : {std::uint64_t{2}, huge_page_lines}) {
        heap_words from = must(heap_words::make(lines));
        const std::uint64_t* const memory = from.data();
        heap_words to(std::move(from));
        EXPECT_EQ(to.data(), memory);
        EXPECT_EQ(from.words(), 0u); // NOLINT(bugprone-use-after-move): that is what is tested
        EXPECT_EQ(from.data(), nullptr);
        from = must(heap_words::make(1)); // what was moved from can be used again
        EXPECT_EQ(from.words(), line_words);
        to = std::move(from);
        EXPECT_EQ(to.words(), line_words);
    }
}

TEST(heap_words, what_was_given_back_by_shrinking_is_zero_when_it_comes_again) {
    for (const std::uint64_t lines : {std::uint64_t{3000}, huge_page_lines + 5, 3 * huge_page_lines}) {
        heap_words store =
            must(lines < huge_page_lines || !heap_words::has_huge_pages() ? heap_words::make(lines)
                                                                          : heap_words::make_mapped(lines));
        for (const std::uint64_t kept : {lines - 1, lines - 1025, lines / 2, std::uint64_t{1}}) {
            for (std::uint64_t i = 0; i < store.words(); ++i) store.data()[i] = i + 1;
            store.shrink(kept);
            ASSERT_EQ(store.words(), kept * line_words);
            ASSERT_TRUE(store.extend(lines).has_value());
            ASSERT_EQ(store.words(), lines * line_words);
            for (std::uint64_t i = 0; i < store.words(); ++i) {
                ASSERT_EQ(store.data()[i], i < kept * line_words ? i + 1 : 0) << lines << " lines, kept " << kept;
            }
        }
    }
}

TEST(heap_words, memory_that_is_asked_for_ahead_keeps_what_is_in_it) {
    if (!heap_words::has_huge_pages()) GTEST_SKIP();
    heap_words store = must(heap_words::make_mapped(2 * huge_page_lines));
    store.data()[5] = 7;
    store.provide(0, 8);
    store.provide(3, store.words());
    store.provide(store.words() - 1, store.words());
    store.provide(9, 9);
    EXPECT_EQ(store.data()[5], 7u);
    store.data()[5] = 0;
    EXPECT_TRUE(all_zero(store));
    heap_words().provide(0, 0);
    must(heap_words::make(3)).provide(0, 3 * line_words);
}

/// Mapped words with room before them, numbered.
heap_words numbered_with_room(std::uint64_t lines, std::uint64_t room) {
    heap_words store = must(heap_words::make_mapped(lines, room));
    for (std::uint64_t i = 0; i < store.words(); ++i) store.data()[i] = i + 1;
    return store;
}

TEST(heap_words, larger_ones_take_over_the_memory_and_the_smaller_ones_can_still_be_read) {
    if (!heap_words::has_huge_pages()) GTEST_SKIP();
    for (const std::uint64_t lines : {std::uint64_t{1500}, huge_page_lines, 3 * huge_page_lines + 7}) {
        heap_words now = numbered_with_room(lines, 20 * lines);
        ASSERT_TRUE(all_zero(must(heap_words::make_mapped(lines, 20 * lines))));
        for (std::uint64_t round = 0; round < 5; ++round) {
            // As a filter does it: more words, which end before those that there are.
            const std::uint64_t spent = 3 * line_words;
            const std::uint64_t before = now.words() / line_words / 3 * line_words;
            const std::uint64_t words = now.words() + before - spent;
            const std::uint64_t held = now.held_words();
            const std::uint64_t* const at = now.data();
            ASSERT_TRUE(now.open_before(before));
            ASSERT_TRUE(now.open_before(before)) << "again: nothing has changed";
            heap_words next = now.take_over(before, words);
            ASSERT_EQ(next.words(), words);
            ASSERT_EQ(now.data(), at);
            ASSERT_EQ(now.held_words(), held);
            ASSERT_EQ(next.data() + before, now.data());
            ASSERT_EQ(next.held_words(), held + before);
            next.provide(0, before, words);
            for (std::uint64_t i = 0; i < before; ++i) ASSERT_EQ(next.data()[i], 0u) << i;
            for (std::uint64_t i = 0; i < now.words(); ++i) ASSERT_EQ(now.data()[i], i + 1);
            now.forget_before(now.words()); // is a view, and has nothing to give back
            ASSERT_EQ(now.data()[7], 8u);
            now = heap_words{};
            for (std::uint64_t i = 0; i < words; ++i) next.data()[i] = i + 1;
            now = std::move(next);
        }
        // What has grown so is given back like any other words, though it begins within a page.
        const std::uint64_t held = now.held_words();
        now.forget_before(now.words() / 2);
        EXPECT_LT(now.held_words(), held);
        EXPECT_GE(now.held_words(), now.words() / 2);
        EXPECT_EQ(now.data()[now.words() / 2], now.words() / 2 + 1);
    }
}

TEST(heap_words, there_is_no_more_room_than_was_asked_for) {
    if (!heap_words::has_huge_pages()) GTEST_SKIP();
    heap_words none = must(heap_words::make_mapped(1500));
    EXPECT_FALSE(none.open_before(line_words));
    EXPECT_TRUE(none.open_before(0));
    heap_words some = numbered_with_room(1500, 1500);
    EXPECT_FALSE(some.open_before(huge_page_lines * line_words + line_words)); // in whole huge pages
    EXPECT_FALSE(some.open_before(~std::uint64_t{0}));
    EXPECT_TRUE(some.open_before(1500 * line_words));
    EXPECT_EQ(some.data()[11], 12u);
    EXPECT_FALSE(heap_words().open_before(1));
    EXPECT_FALSE(must(heap_words::make(10)).open_before(1));
    // A room that no system has is no failure, only no room.
    heap_words asked = must(heap_words::make_mapped(1500, std::uint64_t{1} << 50));
    EXPECT_TRUE(all_zero(asked));
}

TEST(heap_words, words_that_took_over_memory_can_be_copied_extended_and_shrunk) {
    if (!heap_words::has_huge_pages()) GTEST_SKIP();
    heap_words now = numbered_with_room(1500, 3000);
    ASSERT_TRUE(now.open_before(500 * line_words));
    heap_words next = now.take_over(500 * line_words, 1990 * line_words);
    for (std::uint64_t i = 0; i < next.words(); ++i) next.data()[i] = i + 1;
    const heap_words copy = must(next.copy());
    ASSERT_TRUE(std::equal(copy.data(), copy.data() + copy.words(), next.data()));
    ASSERT_TRUE(next.extend(2500).has_value());
    for (std::uint64_t i = 0; i < next.words(); ++i) ASSERT_EQ(next.data()[i], i < copy.words() ? i + 1 : 0);
    heap_words third = numbered_with_room(1500, 3000);
    third.shrink(1000);
    ASSERT_EQ(third.words(), 1000 * line_words);
    for (std::uint64_t i = 0; i < third.words(); ++i) ASSERT_EQ(third.data()[i], i + 1);
    ASSERT_TRUE(third.extend(1500).has_value());
    for (std::uint64_t i = 0; i < third.words(); ++i) ASSERT_EQ(third.data()[i], i < 1000 * line_words ? i + 1 : 0);
}

} // namespace
} // namespace everbloom
