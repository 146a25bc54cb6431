// Batches of queries of eight keys at once against the scalar pattern code: views at rest and in the middle of a growth, with the frontier
// anywhere, and blocks that hold anything.
#include "support/dice.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/elastic/elastic_wide_query.hpp>

#include <gtest/gtest.h>

#include <vector>

#if defined(EVERBLOOM_MODERN_X86)
namespace everbloom {
namespace {

using support::dice;

/// Lines in which most bits are set, so that half of all patterns of eight are in them.
struct some_lines {
    std::vector<std::uint64_t> words;
    std::uint64_t* first;

    some_lines(std::uint64_t lines, dice& random) : words((lines + 1) * line_words) {
        const std::size_t skipped = line_words - reinterpret_cast<std::uintptr_t>(words.data()) / 8 % line_words;
        first = words.data() + skipped % line_words;
        for (auto& word : words) word = random.word() | random.word() | random.word();
    }
};

TEST(elastic_wide_query, answers_as_the_scalar_code) {
    if (!kernel::has_wide_pages()) GTEST_SKIP() << "this processor has no such function";
    dice random(7);
    std::uint64_t hits = 0;
    std::uint64_t asked = 0;
    std::uint64_t below = 0;
    for (std::uint64_t round = 0; round < support::rounds(400); ++round) {
        const auto word_bits = static_cast<unsigned>(24 + random.below(29));
        const std::uint64_t blocks = 1 + random.below(random.one_in(2) ? 20 : 3000);
        const std::uint64_t next_blocks = 1 + random.below(random.one_in(20) ? 40'000 : 4000);
        const some_lines now(blocks, random);
        const some_lines next(next_blocks, random);
        elastic_block_view<const std::uint64_t> view{
            block_hashing(word_bits), now.first, blocks, next.first, next_blocks, 0, kernel::lanes, 0};
        view.lines = std::max(blocks, next_blocks);
        if (random.one_in(4)) {
            view.next = nullptr;
            view.next_blocks = 0;
        } else {
            // A page may begin anywhere, also between two stored hashes.
            view.frontier = random.one_in(8)   ? random.below(3)
                            : random.one_in(8) ? ~std::uint64_t{0}
                            : random.one_in(4) ? random.word() & view.mask
                                               : random.word();
        }
        ASSERT_TRUE(kernel::wide::suits_wide_query(view));
        std::vector<digest> items(8 * random.below(60));
        for (digest& item : items) {
            item = {random.word(), random.word()};
            // Next to the frontier, at both ends, and equal ones.
            if (random.one_in(8)) item.low = view.frontier + random.below(5) - 2;
            if (random.one_in(8)) item.low = view.frontier + ((random.below(5) - 2) << view.unused_bits);
            if (random.one_in(20)) item.low = random.one_in(2) ? 0 : ~std::uint64_t{0};
        }
        std::vector<std::uint8_t> answers(items.size() + 1, 0x5a);
        kernel::wide::contains(view, items, answers.data());
        for (std::size_t i = 0; i < items.size(); ++i) {
            const bool expected = kernel::line_contains(view.line_of(items[i]), view.hash_of(items[i]), kernel::lanes);
            ASSERT_EQ(answers[i], expected ? 1 : 0) << word_bits << " bits, key " << i << " of " << items.size();
            ASSERT_EQ(growing_block_view(view).line_of(items[i]), view.line_of(items[i]));
            hits += expected ? 1 : 0;
            below += view.stored_hash(items[i]) < view.frontier ? 1 : 0;
        }
        ASSERT_EQ(answers.back(), 0x5a);
        asked += items.size();
    }
    EXPECT_GT(hits, asked / 5);
    EXPECT_LT(hits, asked / 5 * 4);
    EXPECT_GT(below, asked / 5);
    EXPECT_LT(below, asked / 5 * 4);
}

TEST(elastic_wide_query, leaves_views_it_cannot_answer_to_others) {
    elastic_block_view<const std::uint64_t> view{block_hashing(50), nullptr, 1, nullptr, 0, 0, kernel::lanes, 1};
    EXPECT_EQ(kernel::wide::suits_wide_query(view), kernel::has_wide_pages());
    view.hashes = 7;
    EXPECT_FALSE(kernel::wide::suits_wide_query(view));
    view.hashes = kernel::lanes;
    static_cast<block_hashing&>(view) = block_hashing(53);
    EXPECT_FALSE(kernel::wide::suits_wide_query(view));
    static_cast<block_hashing&>(view) = block_hashing(24);
    view.lines = std::uint64_t{1} << 24;
    EXPECT_FALSE(kernel::wide::suits_wide_query(view));
}

} // namespace
} // namespace everbloom
#endif
