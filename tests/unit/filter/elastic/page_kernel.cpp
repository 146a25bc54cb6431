// The vector code for pages of stored hashes, against hash_page and the scalar pattern code: same answers, same bytes.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/elastic/elastic_blocks.hpp>
#include <everbloom/filter/elastic/stored_hashes/pages.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#if defined(EVERBLOOM_MODERN_X86)
namespace everbloom {
namespace {

using support::dice;
using support::must;
using page_words = std::vector<std::uint64_t>;

/// A geometry that vectors can do, of any width.
hash_geometry some_geometry(dice& random) {
    for (;;) {
        const std::uint64_t pages = 1 + (random.word() >> (37 + random.below(27)));
        const hash_geometry made(pages, 24 + static_cast<unsigned>(random.below(33)));
        if (kernel::suits_vectors(made)) return made;
    }
}

/// Hashes of one page, some of which are close to each other.
class hashes_of {
public:
    hashes_of(const hash_geometry& geometry, std::uint64_t page)
        : range_(geometry.stored_within(geometry.range_of_page(page))), unit_(~geometry.stored_mask() + 1),
          units_((range_.highest - range_.lowest) / unit_ + 1) {}
    [[nodiscard]] std::uint64_t draw(dice& random) const {
        const std::uint64_t few = std::min<std::uint64_t>(units_, 300);
        return range_.lowest + (random.one_in(8) ? random.below(few) : random.below(units_)) * unit_;
    }

private:
    hash_range range_;
    std::uint64_t unit_;
    std::uint64_t units_;
};

TEST(page_kernel, changes_a_page_as_hash_page_does) {
    dice random(1);
    if (!kernel::is_modern()) GTEST_SKIP();
    std::uint64_t inserted = 0;
    std::uint64_t erased = 0;
    for (std::uint64_t round = 0; round < support::rounds(300); ++round) {
        const hash_geometry geometry = some_geometry(random);
        const std::uint64_t index = geometry.page_of(random.word() & geometry.stored_mask()); // has some
        const hashes_of drawn(geometry, index);
        page_words expected(geometry.page_words());
        const hash_page<std::uint64_t> twin(geometry, expected.data(), nullptr);
        std::vector<std::uint64_t> put;
        // Fills, then empties, then both.
        for (int step = 0; step < 600; ++step) {
            const bool inserts = step < 250 ? !random.one_in(8) : step < 450 ? random.one_in(8) : random.one_in(2);
            const std::uint64_t hash =
                !put.empty() && (!inserts || random.one_in(50)) ? put[random.below(put.size())] : drawn.draw(random);
            const hash_place place = geometry.place_of(hash);
            ASSERT_EQ(place.page(), index);
            const unsigned bin = place.bin_in_page();
            const hash_slot found = twin.find(bin, place.remainder);
            page_words words = expected;
            const auto answer = kernel::find_in_page(words.data(), geometry, bin, place.remainder);
            if (twin.has_repeats(bin)) {
                ASSERT_EQ(answer, kernel::page_answer::unknown);
            } else {
                ASSERT_EQ(answer == kernel::page_answer::present, found.copies != 0);
            }
            const bool done = inserts ? kernel::insert_into_page(words.data(), geometry, bin, place.remainder)
                                      : kernel::erase_from_page(words.data(), geometry, bin, place.remainder);
            const bool usual = !twin.has_repeats(bin);
            if (inserts) {
                ASSERT_EQ(done, usual && found.copies == 0 && twin.used_slots() < geometry.slots());
                ASSERT_TRUE(done || words == expected);
                const unsigned more = twin.slots_for(found.copies + 1) - twin.slots_for(found.copies);
                if (!twin.has_room(bin, more)) continue;
                twin.set_copies(bin, found, place.remainder, found.copies + 1);
                put.push_back(hash);
                inserted += done ? 1 : 0;
            } else {
                ASSERT_EQ(done, usual && found.copies == 1);
                ASSERT_TRUE(done || words == expected);
                if (found.copies == 0) continue;
                twin.set_copies(bin, found, place.remainder, found.copies - 1);
                put.erase(std::find(put.begin(), put.end(), hash));
                erased += done ? 1 : 0;
            }
            ASSERT_TRUE(!done || words == expected) << geometry.slot_bits() << " bits, step " << step;
        }
    }
    EXPECT_GT(inserted, support::rounds(300) * 100);
    EXPECT_GT(erased, support::rounds(300) * 50);
}

/// Pages with hashes, more than they have slots for if `full` is over 100.
hash_pages<heap_words> filled(const hash_geometry& geometry, std::uint64_t full, unsigned copies_in, dice& random) {
    auto made = must(hash_pages<heap_words>::make(geometry));
    const std::uint64_t wanted = geometry.pages() * geometry.slots() * full / 100;
    for (std::uint64_t i = 0; i < wanted; ++i) {
        const std::uint64_t hash = random.word() & geometry.stored_mask();
        (void)made.add(hash, copies_in != 0 && random.one_in(copies_in) ? 1 + random.below(5) : 1);
    }
    return made;
}

TEST(page_kernel, reads_and_appends_the_hashes_of_a_page) {
    if (!kernel::is_modern()) GTEST_SKIP();
    dice random(2);
    std::uint64_t read_at_once = 0;
    std::uint64_t with_overflow = 0;
    for (std::uint64_t round = 0; round < support::rounds(300); ++round) {
        const unsigned word_bits = 24 + static_cast<unsigned>(random.below(33));
        const hash_geometry geometry(1 + random.below(12), word_bits);
        if (!kernel::suits_vectors(geometry)) continue;
        const auto pages = filled(geometry, random.below(130), random.one_in(3) ? 20 : 0, random);
        auto by_one = must(hash_pages<heap_words>::make(geometry));
        auto by_some = must(hash_pages<heap_words>::make(geometry));
        for (std::uint64_t index = 0; index < geometry.pages(); ++index) {
            std::vector<std::uint64_t> expected;
            bool has_copies = false;
            pages.for_each_in_page(index, [&](std::uint64_t hash, std::uint64_t copies) {
                expected.push_back(hash);
                has_copies |= copies != 1;
            });
            std::vector<std::uint64_t> hashes(kernel::page_hash_room);
            const auto read = pages.read_page(index, hashes.data());
            const unsigned chunks = pages.page(index).chunks();
            ASSERT_EQ(read.has_value(), !has_copies && chunks <= 2);
            if (!read) continue;
            ++read_at_once;
            with_overflow += chunks - 1;
            hashes.resize(*read);
            ASSERT_EQ(hashes, expected) << word_bits << " bits";

            for (const std::uint64_t hash : hashes) ASSERT_TRUE(succeeded(by_one.append(hash, 1)));
            for (std::span<const std::uint64_t> left(hashes); !left.empty();) {
                const std::size_t done = by_some.append_some(left);
                ASSERT_TRUE(done != 0 || succeeded(by_some.append(left.front(), 1)));
                left = left.subspan(std::max<std::size_t>(done, 1));
            }
        }
        const auto all = [](const hash_pages<heap_words>& some) {
            return page_words(some.page_store().data(), some.page_store().data() + some.page_store().words());
        };
        ASSERT_EQ(all(by_one), all(by_some));
        ASSERT_EQ(by_one.overflow_pages(), by_some.overflow_pages());
        ASSERT_TRUE(std::ranges::equal(by_one.overflow_words_in_use(), by_some.overflow_words_in_use()));
    }
    EXPECT_GT(read_at_once, support::rounds(300));
    EXPECT_GT(with_overflow, support::rounds(300) / 10);
}

TEST(page_kernel, notes_the_lanes_that_a_pattern_shares_with_the_hashes_of_its_block) {
    if (!kernel::is_modern()) GTEST_SKIP();
    dice random(3);
    std::uint64_t noted = 0;
    for (std::uint64_t round = 0; round < support::rounds(300); ++round) {
        const unsigned word_bits = 24 + static_cast<unsigned>(random.below(33));
        const hash_geometry geometry(1 + random.below(12), word_bits);
        if (!kernel::suits_vectors(geometry)) continue;
        const auto pages = filled(geometry, 1 + random.below(120), random.one_in(3) ? 100 : 0, random);
        const block_hashing hashing(word_bits);
        for (int i = 0; i < 20; ++i) {
            const auto hashes = static_cast<unsigned>(1 + random.below(kernel::lanes));
            const std::uint64_t blocks = 1 + random.below(geometry.pages() * 6);
            const std::uint64_t hash = random.word() & geometry.stored_mask();
            const std::uint64_t block = reduce(hash, blocks);
            const std::uint64_t seed = hashing.seed_of(hash);
            const hash_range range{hash_geometry::start_of(block, blocks),
                                   hash_geometry::start_of(block + 1, blocks) - (block + 1 == blocks ? 0 : 1)};
            std::vector<std::uint64_t> others;
            pages.for_each_within(range, [&](std::uint64_t one, std::uint64_t) { others.push_back(one); });
            kernel::shared_lanes expected;
            kernel::note_shared_scalar(expected, seed, others, hashes,
                                       [&](std::uint64_t one) { return hashing.seed_of(one); });
            kernel::shared_lanes shared;
            if (!pages.note_shared_within(range, {seed, hashes}, shared)) continue;
            ++noted;
            ASSERT_EQ(shared.unit, expected.unit) << word_bits << " bits, " << hashes << " hashes";
        }
    }
    EXPECT_GT(noted, support::rounds(300) * 5);
}

} // namespace
} // namespace everbloom
#endif
