// The sorted multiset of stored hashes, against std::map: every geometry, copies, overflow pages, resizes, and damaged pages.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/bits/const_words.hpp>
#include <everbloom/filter/elastic/stored_hashes/check.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/probe/mix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;
using truth = std::map<std::uint64_t, std::uint64_t>;

std::uint64_t cut(std::uint64_t word, unsigned word_bits) { return word & ~low_mask(64 - word_bits); }

TEST(hash_geometry, bin_and_remainder_give_the_hash_back) {
    dice random(1);
    for (std::uint64_t round = 0; round < support::rounds(200'000); ++round) {
        const unsigned word_bits = 6 + static_cast<unsigned>(random.below(59));
        const std::uint64_t pages = 1 + (random.word() >> (37 + random.below(27)));
        const hash_geometry geometry(pages, word_bits);
        std::uint64_t hash = cut(random.word(), word_bits);
        if (random.one_in(10)) hash = cut(random.one_in(2) ? 0 : ~std::uint64_t{0}, word_bits);
        // The first and the last hash of a page are where rounding would show.
        if (random.one_in(4)) hash = cut(geometry.start_of_page(random.below(pages)), word_bits);
        const hash_place place = geometry.place_of(hash);
        ASSERT_EQ(geometry.hash_at(place), hash) << word_bits << " bits, " << pages << " pages";
        ASSERT_EQ(place.page(), geometry.page_of(hash));
        ASSERT_LT(place.bin, geometry.bins());
    }
}

TEST(hash_geometry, places_are_in_the_order_of_hashes) {
    dice random(2);
    for (const std::uint64_t pages : {1, 3, 1000, 1 << 20}) {
        const hash_geometry geometry(pages, 64);
        for (std::uint64_t round = 0; round < support::rounds(10'000); ++round) {
            const std::uint64_t one = random.word();
            const std::uint64_t other = one + random.below(std::uint64_t{1} << random.below(63));
            if (other < one) continue;
            const hash_place low = geometry.place_of(one);
            const hash_place high = geometry.place_of(other);
            ASSERT_TRUE(low.bin < high.bin || (low.bin == high.bin && low.remainder <= high.remainder));
        }
    }
}

TEST(hash_geometry, a_page_starts_with_the_smallest_hash_that_belongs_to_it) {
    for (const std::uint64_t pages : {1, 2, 3, 7, 1000, 123'456'789}) {
        const hash_geometry geometry(pages, 64);
        for (const std::uint64_t page : {std::uint64_t{0}, pages / 3, pages - 1}) {
            const std::uint64_t start = geometry.start_of_page(page);
            EXPECT_EQ(geometry.page_of(start), page);
            EXPECT_TRUE(start == 0 || geometry.page_of(start - 1) == page - 1);
        }
    }
}

/// An empty multiset.
stored_hashes<heap_words> empty_multiset(std::uint64_t pages, unsigned word_bits) {
    const resize_progress at_rest{.pages = pages};
    return must(
        stored_hashes<heap_words>::assemble(at_rest, word_bits, must(make_stores(at_rest.section_lines(word_bits)))));
}

/// A multiset and the truth about it.
class checked_hashes {
public:
    checked_hashes(std::uint64_t pages, unsigned word_bits, std::uint64_t seed)
        : word_bits_(word_bits), random_(seed), stored_(empty_multiset(pages, word_bits)) {}

    void live(std::uint64_t steps, std::uint64_t universe, std::uint64_t insertions_in_ten) {
        for (std::uint64_t step = 0; step < steps; ++step) {
            // Some come often, one comes very often.
            std::uint64_t number = random_.below(universe);
            if (random_.one_in(4)) number /= 8;
            if (random_.one_in(20)) number = 7;
            const std::uint64_t hash = cut(mix(number), word_bits_);
            if (random_.below(10) < insertions_in_ten) {
                const auto done = stored_.add(hash);
                if (succeeded(done)) {
                    ASSERT_EQ(done == insert_outcome::inserted, truth_.count(hash) == 0);
                    ++truth_[hash];
                } else {
                    ++refused_;
                }
            } else {
                const bool was_in = truth_.count(hash) != 0;
                ASSERT_EQ(static_cast<bool>(stored_.remove(hash)), was_in);
                if (was_in && --truth_[hash] == 0) truth_.erase(hash);
            }
            if (step % 500 == 0) compare();
        }
    }

    void compare() {
        truth seen;
        std::uint64_t before = 0;
        stored_.for_each([&](std::uint64_t hash, std::uint64_t copies) {
            ASSERT_TRUE(seen.empty() || hash > before) << "not in order";
            before = hash;
            seen[hash] = copies;
        });
        ASSERT_EQ(seen, truth_);
        for (const auto& [hash, copies] : truth_) ASSERT_EQ(stored_.count(hash), copies);
    }

    /// Ranges begin and end anywhere, also at hashes.
    void compare_ranges() {
        for (int i = 0; i < 200; ++i) {
            std::uint64_t lowest = random_.word();
            std::uint64_t highest = random_.one_in(2) ? lowest + random_.below(~std::uint64_t{0} / 50) : random_.word();
            if (!truth_.empty() && random_.one_in(2))
                lowest = truth_.lower_bound(lowest % (truth_.rbegin()->first + 1))->first;
            if (highest < lowest) std::swap(lowest, highest);
            std::uint64_t expected = 0;
            for (auto at = truth_.lower_bound(lowest); at != truth_.end() && at->first <= highest; ++at) ++expected;
            std::uint64_t visited = 0;
            stored_.for_each_within({lowest, highest}, [&](std::uint64_t hash, std::uint64_t copies) {
                ASSERT_EQ(truth_.at(hash), copies);
                ++visited;
            });
            ASSERT_EQ(visited, expected);
            ASSERT_EQ(stored_.count_within({lowest, highest}, 100'000), expected);
            ASSERT_EQ(stored_.count_within({lowest, highest}, 3), std::min<std::uint64_t>(expected, 3));
        }
    }

    /// Moves everything to other pages, with `between` after every step.
    template <class Between>
    void move_to(std::uint64_t pages, Between between) {
        stored_.begin_resize(must(hash_pages<heap_words>::make(hash_geometry(pages, word_bits_))));
        while (!stored_.all_moved()) {
            std::uint64_t called = 0;
            std::uint64_t expected = 0;
            const std::uint64_t end = stored_.now().geometry().start_of_page(stored_.moved_pages() + 1);
            const bool is_last = stored_.moved_pages() + 1 == stored_.now().geometry().pages();
            for (auto at = truth_.lower_bound(stored_.frontier()); at != truth_.end() && (is_last || at->first < end);
                 ++at) {
                ++expected;
            }
            ASSERT_TRUE(
                succeeded(stored_.move_page([&](std::span<const std::uint64_t> hashes) { called += hashes.size(); })));
            ASSERT_EQ(called, expected);
            if (!stored_.all_moved()) between();
        }
        stored_.finish_resize();
        ASSERT_EQ(stored_.now().geometry().pages(), pages);
    }

    [[nodiscard]] std::array<heap_words, 4> copy_of_sections() const {
        std::array<heap_words, 4> stores;
        const auto sections = stored_.sections();
        const auto lines = stored_.progress().section_lines(word_bits_);
        for (std::size_t i = 0; i < stores.size(); ++i) {
            EXPECT_EQ(sections[i].size(), lines[i] * line_words) << i;
            stores[i] = must(heap_words::make(lines[i]));
            std::copy(sections[i].begin(), sections[i].end(), stores[i].data());
        }
        return stores;
    }
    void reload() {
        must(stored_.progress().check());
        auto loaded = must(stored_hashes<heap_words>::assemble(stored_.progress(), word_bits_, copy_of_sections()));
        ASSERT_EQ(loaded.progress(), stored_.progress());
        must(check_stored_hashes(loaded));
        stored_ = std::move(loaded);
        compare();
    }

    [[nodiscard]] stored_hashes<heap_words>& stored() noexcept { return stored_; }
    [[nodiscard]] const stored_hashes<heap_words>& stored() const noexcept { return stored_; }
    [[nodiscard]] unsigned word_bits() const noexcept { return word_bits_; }
    [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }
    [[nodiscard]] std::uint64_t different() const noexcept { return truth_.size(); }

private:
    unsigned word_bits_;
    dice random_;
    stored_hashes<heap_words> stored_;
    truth truth_;
    std::uint64_t refused_ = 0;
};

TEST(stored_hashes, are_a_multiset_in_order_at_any_width_and_number_of_pages) {
    std::uint64_t seed = 0;
    for (const unsigned word_bits : {6u, 12u, 20u, 33u, 48u, 61u, 64u}) {
        for (const std::uint64_t pages : {1, 2, 3, 10}) {
            SCOPED_TRACE(std::to_string(word_bits) + " bits, " + std::to_string(pages) + " pages");
            checked_hashes both(pages, word_bits, ++seed);
            both.live(support::rounds(20'000), 150 * pages, 6);
            if (::testing::Test::HasFatalFailure()) return;
            both.compare_ranges();
            both.reload();
            both.live(support::rounds(20'000), 150 * pages, 3);
        }
    }
}

// Buckets, blocks and pages begin and end between two stored hashes as a rule, where fewer than 64 bits are stored.
TEST(stored_hashes, of_a_range_are_exact_wherever_between_two_of_them_it_ends) {
    dice random(3);
    for (std::uint64_t round = 0; round < support::rounds(2'000); ++round) {
        const unsigned word_bits = 6 + static_cast<unsigned>(random.below(59));
        const std::uint64_t unit = std::uint64_t{1} << (64 - word_bits);
        auto stored = empty_multiset(1 + random.below(random.one_in(2) ? 8 : 500), word_bits);
        // Some neighbours, also at the end of all hashes.
        const std::uint64_t first = cut(random.one_in(4) ? ~std::uint64_t{0} : random.word(), word_bits) - 30 * unit;
        const auto near = [&] { return first + random.below(60) * unit; };
        truth expected;
        for (int i = 0; i < 30; ++i) {
            const std::uint64_t hash = near();
            if (succeeded(stored.add(hash))) ++expected[hash];
        }
        for (int i = 0; i < 20; ++i) {
            hash_range range{near() + random.below(unit), near() + random.below(unit)};
            if (range.highest < range.lowest) std::swap(range.lowest, range.highest);
            truth within;
            std::copy_if(expected.begin(), expected.end(), std::inserter(within, within.end()),
                         [&](const auto& one) { return one.first >= range.lowest && one.first <= range.highest; });
            truth visited;
            stored.for_each_within(range, [&](std::uint64_t hash, std::uint64_t copies) { visited[hash] = copies; });
            ASSERT_EQ(visited, within) << word_bits << " bits";
            ASSERT_EQ(stored.count_within(range, 100), within.size()) << word_bits << " bits";
        }
    }
}

TEST(stored_hashes, that_do_not_fit_their_pages_take_overflow_pages_and_give_them_back) {
    checked_hashes both(4, 64, 5);
    both.live(20'000, 700, 9);
    EXPECT_GT(both.stored().now().overflow().used(), 0u);
    both.compare();
    both.reload();
    both.live(100'000, 700, 0);
    EXPECT_EQ(both.stored().now().overflow().used(), 0u);
    both.compare();
}

TEST(stored_hashes, beyond_what_a_bin_can_count_are_refused_and_nothing_changes) {
    checked_hashes both(1, 64, 6);
    both.live(20'000, 5000, 10);
    EXPECT_GT(both.refused(), 0u);
    EXPECT_GE(both.different(), 100u);
    both.compare();
}

TEST(stored_hashes, move_to_any_number_of_pages_while_they_are_used) {
    std::uint64_t seed = 0;
    for (const unsigned word_bits : {6u, 20u, 40u, 64u}) {
        for (const auto& [from, to] :
             {std::pair<std::uint64_t, std::uint64_t>{1, 2}, {5, 10}, {10, 5}, {7, 7}, {3, 40}, {9, 4}}) {
            SCOPED_TRACE(std::to_string(word_bits) + " bits, " + std::to_string(from) + " to " + std::to_string(to));
            checked_hashes both(from, word_bits, 100 + ++seed);
            const std::uint64_t universe = 60 * std::min(from, to);
            both.live(support::rounds(5000), universe, 6);
            both.move_to(to, [&] {
                both.compare();
                both.compare_ranges();
                both.live(100, universe, 5);
                both.reload();
            });
            if (::testing::Test::HasFatalFailure()) return;
            both.live(support::rounds(2000), universe, 5);
            both.compare();
        }
    }
}

TEST(stored_hashes, clear_ends_a_resize_and_leaves_nothing) {
    checked_hashes both(4, 64, 9);
    both.live(2000, 300, 8);
    both.stored().begin_resize(must(hash_pages<heap_words>::make(hash_geometry(9, 64))));
    ASSERT_TRUE(succeeded(both.stored().move_page([](std::span<const std::uint64_t>) {})));
    both.stored().clear();
    EXPECT_FALSE(both.stored().is_resizing());
    EXPECT_EQ(both.stored().now().geometry().pages(), 9u);
    both.stored().for_each([](std::uint64_t, std::uint64_t) { FAIL(); });
}

TEST(stored_hashes, copies_are_counted_to_a_million_and_no_further) {
    auto hashes = empty_multiset(1, 64);
    const std::uint64_t most = hash_page<const std::uint64_t>::most_copies;
    EXPECT_TRUE(succeeded(hashes.add(5, most - 1)));
    EXPECT_EQ(hashes.add(5), insert_outcome::inserted_counted);
    EXPECT_EQ(hashes.add(5), insert_outcome::full_counter);
    EXPECT_EQ(hashes.count(5), most);
}

TEST(stored_hashes, numbers_of_pages_that_cannot_be_are_refused) {
    const resize_progress good{10, 0, 20, 0, 3};
    must(good.check());
    for (const resize_progress& bad :
         {resize_progress{0, 0, 0, 0, 0}, resize_progress{10, 151, 0, 0, 0}, resize_progress{10, 0, 0, 0, 1},
          resize_progress{10, 0, 20, 0, 10}, resize_progress{10, 0, 20, 301, 3},
          resize_progress{hash_geometry::most_pages + 1, 0, 0, 0, 0}}) {
        EXPECT_FALSE(bad.check().has_value());
    }
}

/// Flips bits one after the other; what passes the check must still be an ordered multiset.
void damage(const checked_hashes& both, std::uint64_t stride) {
    std::uint64_t found = 0;
    std::uint64_t passed = 0;
    const auto sections = both.copy_of_sections();
    for (std::size_t section = 0; section < sections.size(); ++section) {
        for (std::uint64_t bit = 0; bit < sections[section].words() * 64; bit += stride) {
            auto stores = both.copy_of_sections();
            stores[section].data()[bit / 64] ^= std::uint64_t{1} << (bit % 64);
            const auto progress = both.stored().progress();
            auto loaded = stored_hashes<heap_words>::assemble(progress, both.word_bits(), std::move(stores));
            if (!loaded) continue;
            if (auto checked = check_stored_hashes(*loaded); !checked) {
                EXPECT_EQ(checked.error().reason, failure_reason::damaged);
                ++found;
                continue;
            }
            ++passed;
            std::uint64_t before = 0;
            std::uint64_t hashes = 0;
            loaded->for_each([&](std::uint64_t hash, std::uint64_t copies) {
                EXPECT_TRUE(hashes == 0 || hash > before);
                EXPECT_EQ(loaded->count(hash), copies);
                before = hash;
                ++hashes;
            });
        }
    }
    // A flipped low bit of a hash is another hash; but most of a page cannot be changed so.
    EXPECT_GT(found, passed / 10);
    EXPECT_GT(found, 0u);
}

TEST(stored_hashes, damaged_pages_are_refused_or_are_other_hashes) {
    checked_hashes at_rest(3, 64, 20);
    at_rest.live(5000, 420, 8);
    ASSERT_GT(at_rest.stored().now().overflow().used(), 0u);
    damage(at_rest, 3);
    checked_hashes moving(4, 24, 21);
    moving.live(5000, 300, 8);
    moving.stored().begin_resize(must(hash_pages<heap_words>::make(hash_geometry(3, 24))));
    ASSERT_TRUE(succeeded(moving.stored().move_page([](std::span<const std::uint64_t>) {})));
    damage(moving, 3);
}

} // namespace
} // namespace everbloom
