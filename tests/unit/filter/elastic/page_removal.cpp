// Removals from pages of stored hashes by vector code, some at a time, against hash_page and scalar patterns one by one: same answers, same
// bytes of pages, and of blocks that hold anything the same bits cleared.
#include "support/dice.hpp"
#include "support/rounds.hpp"
#include "unit/filter/elastic/page_sets.hpp"

#include <everbloom/filter/elastic/elastic_blocks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#if defined(EVERBLOOM_MODERN_X86)
namespace everbloom {
namespace {

using page_sets::all_functions;
using page_sets::filled;
using page_sets::suits;
using support::dice;
using pages = hash_pages<heap_words>;

/// The bits that a key leaves behind, found hash by hash.
kernel::line_mask bits_alone(const pages& some, const hash_range& block, std::uint64_t hash,
                             const block_hashing& hashing, unsigned hashes) {
    kernel::line_mask bits = kernel::line_pattern(hashing.seed_of(hash), hashes);
    some.for_each_within(block, [&](std::uint64_t other, std::uint64_t) {
        if (other == hash) return;
        const kernel::line_mask its = kernel::line_pattern(hashing.seed_of(other), hashes);
        for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= ~its[i];
    });
    return bits;
}

/// Pages, and others with the same hashes that are changed by scalar code.
struct twins {
    pages by_vectors;
    pages by_slots;
    std::vector<std::uint64_t> members;

    twins(const hash_geometry& geometry, const kernel::page_functions* functions, dice& random) {
        const std::uint64_t full = 1 + random.below(110);
        const unsigned copies_in = random.one_in(3) ? 300 : 0;
        dice same = random;
        by_vectors = filled(geometry, full, copies_in, random);
        by_slots = filled(geometry, full, copies_in, same);
        by_vectors.use(functions);
        by_slots.use(nullptr);
        by_vectors.for_each_within({}, [&](std::uint64_t hash, std::uint64_t) { members.push_back(hash); });
    }
    [[nodiscard]] const hash_geometry& geometry() const { return by_vectors.geometry(); }
    [[nodiscard]] bool are_equal() const {
        const auto& words = by_vectors.page_store();
        return std::equal(words.data(), words.data() + words.words(), by_slots.page_store().data()) &&
               std::ranges::equal(by_vectors.overflow().words_in_use(), by_slots.overflow().words_in_use());
    }
};

/// One hash that is to be removed, of one of two sets of pages.
struct request {
    unsigned side;
    std::uint64_t hash;
    hash_range block;
    alignas(line_bytes) kernel::line_mask words; // of the block, which hold anything
    alignas(line_bytes) kernel::line_mask before;
};

struct removals_done {
    std::uint64_t removed = 0;
    std::uint64_t absent = 0;
    std::uint64_t in_two_pages = 0;
    std::uint64_t of_many_bits = 0;
    std::uint64_t repeated = 0;
    std::uint64_t with_overflow = 0;
};

hash_range some_block(const twins& from, std::uint64_t hash, dice& random) {
    const std::uint64_t blocks = 1 + random.below(from.geometry().pages() * 6);
    return hash_geometry::range_of(reduce(hash, blocks), blocks, ~std::uint64_t{0} / blocks);
}

void remove_as_hash_page(const kernel::page_functions& functions, std::array<twins, 2>& sides, unsigned word_bits,
                         dice& random, removals_done& done) {
    const block_hashing hashing(word_bits);
    const auto hashes =
        random.one_in(2) ? kernel::lanes : static_cast<unsigned>(1 + random.below(kernel::max_line_hashes));
    const std::size_t count = 1 + random.below(16);
    std::vector<request> requests(count);
    std::vector<kernel::hash_in_block> whats(count);
    for (std::size_t i = 0; i < count; ++i) {
        request& one = requests[i];
        if (i != 0 && random.one_in(8)) {
            one = requests[i - 1];
            ++done.repeated;
        } else {
            one.side = static_cast<unsigned>(random.below(2));
            twins& from = sides[one.side];
            one.hash = random.one_in(10) ? random.word() & from.geometry().stored_mask()
                                         : from.members[random.below(from.members.size())];
            one.block = some_block(from, one.hash, random);
        }
        for (auto& word : one.words) word = random.word() | random.word();
        one.before = one.words;
        kernel::hash_in_block& what = whats[i];
        sides[one.side].by_vectors.find_removal(what, one.hash, one.block);
        what.side = one.side;
        what.seed = hashing.seed_of(one.hash);
        what.block = one.words.data();
    }
    std::vector<std::uint8_t> was_there(count);
    const kernel::removal_setting setting{
        {&sides[0].geometry(), &sides[1].geometry()},
        {sides[0].by_vectors.overflow().data(), sides[1].by_vectors.overflow().data()},
        hashes};
    const std::size_t first = functions.remove(setting, whats, was_there.data());
    for (std::size_t i = 0; i < first; ++i) {
        const request& one = requests[i];
        twins& from = sides[one.side];
        kernel::line_mask expected = one.before;
        const std::uint64_t copies = from.by_slots.count(one.hash);
        ASSERT_LE(copies, 1U);
        ASSERT_EQ(was_there[i], copies);
        if (copies != 0) {
            const kernel::line_mask alone = bits_alone(from.by_slots, one.block, one.hash, hashing, hashes);
            for (std::size_t word = 0; word < expected.size(); ++word) expected[word] &= ~alone[word];
            done.with_overflow += from.by_slots.page(from.geometry().page_of(one.hash)).chunks() - 1;
            ASSERT_EQ(from.by_slots.remove(one.hash), 0U);
            const hash_geometry& geometry = from.geometry();
            done.in_two_pages += geometry.page_of(one.block.lowest) != geometry.page_of(one.block.highest) ? 1 : 0;
            done.of_many_bits += hashes > kernel::lanes ? 1 : 0;
        }
        done.removed += copies;
        done.absent += 1 - copies;
        ASSERT_EQ(one.words, expected) << word_bits << " bits, " << hashes << " hashes, removal " << i;
    }
    for (std::size_t i = first; i < count; ++i) ASSERT_EQ(requests[i].words, requests[i].before);
    for (const twins& side : sides) ASSERT_TRUE(side.are_equal()) << word_bits << " bits";
}

TEST(page_removal, takes_hashes_out_with_the_bits_that_are_only_their_own) {
    for (const auto* const functions : all_functions()) {
        dice random(4);
        removals_done done;
        for (std::uint64_t round = 0; round < support::rounds(300); ++round) {
            const unsigned word_bits = 24 + static_cast<unsigned>(random.below(33));
            const hash_geometry first(1 + random.below(40), word_bits);
            const hash_geometry second(1 + random.below(40), word_bits);
            if (!suits(*functions, first) || !suits(*functions, second)) continue;
            std::array<twins, 2> sides{twins(first, functions, random), twins(second, functions, random)};
            for (int i = 0; i < 40; ++i) {
                remove_as_hash_page(*functions, sides, word_bits, random, done);
                if (HasFatalFailure()) return;
            }
        }
        EXPECT_GT(done.removed, support::rounds(300) * 30);
        EXPECT_GT(done.absent, support::rounds(300) * 5);
        EXPECT_GT(done.repeated, support::rounds(300) * 5);
        EXPECT_GT(done.in_two_pages, support::rounds(300) * 5);
        EXPECT_EQ(done.with_overflow > 0, functions == &kernel::wide_page_functions);
        EXPECT_EQ(done.of_many_bits > 0, functions == &kernel::wide_page_functions);
    }
}

/// Both ends of a range from one division, and by themselves.
TEST(page_removal, blocks_begin_and_end_where_start_of_says) {
    dice random(6);
    for (std::uint64_t round = 0; round < support::rounds(20000); ++round) {
        const std::uint64_t power = std::uint64_t{1} << random.below(34);
        const std::uint64_t range = random.one_in(3)   ? power
                                    : random.one_in(3) ? power + 1
                                    : random.one_in(3) ? std::max<std::uint64_t>(1, power - 1)
                                                       : 1 + (random.word() >> (30 + random.below(34)));
        const std::uint64_t index = random.one_in(4) ? range - 1 : random.one_in(4) ? 0 : random.below(range);
        const hash_range found = hash_geometry::range_of(index, range, ~std::uint64_t{0} / range);
        ASSERT_EQ(found.lowest, hash_geometry::start_of(index, range)) << index << " of " << range;
        ASSERT_EQ(found.highest, index + 1 == range ? ~std::uint64_t{0} : hash_geometry::start_of(index + 1, range) - 1)
            << index << " of " << range;
    }
}

} // namespace
} // namespace everbloom
#endif
