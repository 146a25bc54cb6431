// The vector code for pages of stored hashes, all sets of it that this processor has, against hash_page and the scalar pattern code: same
// answers, same bytes, no byte touched that is not of the page.
#include "support/dice.hpp"
#include "support/fenced_words.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"
#include "unit/filter/elastic/page_sets.hpp"

#include <everbloom/filter/elastic/elastic_blocks.hpp>
#include <everbloom/filter/elastic/stored_hashes/pages.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#if defined(EVERBLOOM_MODERN_X86)
namespace everbloom {
namespace {

using page_sets::all_functions;
using page_sets::filled;
using page_sets::suits;
using support::dice;
using support::must;
using page_words = std::vector<std::uint64_t>;

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

/// A geometry that a set of functions can do, of any width.
hash_geometry some_geometry(const kernel::page_functions& functions, dice& random) {
    for (;;) {
        const std::uint64_t pages = 1 + (random.word() >> (37 + random.below(27)));
        const hash_geometry made(pages, 24 + static_cast<unsigned>(random.below(33)));
        if (suits(functions, made)) return made;
    }
}

/// A page, and an overflow page in which it may continue.
struct page_state {
    page_words page;
    page_words overflow;

    explicit page_state(const hash_geometry& geometry) : page(geometry.page_words()), overflow(geometry.page_words()) {}
    [[nodiscard]] hash_page<std::uint64_t> twin(const hash_geometry& geometry) {
        return {geometry, page.data(), overflow.data()};
    }
    friend bool operator==(const page_state&, const page_state&) = default;
};

/// The same between fences, and what a kernel makes of it.
class fenced_pages {
public:
    /// What `change` returns, and the state after it.
    template <class Change>
    bool run(page_state& state, support::fenced_words::side at, Change change) {
        std::uint64_t* const page = page_.put(state.page, at);
        std::uint64_t* const overflow = overflow_.put(state.overflow, at);
        const bool done = change(kernel::page_to_change{page, overflow});
        std::copy_n(page, state.page.size(), state.page.begin());
        std::copy_n(overflow, state.overflow.size(), state.overflow.begin());
        return done;
    }

private:
    support::fenced_words page_{256};
    support::fenced_words overflow_{256};
};

/// Inserts into a page and removes from it, with hash_page and with one set of functions; how many changes the latter did.
struct changes_done {
    std::uint64_t inserted = 0;
    std::uint64_t erased = 0;
    std::uint64_t with_overflow = 0;
};
void change_as_hash_page(const kernel::page_functions& functions, bool has_overflow, dice& random, changes_done& done) {
    const bool changes_overflow = &functions == &kernel::wide_page_functions;
    const hash_geometry geometry = some_geometry(functions, random);
    const std::uint64_t index = geometry.page_of(random.word() & geometry.stored_mask()); // has some
    const hashes_of drawn(geometry, index);
    fenced_pages fenced;
    page_state expected(geometry);
    const auto twin = expected.twin(geometry);
    std::vector<std::uint64_t> put;
    // Fills, then empties, then both.
    for (int step = 0; step < 800; ++step) {
        const bool inserts = step < 350 ? !random.one_in(8) : step < 550 ? random.one_in(8) : random.one_in(2);
        const std::uint64_t hash =
            !put.empty() && (!inserts || random.one_in(50)) ? put[random.below(put.size())] : drawn.draw(random);
        const hash_place place = geometry.place_of(hash);
        ASSERT_EQ(place.page(), index);
        const unsigned bin = place.bin_in_page();
        const unsigned used = twin.used_slots();
        if (has_overflow && used == geometry.slots()) twin.set_link(expected.page.data(), 1);
        const bool two = twin.chunks() == 2;
        const hash_slot found = twin.find(bin, place.remainder);
        const bool usual = !twin.has_repeats(bin);
        const auto at = random.one_in(2) ? support::fenced_words::side::front : support::fenced_words::side::back;
        page_state changed = expected;
        const auto answer = fenced.run(changed, at, [&](kernel::page_to_change page) {
            return functions.find(page.words, geometry, bin, place.remainder) ==
                   (two || !usual       ? kernel::page_answer::unknown
                    : found.copies != 0 ? kernel::page_answer::present
                                        : kernel::page_answer::absent);
        });
        ASSERT_TRUE(answer || (two && !changes_overflow)); // AVX2 may find in the first page what is there
        const bool changes = fenced.run(changed, at, [&](kernel::page_to_change page) {
            return inserts ? functions.insert(page, geometry, bin, place.remainder)
                           : functions.erase(page, geometry, bin, place.remainder);
        });
        if (inserts) {
            const bool fits =
                two ? changes_overflow && used < std::min(2 * geometry.slots(), 255U) : used < geometry.slots();
            ASSERT_EQ(changes, usual && found.copies == 0 && fits);
            ASSERT_TRUE(changes || changed == expected);
            const unsigned more = twin.slots_for(found.copies + 1) - twin.slots_for(found.copies);
            if (!twin.has_room(bin, more)) continue;
            twin.set_copies(bin, found, place.remainder, found.copies + 1);
            put.push_back(hash);
            done.inserted += changes ? 1 : 0;
        } else {
            const bool stays = !two || (changes_overflow && used > geometry.slots() + 1 && used <= 255);
            ASSERT_EQ(changes, usual && found.copies == 1 && stays);
            ASSERT_TRUE(changes || changed == expected);
            if (found.copies == 0) continue;
            twin.set_copies(bin, found, place.remainder, found.copies - 1);
            put.erase(std::find(put.begin(), put.end(), hash));
            if (two && twin.used_slots() <= geometry.slots()) twin.set_link(expected.page.data(), 0);
            done.erased += changes ? 1 : 0;
        }
        done.with_overflow += changes && two ? 1 : 0;
        ASSERT_TRUE(!changes || changed == expected) << geometry.slot_bits() << " bits, step " << step
                                                     << (inserts ? " inserts" : " erases") << (two ? " two" : "");
    }
}

TEST(page_kernel, changes_a_page_as_hash_page_does) {
    for (const auto* const functions : all_functions()) {
        for (const bool has_overflow : {false, true}) {
            dice random(1);
            changes_done done;
            for (std::uint64_t round = 0; round < support::rounds(300); ++round) {
                change_as_hash_page(*functions, has_overflow, random, done);
                if (HasFatalFailure()) return;
            }
            EXPECT_GT(done.inserted, support::rounds(300) * 100);
            EXPECT_GT(done.erased, support::rounds(300) * 50);
            if (has_overflow && functions == &kernel::wide_page_functions) {
                EXPECT_GT(done.with_overflow, support::rounds(300) * 50);
            }
        }
    }
}

TEST(page_kernel, reads_and_appends_the_hashes_of_a_page) {
    for (const auto* const functions : all_functions()) {
        dice random(2);
        std::uint64_t read_at_once = 0;
        std::uint64_t with_overflow = 0;
        for (std::uint64_t round = 0; round < support::rounds(300); ++round) {
            const unsigned word_bits = 24 + static_cast<unsigned>(random.below(33));
            const hash_geometry geometry(1 + random.below(12), word_bits);
            if (!suits(*functions, geometry)) continue;
            auto pages = filled(geometry, random.below(130), random.one_in(3) ? 20 : 0, random);
            pages.use(functions);
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
            ASSERT_EQ(by_one.overflow().used(), by_some.overflow().used());
            ASSERT_TRUE(std::ranges::equal(by_one.overflow().words_in_use(), by_some.overflow().words_in_use()));
        }
        EXPECT_GT(read_at_once, support::rounds(300));
        EXPECT_GT(with_overflow, support::rounds(300) / 10);
    }
}

TEST(page_kernel, appends_to_a_page_as_hash_page_does_and_touches_no_byte_beside_it) {
    for (const auto* const functions : all_functions()) {
        dice random(6);
        fenced_pages fenced;
        std::uint64_t appended = 0;
        for (std::uint64_t round = 0; round < support::rounds(2000); ++round) {
            const hash_geometry geometry = some_geometry(*functions, random);
            const std::uint64_t index = geometry.page_of(random.word() & geometry.stored_mask());
            const hashes_of drawn(geometry, index);
            // Some of the page, the last of which are to be appended, and some of the next page.
            std::vector<std::uint64_t> hashes;
            for (std::uint64_t i = random.below(geometry.slots() + 40); i > 0; --i)
                hashes.push_back(drawn.draw(random));
            std::sort(hashes.begin(), hashes.end());
            hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
            const std::size_t of_page = hashes.size();
            if (of_page == 0) continue;
            if (index + 1 < geometry.pages()) {
                const hashes_of next(geometry, index + 1);
                for (std::uint64_t i = random.below(20); i > 0; --i) hashes.push_back(next.draw(random));
                std::sort(hashes.begin() + static_cast<std::ptrdiff_t>(of_page), hashes.end());
            }
            const std::size_t there = random.below(std::min<std::size_t>(of_page, geometry.slots()) + 1);
            const std::size_t fits = std::min<std::size_t>(of_page, geometry.slots());
            page_state changed(geometry);
            const auto put = [&](page_state& state, std::size_t from, std::size_t end) {
                const auto twin = state.twin(geometry);
                for (std::size_t i = from; i < end; ++i) {
                    const hash_place place = geometry.place_of(hashes[i]);
                    twin.append(place.bin_in_page(), place.remainder, 1);
                }
            };
            put(changed, 0, there);
            page_state expected = changed;
            put(expected, there, fits);
            const auto at = random.one_in(2) ? support::fenced_words::side::front : support::fenced_words::side::back;
            std::size_t done = 0;
            fenced.run(changed, at, [&](kernel::page_to_change page) {
                done = functions->append(page.words, geometry, index, std::span(hashes).subspan(there));
                return true;
            });
            ASSERT_EQ(done, fits - there) << geometry.slot_bits() << " bits";
            ASSERT_EQ(changed, expected) << geometry.slot_bits() << " bits, " << there << " to " << fits;
            appended += done;
        }
        EXPECT_GT(appended, support::rounds(2000) * 10);
    }
}

TEST(page_kernel, notes_the_lanes_that_a_pattern_shares_with_the_hashes_of_its_block) {
    for (const auto* const functions : all_functions()) {
        dice random(3);
        std::uint64_t noted = 0;
        for (std::uint64_t round = 0; round < support::rounds(300); ++round) {
            const unsigned word_bits = 24 + static_cast<unsigned>(random.below(33));
            const hash_geometry geometry(1 + random.below(12), word_bits);
            if (!suits(*functions, geometry)) continue;
            auto pages = filled(geometry, 1 + random.below(120), random.one_in(3) ? 100 : 0, random);
            pages.use(functions);
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
}

/// Every slot of a page, in pages of any number, by the rounded multiplications and exactly.
TEST(page_kernel, makes_hashes_of_positions_where_rounding_is_hardest) {
    if (!kernel::has_wide_pages()) GTEST_SKIP() << "this processor has no such function";
    dice random(5);
    std::uint64_t compared = 0;
    for (std::uint64_t round = 0; round < support::rounds(2000); ++round) {
        const std::uint64_t some = 1 + (random.word() >> (36 + random.below(28)));
        // Powers of two, their neighbours, multiples of powers of two, and others.
        const std::uint64_t power = std::uint64_t{1} << random.below(28);
        const std::uint64_t count = random.one_in(4)   ? power
                                    : random.one_in(3) ? power + 1
                                    : random.one_in(3) ? std::max<std::uint64_t>(1, power - 1)
                                    : random.one_in(3)
                                        ? std::min(power * (1 + random.below(9)), hash_geometry::most_pages)
                                        : some;
        const hash_geometry geometry(std::min(count, hash_geometry::most_pages),
                                     24 + static_cast<unsigned>(random.below(33)));
        if (!kernel::suits_wide(geometry)) continue;
        const std::uint64_t index = random.one_in(4)   ? geometry.pages() - 1
                                    : random.one_in(4) ? 0
                                                       : random.below(geometry.pages());
        const hashes_of drawn(geometry, index);
        page_state state(geometry);
        const auto twin = state.twin(geometry);
        for (unsigned i = 0; i < geometry.slots(); ++i) {
            const hash_place place = geometry.place_of(drawn.draw(random));
            const hash_slot found = twin.find(place.bin_in_page(), place.remainder);
            if (found.copies == 0 && place.page() == index)
                twin.set_copies(place.bin_in_page(), found, place.remainder, 1);
        }
        std::vector<std::uint64_t> expected;
        for (unsigned bin = 0; bin < hash_geometry::page_bins; ++bin) {
            twin.for_each(bin, [&](std::uint64_t remainder, std::uint64_t) {
                expected.push_back(geometry.hash_at({index * hash_geometry::page_bins + bin, remainder}));
            });
        }
        std::vector<std::uint64_t> hashes(kernel::page_hash_room);
        const auto read =
            kernel::wide::hashes_of_page({state.page.data(), state.overflow.data(), index}, geometry, hashes.data());
        ASSERT_TRUE(read.known);
        hashes.resize(read.count);
        ASSERT_EQ(hashes, expected) << geometry.pages() << " pages";
        compared += read.count;
    }
    EXPECT_GT(compared, support::rounds(2000) * 20);
}

} // namespace
} // namespace everbloom
#endif
