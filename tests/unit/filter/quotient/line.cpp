// One line of a quotient filter against the simplest thing that does the same: a list of items for every bucket.
#include "support/dice.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/quotient/quotient_spec.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::rounds;
using plain_select = kernel::portable_select;

template <class Act>
void for_every_shape(Act act) {
    for (unsigned buckets = quotient_spec::least_buckets; buckets <= quotient_spec::most_buckets; ++buckets) {
        for (unsigned bits = 0; bits <= quotient_spec::most_extension_bits; ++bits) {
            SCOPED_TRACE(testing::Message() << buckets << " buckets, extensions of " << bits << " bits");
            ASSERT_NO_FATAL_FAILURE(act(line_shape(buckets, bits)));
        }
    }
}

/// A line and a list of items for every bucket that are changed together.
class line_and_lists {
public:
    explicit line_and_lists(const line_shape& shape) : shape_(shape), lists_(shape.buckets) {
        words_.fill(0x5a5a5a5a5a5a5a5a); // what was there before does not matter
        line().clear();
    }

    [[nodiscard]] quotient_line<std::uint64_t> line() { return {words_.data(), shape_}; }
    [[nodiscard]] const std::array<std::uint64_t, line_words>& words() const { return words_; }
    [[nodiscard]] unsigned count() const {
        std::size_t items = 0;
        for (const auto& list : lists_) items += list.size();
        return static_cast<unsigned>(items);
    }

    void insert(unsigned bucket, stored_item item) {
        line().insert(line().bucket<plain_select>(bucket), item);
        lists_[bucket].push_back(item);
    }
    void erase_any(dice& random) {
        std::uint64_t number = random.below(count());
        for (unsigned bucket = 0; bucket < lists_.size(); ++bucket) {
            auto& list = lists_[bucket];
            if (number < list.size()) {
                const stored_item item = list[number];
                const bucket_range range = line().bucket<plain_select>(bucket);
                const unsigned slot = line().find<plain_select>(range, item);
                ASSERT_NE(slot, no_slot);
                line().erase(range, slot);
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(number));
                return;
            }
            number -= list.size();
        }
    }

    /// What every operation must leave behind.
    void expect_sound() {
        ASSERT_EQ(line().count(), count());
        ASSERT_EQ(line().room(), shape_.slots - count());
        ASSERT_TRUE(line().is_consistent());
    }

    /// Everything that can be asked of the line.
    void expect_equal() {
        expect_sound();
        unsigned first = 0;
        for (unsigned bucket = 0; bucket < lists_.size(); ++bucket) {
            const bucket_range range = line().bucket<plain_select>(bucket);
            ASSERT_EQ(range.first, first);
            ASSERT_EQ(range.length, lists_[bucket].size());
            ASSERT_EQ(range.at, 1 + bucket + first);
            ASSERT_EQ(sorted(items_of(range)), sorted(lists_[bucket]));
            for (const stored_item& item : lists_[bucket]) expect_counted(bucket, item);
            first += range.length;
        }
        expect_visits_all();
        ASSERT_EQ(written_bit_by_bit(), words_);
    }
    /// This item, and others that differ from it in one bit only.
    void expect_counted(unsigned bucket, stored_item item) {
        expect_copies(bucket, item);
        for (unsigned bit = 0; bit < 8; bit += 7) {
            expect_copies(bucket, {item.extension, static_cast<std::uint8_t>(item.byte ^ 1U << bit)});
        }
        for (unsigned bit = 0; bit < shape_.extension_bits; bit += std::max(1U, shape_.extension_bits - 1)) {
            expect_copies(bucket, {item.extension ^ 1U << bit, item.byte});
        }
    }

private:
    [[nodiscard]] static std::vector<stored_item> sorted(std::vector<stored_item> items) {
        std::sort(items.begin(), items.end(), [](const stored_item& a, const stored_item& b) {
            return a.extension != b.extension ? a.extension < b.extension : a.byte < b.byte;
        });
        return items;
    }
    [[nodiscard]] std::vector<stored_item> items_of(const bucket_range& range) {
        std::vector<stored_item> found;
        for (unsigned i = 0; i < range.length; ++i) found.push_back(line().item(range.first + i));
        return found;
    }
    void expect_copies(unsigned bucket, stored_item item) {
        expect_copies_with<plain_select>(bucket, item);
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::is_modern()) expect_copies_with<kernel::pdep_select>(bucket, item);
#endif
    }
    template <class Select>
    void expect_copies_with(unsigned bucket, stored_item item) {
        const auto copies = std::count(lists_[bucket].begin(), lists_[bucket].end(), item);
        ASSERT_EQ(line().copies<Select>(bucket, item), static_cast<unsigned>(copies));
        ASSERT_EQ(line().holds<Select>(bucket, item), copies != 0);
        const unsigned slot = line().find<Select>(line().bucket<Select>(bucket), item);
        ASSERT_EQ(slot == no_slot, copies == 0);
        if (slot == no_slot) return;
        ASSERT_EQ(line().item(slot), item);
    }
    void expect_visits_all() {
        std::vector<unsigned> seen(lists_.size());
        unsigned slots = 0;
        unsigned last_bucket = 0;
        line().for_each([&](unsigned bucket, unsigned slot) {
            EXPECT_EQ(slot, slots++);
            EXPECT_LE(last_bucket, bucket);
            last_bucket = bucket;
            if (bucket < seen.size()) ++seen[bucket];
        });
        for (unsigned bucket = 0; bucket < seen.size(); ++bucket) ASSERT_EQ(seen[bucket], lists_[bucket].size());
    }

    /// The line as its header draws it, with zeros wherever nothing is in use.
    [[nodiscard]] std::array<std::uint64_t, line_words> written_bit_by_bit() {
        std::bitset<line_bits> bits;
        unsigned end = 0;
        unsigned slot = 0;
        bits.set(end++);
        for (unsigned bucket = 0; bucket < lists_.size(); ++bucket) {
            for (const stored_item& item : items_of(line().bucket<plain_select>(bucket))) {
                for (unsigned bit = 0; bit < shape_.extension_bits; ++bit) {
                    bits[shape_.extensions_at + slot * shape_.extension_bits + bit] = (item.extension >> bit & 1) != 0;
                }
                for (unsigned bit = 0; bit < 8; ++bit)
                    bits[shape_.bytes_at + slot * 8 + bit] = (item.byte >> bit & 1) != 0;
                ++slot;
                ++end;
            }
            bits.set(end++);
        }
        std::array<std::uint64_t, line_words> made{};
        for (unsigned bit = 0; bit < line_bits; ++bit) made[bit / 64] |= std::uint64_t{bits[bit]} << bit % 64;
        return made;
    }

    line_shape shape_;
    std::vector<std::vector<stored_item>> lists_;
    alignas(line_bytes) std::array<std::uint64_t, line_words> words_;
};

/// Few different values, so that there are copies, and those with all bits set or none.
stored_item any_item(dice& random, const line_shape& shape) {
    const auto all = static_cast<std::uint32_t>(low_mask(shape.extension_bits));
    const auto extension = static_cast<std::uint32_t>(random.word()) & all;
    const auto byte = static_cast<std::uint8_t>(random.word());
    switch (random.below(4)) {
    case 0: return {random.one_in(2) ? all : 0, static_cast<std::uint8_t>(random.one_in(2) ? 0xff : 0)};
    case 1: return {extension & 1, static_cast<std::uint8_t>(byte & 1)};
    default: return {extension, byte};
    }
}

TEST(quotient_line, fields_of_every_shape_follow_each_other_and_fit) {
    for_every_shape([](const line_shape& shape) {
        ASSERT_GT(shape.slots, 0u);
        ASSERT_EQ(shape.extensions_at, 1 + shape.buckets + shape.slots);
        ASSERT_LE(shape.extensions_at, line_shape::most_ends);
        ASSERT_EQ(shape.extensions_end, shape.extensions_at + shape.slots * shape.extension_bits);
        ASSERT_LE(shape.extensions_end, shape.bytes_at);
        ASSERT_EQ(shape.bytes_at + 8 * shape.slots, line_bits);
        // A window has 57 bits, so a bucket with all the items still shows its end.
        ASSERT_LT(shape.slots, 57u);
        const unsigned marked = static_cast<unsigned>(std::popcount(shape.ends[0]) + std::popcount(shape.ends[1]));
        ASSERT_EQ(marked, shape.extensions_at);
        ASSERT_TRUE(shape.ends[1] == 0 || shape.ends[0] == ~std::uint64_t{0});
        // One more slot would not fit.
        const bool ends_are_full = shape.extensions_at == line_shape::most_ends;
        ASSERT_TRUE(ends_are_full || shape.bytes_at - shape.extensions_end < 9 + shape.extension_bits);
    });
}

TEST(quotient_line, a_line_of_every_shape_fills_to_the_last_slot_and_empties_again) {
    dice random(2);
    const std::uint64_t looks = rounds(20);
    for_every_shape([&](const line_shape& shape) {
        line_and_lists both(shape);
        const auto empty = both.words();
        both.expect_equal();
        while (both.count() < shape.slots) {
            both.insert(static_cast<unsigned>(random.below(shape.buckets)), any_item(random, shape));
            both.expect_sound();
        }
        both.expect_equal();
        for (std::uint64_t look = 0; look < looks; ++look) {
            both.expect_counted(static_cast<unsigned>(random.below(shape.buckets)), any_item(random, shape));
        }
        while (both.count() > 0) {
            both.erase_any(random);
            both.expect_sound();
        }
        ASSERT_EQ(both.words(), empty);
    });
}

TEST(quotient_line, random_insertions_and_removals_do_what_lists_do) {
    dice random(3);
    for (std::uint64_t round = 0; round < rounds(40); ++round) {
        const line_shape shape(static_cast<unsigned>(16 + random.below(95)), static_cast<unsigned>(random.below(25)));
        SCOPED_TRACE(testing::Message() << shape.buckets << " " << shape.extension_bits);
        line_and_lists both(shape);
        const std::uint64_t used = 1 + random.below(shape.buckets); // few buckets become long
        for (int step = 0; step < 150; ++step) {
            const bool fuller = step / 40 % 2 == 0; // up and down
            if (both.count() < shape.slots && (both.count() == 0 || random.below(4) < (fuller ? 3U : 1U))) {
                const auto bucket = static_cast<unsigned>(shape.buckets - 1 - random.below(used));
                both.insert(random.one_in(8) ? 0 : bucket, any_item(random, shape));
            } else {
                both.erase_any(random);
            }
            ASSERT_NO_FATAL_FAILURE(both.expect_equal());
        }
    }
}

TEST(quotient_line, one_bucket_may_have_all_slots) {
    dice random(4);
    for_every_shape([&](const line_shape& shape) {
        const unsigned bucket = shape.extension_bits % 2 == 0 ? 0 : shape.buckets - 1;
        line_and_lists both(shape);
        while (both.count() < shape.slots) both.insert(bucket, any_item(random, shape));
        if (shape.buckets % 4 == 0) both.expect_equal();
        ASSERT_EQ(both.line().bucket<plain_select>(bucket).length, shape.slots);
    });
}

#if defined(EVERBLOOM_MODERN_X86)
TEST(quotient_line, buckets_are_the_same_with_both_ways_to_select) {
    if (!kernel::is_modern()) GTEST_SKIP() << "this processor has no pdep";
    dice random(5);
    for_every_shape([&](const line_shape& shape) {
        line_and_lists both(shape);
        const std::uint64_t items = random.below(shape.slots + 1);
        while (both.count() < items)
            both.insert(static_cast<unsigned>(random.below(shape.buckets)), any_item(random, shape));
        for (unsigned bucket = 0; bucket < shape.buckets; ++bucket) {
            const bucket_range one = both.line().bucket<plain_select>(bucket);
            const bucket_range same = both.line().bucket<kernel::pdep_select>(bucket);
            ASSERT_EQ(one.first, same.first);
            ASSERT_EQ(one.length, same.length);
            ASSERT_EQ(one.at, same.at);
        }
    });
}
#endif

TEST(quotient_line, any_flipped_bit_that_makes_it_impossible_is_noticed) {
    const line_shape shape(79, 3);
    dice random(6);
    line_and_lists both(shape);
    while (both.count() < shape.slots / 2)
        both.insert(static_cast<unsigned>(random.below(shape.buckets)), any_item(random, shape));
    const unsigned items = both.count();
    for (unsigned bit = 0; bit < line_bits; ++bit) {
        auto words = both.words();
        words[bit / 64] ^= std::uint64_t{1} << bit % 64;
        const bool is_item = (bit >= shape.extensions_at && bit < shape.extensions_at + items * shape.extension_bits) ||
                             (bit >= shape.bytes_at && bit < shape.bytes_at + items * 8);
        const quotient_line<const std::uint64_t> line(words.data(), shape);
        ASSERT_EQ(line.is_consistent(), is_item) << bit; // a changed item is another item
    }
}

} // namespace
} // namespace everbloom
