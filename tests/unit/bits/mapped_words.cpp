// Words in a scratch file that has no name, and read-only words that keep their owner alive.
#include "support/must.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/mapped_words.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace everbloom {
namespace {

using support::must;
using support::temporary_directory;

TEST(mapped_words, are_zeroed_writable_and_line_aligned) {
    const temporary_directory here;
    mapped_words store = must(mapped_words::make(here.path().string(), 1000));
    ASSERT_EQ(store.words(), 1000 * line_words);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store.data()) % line_bytes, 0u);
    EXPECT_TRUE(std::all_of(store.data(), store.data() + store.words(), [](auto word) { return word == 0; }));
    store.data()[store.words() - 1] = 7;
    EXPECT_EQ(std::as_const(store).data()[store.words() - 1], 7u);
}

TEST(mapped_words, the_scratch_file_has_no_name_while_it_is_used) {
    const temporary_directory here;
    const mapped_words store = must(mapped_words::make(here.path().string(), 10));
    EXPECT_EQ(here.listing(), "");
}

TEST(mapped_words, no_lines_need_no_room) {
    const temporary_directory here;
    EXPECT_EQ(must(mapped_words::make(here.path().string(), 0)).words(), 0u);
}

TEST(mapped_words, a_missing_directory_is_named) {
    const temporary_directory here;
    const auto refused = mapped_words::make(here / "nowhere", 1);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::input_output);
    EXPECT_NE(refused.error().sentence.find("nowhere"), std::string::npos) << refused.error().sentence;
}

TEST(mapped_words, sizes_beyond_any_file_are_refused_and_leave_nothing) {
    const temporary_directory here;
    for (const std::uint64_t lines : {std::uint64_t{1} << 60, std::uint64_t{1} << 48}) {
        const auto refused = mapped_words::make(here.path().string(), lines);
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().reason, failure_reason::out_of_memory);
    }
    EXPECT_EQ(here.listing(), "");
}

TEST(mapped_words, moving_takes_the_mapping_along) {
    const temporary_directory here;
    mapped_words from = must(mapped_words::make(here.path().string(), 2));
    from.data()[3] = 5;
    mapped_words to(std::move(from));
    EXPECT_EQ(from.words(), 0u); // NOLINT(bugprone-use-after-move): that is what is tested
    EXPECT_EQ(to.data()[3], 5u);
    from = std::move(to);
    EXPECT_EQ(from.data()[3], 5u);
}

TEST(const_words, keep_their_owner_alive) {
    auto owner = std::make_shared<heap_words>(must(heap_words::make(1)));
    owner->data()[0] = 42;
    const std::weak_ptr<heap_words> watch = owner;
    {
        const_words view(owner->data(), owner->words(), owner);
        owner.reset();
        ASSERT_FALSE(watch.expired());
        EXPECT_EQ(view.data()[0], 42u);
        const const_words copy = view;
        const const_words moved(std::move(view));
        EXPECT_EQ(copy.data(), moved.data());
        EXPECT_EQ(view.words(), 0u); // NOLINT(bugprone-use-after-move): that is what is tested
        EXPECT_FALSE(watch.expired());
    }
    EXPECT_TRUE(watch.expired());
}

TEST(const_words, assigning_lets_the_old_owner_go) {
    auto owner = std::make_shared<heap_words>(must(heap_words::make(1)));
    const std::weak_ptr<heap_words> watch = owner;
    const std::uint64_t* const words = owner->data();
    const_words view(words, line_words, std::move(owner));
    view = const_words();
    EXPECT_TRUE(watch.expired());
    EXPECT_EQ(view.words(), 0u);
}

TEST(const_words, survive_being_moved_onto_themselves) {
    const auto owner = std::make_shared<heap_words>(must(heap_words::make(1)));
    const_words view(owner->data(), owner->words(), owner);
    const_words& same = view;
    view = std::move(same);
    EXPECT_EQ(view.data(), owner->data());
    EXPECT_EQ(view.words(), line_words);
}

} // namespace
} // namespace everbloom
