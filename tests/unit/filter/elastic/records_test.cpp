// The sorted multiset of hashes, against std::map: every geometry, copies, spares, moving to other pages, and damaged pages.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/bits/const_words.hpp>
#include <everbloom/filter/elastic/records/record_check.hpp>
#include <everbloom/filter/elastic/records/record_range.hpp>
#include <everbloom/probe/mix.hpp>

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;
using truth = std::map<std::uint64_t, std::uint64_t>;

std::uint64_t cut(std::uint64_t word, unsigned word_bits) { return word & ~low_mask(64 - word_bits); }

TEST(record_geometry, bin_and_stored_place_give_the_record_back) {
    dice random(1);
    for (std::uint64_t round = 0; round < support::rounds(200'000); ++round) {
        const unsigned word_bits = 6 + static_cast<unsigned>(random.below(59));
        const std::uint64_t pages = 1 + (random.word() >> (37 + random.below(27)));
        const record_geometry geometry(pages, word_bits);
        std::uint64_t record = cut(random.word(), word_bits);
        if (random.one_in(10)) record = cut(random.one_in(2) ? 0 : ~std::uint64_t{0}, word_bits);
        // The first and the last record of a page are where rounding would show.
        if (random.one_in(4)) record = cut(geometry.start_of_page(random.below(pages)), word_bits);
        const record_place place = geometry.place_of(record);
        ASSERT_EQ(geometry.record_at(place), record) << word_bits << " bits, " << pages << " pages";
        ASSERT_EQ(place.bin / record_geometry::page_bins, geometry.page_of(record));
        ASSERT_LT(place.bin, geometry.bins());
    }
}

TEST(record_geometry, places_are_in_the_order_of_records) {
    dice random(2);
    for (const std::uint64_t pages : {1, 3, 1000, 1 << 20}) {
        const record_geometry geometry(pages, 64);
        for (std::uint64_t round = 0; round < support::rounds(10'000); ++round) {
            const std::uint64_t one = random.word();
            const std::uint64_t other = one + random.below(std::uint64_t{1} << random.below(63));
            if (other < one) continue;
            const record_place low = geometry.place_of(one);
            const record_place high = geometry.place_of(other);
            ASSERT_TRUE(low.bin < high.bin || (low.bin == high.bin && low.stored <= high.stored));
        }
    }
}

TEST(record_geometry, a_page_starts_with_the_smallest_record_that_belongs_to_it) {
    for (const std::uint64_t pages : {1, 2, 3, 7, 1000, 123'456'789}) {
        const record_geometry geometry(pages, 64);
        for (const std::uint64_t page : {std::uint64_t{0}, pages / 3, pages - 1}) {
            const std::uint64_t start = geometry.start_of_page(page);
            EXPECT_EQ(geometry.page_of(start), page);
            EXPECT_TRUE(start == 0 || geometry.page_of(start - 1) == page - 1);
        }
    }
}

/// A multiset and the truth about it.
class accompanied_records {
public:
    accompanied_records(std::uint64_t pages, unsigned word_bits, std::uint64_t seed)
        : word_bits_(word_bits), random_(seed), records_(must(moving_records<heap_words>::make({pages, word_bits}))) {}

    void live(std::uint64_t steps, std::uint64_t universe, std::uint64_t insertions_in_ten) {
        for (std::uint64_t step = 0; step < steps; ++step) {
            // Some come often, one comes very often.
            std::uint64_t number = random_.below(universe);
            if (random_.one_in(4)) number /= 8;
            if (random_.one_in(20)) number = 7;
            const std::uint64_t record = cut(mix(number), word_bits_);
            if (random_.below(10) < insertions_in_ten) {
                const auto done = records_.add(record);
                if (succeeded(done)) {
                    ASSERT_EQ(done == insert_outcome::inserted, truth_.count(record) == 0);
                    ++truth_[record];
                } else {
                    ++refused_;
                }
            } else {
                const bool was_in = truth_.count(record) != 0;
                ASSERT_EQ(static_cast<bool>(records_.remove(record)), was_in);
                if (was_in && --truth_[record] == 0) truth_.erase(record);
            }
            if (step % 500 == 0) compare();
        }
    }

    void compare() {
        truth seen;
        std::uint64_t before = 0;
        records_.for_each([&](std::uint64_t record, std::uint64_t copies) {
            ASSERT_TRUE(seen.empty() || record > before) << "not in order";
            before = record;
            seen[record] = copies;
        });
        ASSERT_EQ(seen, truth_);
        for (const auto& [record, copies] : truth_) ASSERT_EQ(records_.count(record), copies);
    }

    /// Ranges begin and end anywhere, also at records.
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
            records_.for_each_within(lowest, highest, [&](std::uint64_t record, std::uint64_t copies) {
                ASSERT_EQ(truth_.at(record), copies);
                ++visited;
            });
            ASSERT_EQ(visited, expected);
            ASSERT_EQ(count_within(records_, {lowest, highest}, 100'000), expected);
            ASSERT_EQ(count_within(records_, {lowest, highest}, 3), std::min<std::uint64_t>(expected, 3));
        }
    }

    /// Moves everything to other pages, with `between` after every step.
    template <class Between>
    void move_to(std::uint64_t pages, Between between) {
        records_.begin(must(record_pages<heap_words>::make(record_geometry(pages, word_bits_))));
        while (!records_.has_arrived()) {
            std::uint64_t told = 0;
            std::uint64_t expected = 0;
            const std::uint64_t end = records_.now().geometry().start_of_page(records_.moved_pages() + 1);
            const bool is_last = records_.moved_pages() + 1 == records_.now().geometry().pages();
            for (auto at = truth_.lower_bound(records_.frontier()); at != truth_.end() && (is_last || at->first < end);
                 ++at) {
                ++expected;
            }
            ASSERT_TRUE(succeeded(records_.step([&](std::uint64_t) { ++told; })));
            ASSERT_EQ(told, expected);
            if (!records_.has_arrived()) between();
        }
        records_.settle();
        ASSERT_EQ(records_.now().geometry().pages(), pages);
    }

    [[nodiscard]] std::array<heap_words, 4> copy_of_sections() const {
        std::array<heap_words, 4> stores;
        const auto sections = records_.sections();
        const auto lines = records_.progress().section_lines(word_bits_);
        for (std::size_t i = 0; i < stores.size(); ++i) {
            EXPECT_EQ(sections[i].size(), lines[i] * line_words) << i;
            stores[i] = must(heap_words::make(lines[i]));
            std::copy(sections[i].begin(), sections[i].end(), stores[i].data());
        }
        return stores;
    }
    void reload() {
        must(check_progress(records_.progress()));
        auto loaded = must(moving_records<heap_words>::assemble(records_.progress(), word_bits_, copy_of_sections()));
        ASSERT_EQ(loaded.progress(), records_.progress());
        must(check_records(loaded));
        records_ = std::move(loaded);
        compare();
    }

    [[nodiscard]] moving_records<heap_words>& records() noexcept { return records_; }
    [[nodiscard]] const moving_records<heap_words>& records() const noexcept { return records_; }
    [[nodiscard]] unsigned word_bits() const noexcept { return word_bits_; }
    [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }
    [[nodiscard]] std::uint64_t different() const noexcept { return truth_.size(); }

private:
    unsigned word_bits_;
    dice random_;
    moving_records<heap_words> records_;
    truth truth_;
    std::uint64_t refused_ = 0;
};

TEST(records, are_a_multiset_in_order_at_any_width_and_number_of_pages) {
    std::uint64_t seed = 0;
    for (const unsigned word_bits : {6u, 12u, 20u, 33u, 48u, 61u, 64u}) {
        for (const std::uint64_t pages : {1, 2, 3, 10}) {
            SCOPED_TRACE(std::to_string(word_bits) + " bits, " + std::to_string(pages) + " pages");
            accompanied_records both(pages, word_bits, ++seed);
            both.live(support::rounds(20'000), 150 * pages, 6);
            if (::testing::Test::HasFatalFailure()) return;
            both.compare_ranges();
            both.reload();
            both.live(support::rounds(20'000), 150 * pages, 3);
        }
    }
}

TEST(records, that_do_not_fit_their_pages_take_spares_and_give_them_back) {
    accompanied_records both(4, 64, 5);
    both.live(20'000, 700, 9);
    EXPECT_GT(both.records().now().used_spares(), 0u);
    both.compare();
    both.reload();
    both.live(100'000, 700, 0);
    EXPECT_EQ(both.records().now().used_spares(), 0u);
    both.compare();
}

TEST(records, beyond_what_a_bin_can_count_are_refused_and_nothing_changes) {
    accompanied_records both(1, 64, 6);
    both.live(20'000, 5000, 10);
    EXPECT_GT(both.refused(), 0u);
    EXPECT_GE(both.different(), 100u);
    both.compare();
}

TEST(records, move_to_any_number_of_pages_while_they_are_used) {
    std::uint64_t seed = 0;
    for (const unsigned word_bits : {6u, 20u, 40u, 64u}) {
        for (const auto& [from, to] :
             {std::pair<std::uint64_t, std::uint64_t>{1, 2}, {5, 10}, {10, 5}, {7, 7}, {3, 40}, {9, 4}}) {
            SCOPED_TRACE(std::to_string(word_bits) + " bits, " + std::to_string(from) + " to " + std::to_string(to));
            accompanied_records both(from, word_bits, 100 + ++seed);
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

TEST(records, clear_ends_a_move_and_leaves_nothing) {
    accompanied_records both(4, 64, 9);
    both.live(2000, 300, 8);
    both.records().begin(must(record_pages<heap_words>::make(record_geometry(9, 64))));
    ASSERT_TRUE(succeeded(both.records().step([](std::uint64_t) {})));
    both.records().clear();
    EXPECT_FALSE(both.records().is_moving());
    EXPECT_EQ(both.records().now().geometry().pages(), 9u);
    both.records().for_each([](std::uint64_t, std::uint64_t) { FAIL(); });
}

TEST(records, copies_are_counted_to_a_million_and_no_further) {
    auto records = must(moving_records<heap_words>::make({1, 64}));
    const std::uint64_t most = record_page<const std::uint64_t>::most_copies;
    EXPECT_TRUE(succeeded(records.add(5, most - 1)));
    EXPECT_EQ(records.add(5), insert_outcome::inserted_counted);
    EXPECT_EQ(records.add(5), insert_outcome::full_counter);
    EXPECT_EQ(records.count(5), most);
}

TEST(records, numbers_of_pages_that_cannot_be_are_refused) {
    const record_progress good{10, 0, 20, 0, 3};
    must(check_progress(good));
    for (const record_progress& bad :
         {record_progress{0, 0, 0, 0, 0}, record_progress{10, 151, 0, 0, 0}, record_progress{10, 0, 0, 0, 1},
          record_progress{10, 0, 20, 0, 10}, record_progress{10, 0, 20, 301, 3},
          record_progress{record_geometry::most_pages + 1, 0, 0, 0, 0}}) {
        EXPECT_FALSE(check_progress(bad).has_value());
    }
}

/// Flips bits one after the other; what passes the check must still be an ordered multiset.
void damage(const accompanied_records& both, std::uint64_t stride) {
    std::uint64_t found = 0;
    std::uint64_t passed = 0;
    const auto sections = both.copy_of_sections();
    for (std::size_t section = 0; section < sections.size(); ++section) {
        for (std::uint64_t bit = 0; bit < sections[section].words() * 64; bit += stride) {
            auto stores = both.copy_of_sections();
            stores[section].data()[bit / 64] ^= std::uint64_t{1} << (bit % 64);
            const auto progress = both.records().progress();
            auto loaded = moving_records<heap_words>::assemble(progress, both.word_bits(), std::move(stores));
            if (!loaded) continue;
            if (auto checked = check_records(*loaded); !checked) {
                EXPECT_EQ(checked.error().reason, failure_reason::damaged);
                ++found;
                continue;
            }
            ++passed;
            std::uint64_t before = 0;
            std::uint64_t records = 0;
            loaded->for_each([&](std::uint64_t record, std::uint64_t copies) {
                EXPECT_TRUE(records == 0 || record > before);
                EXPECT_EQ(loaded->count(record), copies);
                before = record;
                ++records;
            });
        }
    }
    // A flipped low bit of a record is another record; but most of a page cannot be changed so.
    EXPECT_GT(found, passed / 10);
    EXPECT_GT(found, 0u);
}

TEST(records, damaged_pages_are_refused_or_are_other_records) {
    accompanied_records at_rest(3, 64, 20);
    at_rest.live(5000, 420, 8);
    ASSERT_GT(at_rest.records().now().used_spares(), 0u);
    damage(at_rest, 3);
    accompanied_records moving(4, 24, 21);
    moving.live(5000, 300, 8);
    moving.records().begin(must(record_pages<heap_words>::make(record_geometry(3, 24))));
    ASSERT_TRUE(succeeded(moving.records().step([](std::uint64_t) {})));
    damage(moving, 3);
}

} // namespace
} // namespace everbloom
