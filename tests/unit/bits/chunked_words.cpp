// Memory in units: what is in it stays where it is while it grows and shrinks, except for one unit; nothing of it gets lost when memory is
// refused.
#include "support/counted_memory.hpp"
#include "support/must.hpp"

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/bits/memory_hook.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

namespace everbloom {
namespace {

using support::counted_memory;
using support::must;

constexpr std::uint64_t unit = chunked_words::unit_lines;
constexpr std::uint64_t unit_bytes = unit * line_bytes;

std::uint64_t* line_at(chunked_words& store, std::uint64_t line) {
    return store.units()[line >> chunked_words::unit_bits] + (line & (unit - 1)) * line_words;
}
/// A number for every line, so that a line that is elsewhere shows.
void number_lines(chunked_words& store, std::uint64_t from) {
    for (std::uint64_t line = from; line < store.lines(); ++line) {
        std::fill_n(line_at(store, line), line_words, 0); // nobody has set them
        line_at(store, line)[line % line_words] = line + 1;
    }
}
void expect_numbered(chunked_words& store) {
    std::uint64_t wrong = 0;
    for (std::uint64_t line = 0; line < store.lines(); ++line) {
        for (std::uint64_t i = 0; i < line_words; ++i) {
            wrong += line_at(store, line)[i] == (i == line % line_words ? line + 1 : 0) ? 0 : 1;
        }
    }
    EXPECT_EQ(wrong, 0u);
}
/// Sizes around the borders of a unit and of a huge page.
const std::vector<std::uint64_t> sizes{1,        2,        100,          unit - 1,     unit,         unit + 1,
                                       3 * unit, 8 * unit, 8 * unit + 1, 9 * unit - 1, 17 * unit + 5};

TEST(chunked_words, grow_and_shrink_through_all_sizes_and_keep_what_is_in_them) {
    for (const bool hooked : {false, true}) {
        std::optional<counted_memory> memory;
        if (hooked) memory.emplace();
        chunked_words store;
        for (const std::uint64_t lines : sizes) {
            const std::uint64_t before = store.lines();
            must(store.extend(lines));
            ASSERT_EQ(store.lines(), lines);
            EXPECT_EQ(store.words(), lines * line_words);
            number_lines(store, before);
            expect_numbered(store);
        }
        for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
            store.shrink(*size);
            ASSERT_EQ(store.lines(), *size);
            expect_numbered(store);
        }
        must(store.extend(10 * unit));
        number_lines(store, sizes.front());
        expect_numbered(store);
        store.shrink(0);
        EXPECT_EQ(store.lines(), 0u);
        if (hooked) {
            EXPECT_EQ(memory->held_bytes(), 0u);
        }
    }
}

TEST(chunked_words, are_aligned_wherever_a_host_puts_them) {
    for (const std::size_t offset : {0, 16, 48}) {
        const counted_memory memory(offset);
        chunked_words store = must(chunked_words::make(2 * unit + 3));
        for (std::uint64_t line = 0; line < store.lines(); line += unit) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(line_at(store, line)) % line_bytes, 0u) << offset;
        }
        number_lines(store, 0);
        expect_numbered(store);
        // What is aligned already has not been asked for with a line more: a host with size classes would round it up.
        EXPECT_EQ(memory.held_bytes(), store.words() * sizeof(std::uint64_t) + (offset == 0 ? 0 : 3 * line_bytes));
    }
}

TEST(chunked_words, take_one_unit_at_a_time_from_a_host_and_give_it_back) {
    const counted_memory memory;
    chunked_words store;
    for (std::uint64_t lines = unit; lines <= 40 * unit; lines += unit) {
        must(store.extend(lines));
        EXPECT_EQ(memory.taken_bytes(), unit_bytes);
        EXPECT_EQ(memory.held_bytes(), lines * line_bytes);
    }
    EXPECT_EQ(memory.blocks(), 40u);
    for (std::uint64_t lines = 39 * unit; lines > 0; lines -= unit) {
        store.shrink(lines);
        EXPECT_EQ(memory.held_bytes(), lines * line_bytes);
        EXPECT_EQ(memory.taken_bytes(), 0u);
    }
}

TEST(chunked_words, a_unit_that_is_not_full_is_all_that_moves) {
    const counted_memory memory;
    chunked_words store = must(chunked_words::make(5 * unit + 100));
    number_lines(store, 0);
    std::vector<const std::uint64_t*> before(store.units(), store.units() + 5);
    (void)memory.taken_bytes();
    must(store.extend(5 * unit + 200));
    EXPECT_EQ(memory.taken_bytes(), 200 * line_bytes);
    store.shrink(5 * unit + 50);
    EXPECT_EQ(memory.taken_bytes(), 50 * line_bytes);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), store.units()));
    number_lines(store, 0);
    expect_numbered(store);
}

TEST(chunked_words, refused_memory_changes_nothing) {
    const counted_memory memory;
    chunked_words store = must(chunked_words::make(unit + 10));
    number_lines(store, 0);
    memory.refuse_all();
    EXPECT_FALSE(store.extend(unit + 11).has_value());
    EXPECT_FALSE(store.extend(7 * unit).has_value());
    EXPECT_FALSE(store.copy().has_value());
    store.shrink(unit + 5); // there is no memory for a smaller block: it keeps the larger one
    EXPECT_EQ(store.lines(), unit + 10);
    expect_numbered(store);
    memory.refuse_none();
    // The third unit is refused: what was there before it may stay, and can be used.
    memory.refuse(3);
    EXPECT_FALSE(store.extend(7 * unit).has_value());
    must(store.extend(7 * unit));
    EXPECT_EQ(store.lines(), 7 * unit);
    number_lines(store, unit + 10);
    expect_numbered(store);
}

TEST(chunked_words, more_than_the_machine_has_is_refused) {
    chunked_words store = must(chunked_words::make(3));
    number_lines(store, 0);
    const std::uint64_t too_many = heap_words::physical_memory_bytes() / line_bytes + 1;
    EXPECT_FALSE(chunked_words::make(too_many).has_value());
    EXPECT_FALSE(store.extend(too_many).has_value());
    EXPECT_FALSE(store.extend(~std::uint64_t{0}).has_value());
    EXPECT_EQ(store.lines(), 3u);
    expect_numbered(store);
}

TEST(chunked_words, a_copy_a_whole_and_a_moved_one_have_the_same_words) {
    for (const std::uint64_t lines : sizes) {
        chunked_words store = must(chunked_words::make(lines));
        number_lines(store, 0);
        const chunked_words same = must(store.copy());
        EXPECT_TRUE(store.pieces() == same.pieces());
        chunked_words moved = std::move(store);
        EXPECT_EQ(store.lines(), 0u); // NOLINT(bugprone-use-after-move)
        EXPECT_TRUE(store.pieces().empty());
        EXPECT_TRUE(moved.pieces() == same.pieces());
        const heap_words whole = must(std::move(moved).whole());
        EXPECT_TRUE(word_pieces({whole.data(), static_cast<std::size_t>(whole.words())}) == same.pieces());
    }
    EXPECT_EQ(must(chunked_words().whole()).words(), 0u);
}

TEST(word_pieces, one_piece_and_several_are_read_alike) {
    chunked_words store = must(chunked_words::make(2 * unit + 7));
    number_lines(store, 0);
    const word_pieces in_units = store.pieces();
    const heap_words copied = must(must(store.copy()).whole());
    const word_pieces in_one = std::span(copied.data(), static_cast<std::size_t>(copied.words()));
    EXPECT_TRUE(in_units == in_one);
    EXPECT_TRUE(std::equal(in_units.begin(), in_units.end(), in_one.begin(), in_one.end()));
    EXPECT_EQ(in_units.back(), in_one.back());
    std::uint64_t runs = 0;
    std::uint64_t words = 0;
    in_units.for_each_run(unit * line_words - 4, in_units.size() - 1, [&](std::span<const std::uint64_t> run) {
        ++runs;
        words += run.size();
    });
    EXPECT_EQ(runs, 3u);
    EXPECT_EQ(words, in_units.size() - 1 - (unit * line_words - 4));
    line_at(store, 2 * unit)[0] ^= 1;
    EXPECT_FALSE(in_units == in_one);
    EXPECT_FALSE(store.pieces(8) == in_one);
}

TEST(chunked_words, blocks_that_a_host_moves_keep_their_words) {
    static int moves = 0;
    moves = 0;
    set_memory_hook(
        {[](std::size_t bytes) { return std::aligned_alloc(line_bytes, bytes / line_bytes * line_bytes); }, std::free});
    {
        auto words = support::must(chunked_words::make(2 * chunked_words::unit_lines + 5));
        std::uint64_t next = 1;
        support::must(words.fill([&](std::span<std::uint64_t> unit) -> result<void> {
            for (std::uint64_t& word : unit) word = next++;
            return {};
        }));
        const auto* const before = words.units()[0];
        words.relocate({[](void*, void* block) -> void* {
                            if (++moves == 2) return nullptr; // that one stays
                            const std::size_t bytes = malloc_usable_size(block) / line_bytes * line_bytes;
                            void* const moved = std::aligned_alloc(line_bytes, bytes);
                            std::memcpy(moved, block, bytes);
                            std::memset(block, 0xff, bytes);
                            std::free(block);
                            return moved;
                        },
                        nullptr});
        EXPECT_EQ(moves, 3);
        EXPECT_NE(words.units()[0], before);
        next = 1;
        for (const std::uint64_t word : words.pieces()) ASSERT_EQ(word, next++);
        support::must(words.extend(3 * chunked_words::unit_lines));
        EXPECT_EQ(words.pieces()[7], 8u);
    }
    set_memory_hook({});
}

} // namespace
} // namespace everbloom
