// Read-only words that keep their owner alive.
#include "support/must.hpp"

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace everbloom {
namespace {

using support::must;

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
