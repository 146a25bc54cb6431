// What is done in vectors against the same in the portable way, for a third of all shapes of a line: insertion, removal, splitting, choosing items.
#include "support/dice.hpp"
#include "support/must.hpp"

#include <everbloom/filter/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using plain_select = kernel::portable_select;

#if defined(EVERBLOOM_MODERN_X86)

/// Three lines, of which two are ahead and one is not: all that the first split leaves of two rows.
struct few_lines {
    explicit few_lines(const quotient_spec& spec) : places(spec) {
        for (std::uint64_t number = 0; number < 3; ++number) table().line(number).clear();
    }
    few_lines(const few_lines&) = delete;
    few_lines& operator=(const few_lines&) = delete;

    [[nodiscard]] quotient_table<lines_in_units<std::uint64_t>> table() {
        return {places, lines_in_units<std::uint64_t>(&unit)};
    }
    [[nodiscard]] std::uint64_t* line(std::uint64_t number) { return words.data() + number * line_words; }

    quotient_places places;
    std::array<std::uint64_t, 3 * line_words> words{};
    std::uint64_t* unit = words.data();
};

template <class Act>
void for_every_geometry(Act act) {
    if (!kernel::fast_pdep) GTEST_SKIP() << "this processor has no use for them";
    for (unsigned buckets = quotient_spec::least_buckets; buckets <= quotient_spec::most_buckets; buckets += 3) {
        for (unsigned bits = 0; bits <= quotient_spec::most_extension_bits; ++bits) {
            SCOPED_TRACE(testing::Message() << buckets << " buckets, extensions of " << bits << " bits");
            quotient_spec spec{.initial_lines = 2, .rows = 2, .buckets = buckets, .remainder_bits = 8 + bits};
            ASSERT_NO_FATAL_FAILURE(act(spec.with_lines(3)));
        }
    }
}

/// A key as a batch of one has it; `is_wide`: as one that is changed with AVX-512, where that can be.
struct batch_of_one {
    batch_of_one(few_lines& lines, digest key, bool is_wide) {
        quotient_batch::start(lines.places, writable_line_units(&lines.unit, 60), 0, std::span(&key, 1), keys);
        keys.is_wide = keys.is_wide && is_wide;
    }
    quotient_batch::group keys;
};

void insert_and_remove(dice& random, const quotient_spec& spec, bool is_wide) {
    few_lines tried(spec);
    few_lines expected(spec);
    std::vector<digest> members;
    for (std::uint64_t i = 0; i < 3 * spec.slots(); ++i) {
        if (members.empty() || random.below(3) != 0) {
            // Every fourth one in a few buckets, which get more items than a key may have copies.
            const digest key{random.word(), random.word() & (random.below(4) == 0 ? low_mask(58) : low_mask(64))};
            const auto [one, other] = expected.places.locate_packed<table_state::growing>(key);
            const stored_as made = expected.table().insert<plain_select>(one, other);
            const batch_of_one batch(tried, key, is_wide);
            if (quotient_batch::insert(tried.places, batch.keys, 0, 1) == 1) {
                ASSERT_EQ(made, stored_as::item);
            } else {
                ASSERT_EQ(tried.table().insert<plain_select>(one, other), made);
            }
            if (made == stored_as::item) members.push_back(key);
        } else {
            const std::size_t chosen = random.below(members.size());
            const digest key = members[chosen];
            members[chosen] = members.back();
            members.pop_back();
            const auto [one, other] = expected.places.locate<table_state::growing>(key);
            ASSERT_TRUE(expected.table().erase<plain_select>(one) || expected.table().erase<plain_select>(other));
            batch_of_one batch(tried, key, is_wide);
            // Where both lines have such an item, the likelier one is taken.
            quotient_batch::look_to_erase(tried.places, batch.keys);
            ASSERT_TRUE(batch.keys.second == 0 || !tried.table().holds<plain_select>(one));
            const bool is_in_first = tried.table().holds<plain_select>(one);
            batch.keys.second = is_in_first ? 0 : 1;
            ASSERT_EQ(quotient_batch::erase(tried.places, batch.keys, 0, 1), 1u);
        }
        ASSERT_EQ(tried.words, expected.words) << i;
    }
    const digest absent{random.word(), random.word()};
    const auto [one, other] = expected.places.locate<table_state::growing>(absent);
    const bool held = expected.table().holds<plain_select>(one) || expected.table().holds<plain_select>(other);
    const batch_of_one batch(tried, absent, is_wide);
    ASSERT_EQ(quotient_batch::erase(tried.places, batch.keys, 0, 1), held ? 1u : 0u);
    for (std::uint64_t number = 0; number < spec.lines(); ++number)
        ASSERT_TRUE(tried.table().line(number).is_consistent());
}

TEST(quotient_vectors, insert_and_remove_as_a_line_does) {
    dice random(1);
    for_every_geometry([&](const quotient_spec& spec) {
        for (const bool is_wide : {false, true}) {
            ASSERT_NO_FATAL_FAILURE(insert_and_remove(random, spec, is_wide));
            ASSERT_NO_FATAL_FAILURE(insert_and_remove(random, spec.with_lines(2), is_wide)); // of the first size
        }
    });
}

/// Lines of a table of its first size, in units of 2^bits lines.
struct lines_in_pieces {
    lines_in_pieces(std::vector<std::uint64_t>& words, unsigned bits) : unit_bits(bits) {
        for (std::size_t at = 0; at < words.size(); at += line_words << bits) units.push_back(words.data() + at);
    }
    [[nodiscard]] writable_line_units written() { return {units.data(), unit_bits}; }
    [[nodiscard]] line_units read() { return {units.data(), unit_bits}; }

    unsigned unit_bits;
    std::vector<std::uint64_t*> units;
};

TEST(quotient_vectors, find_lines_wherever_they_are) {
    if (!kernel::fast_pdep) GTEST_SKIP() << "this processor has no use for them";
    dice random(8);
    constexpr std::uint64_t rows = 40;
    quotient_spec first_size{.initial_lines = rows, .rows = rows, .buckets = 49, .remainder_bits = 12};
    for (const std::uint64_t lines : {rows, rows + 7, 3 * rows}) {
        const quotient_places places(first_size.with_lines(lines));
        std::vector<std::uint64_t> words(lines * line_words);
        std::vector<digest> keys;
        for (std::size_t i = 0; i < 3 * quotient_batch::most_keys + 5; ++i)
            keys.push_back({random.word(), random.word()});
        std::uint64_t* const unit = words.data();
        const quotient_table<lines_in_units<std::uint64_t>> table(places, lines_in_units<std::uint64_t>(&unit));
        for (std::uint64_t number = 0; number < lines; ++number) table.line(number).clear();
        std::vector<std::uint8_t> expected(keys.size(), 0);
        for (std::size_t i = 0; i < keys.size(); i += 2) {
            const auto [one, other] = places.locate_packed<table_state::growing>(keys[i]);
            ASSERT_EQ(table.insert<plain_select>(one, other), stored_as::item);
            expected[i] = 1;
        }
        for (const unsigned bits : {0, 1, 2, 3, 12, 60}) { // 120 units at most, and one
            SCOPED_TRACE(testing::Message() << lines << " lines, 2^" << bits << " in a unit");
            lines_in_pieces pieces(words, std::min(bits, 12U));
            pieces.unit_bits = bits;
            if (places.is_wide()) {
                std::vector<std::uint8_t> answers(keys.size(), 7);
                quotient_batch::answer_widely(places, pieces.read(), keys, answers.data());
                ASSERT_EQ(answers, expected);
            }
            std::span<const digest> left = keys;
            while (!left.empty()) {
                quotient_batch::group group;
                quotient_batch::start(places, pieces.written(), 0, left, group);
                for (std::size_t i = 0; i < group.count; ++i) {
                    const auto [one, other] = places.locate_packed<table_state::growing>(left[i]);
                    for (const auto& [number, place] :
                         {std::pair(i, one), std::pair(i + quotient_batch::most_keys, other)}) {
                        ASSERT_EQ(group.found.lines[number], place.line);
                        ASSERT_EQ(group.found.stored[number], place.stored);
                        ASSERT_EQ(group.at[number], words.data() + place.line * line_words);
                    }
                }
                left = left.subspan(group.count);
            }
        }
    }
}

TEST(quotient_vectors, answer_batches_in_a_table_that_is_too_large_for_a_cache) {
    if (!kernel::fast_pdep) GTEST_SKIP() << "this processor has no use for them";
    dice random(9);
    constexpr std::uint64_t rows = (std::uint64_t{1} << 18) + 1;
    const quotient_spec first_size{.initial_lines = rows, .rows = rows, .buckets = 49, .remainder_bits = 12};
    for (const std::uint64_t lines : {rows, rows + 1}) {
        const quotient_places places(first_size.with_lines(lines));
        std::vector<std::uint64_t> words(lines * line_words);
        lines_in_pieces pieces(words, chunked_words::unit_bits);
        const quotient_table<lines_in_units<std::uint64_t>> table(places,
                                                                  lines_in_units<std::uint64_t>(pieces.units.data()));
        for (std::uint64_t number = 0; number < lines; ++number) words[number * line_words] = low_mask(50);
        table.line(lines - 1).clear();
        table.line(0).clear();
        ASSERT_EQ(words[0], low_mask(50)); // as all the others are
        for (const std::size_t count : {std::size_t{1}, std::size_t{31}, std::size_t{33}, std::size_t{500}}) {
            for (const std::uint64_t share : {0, 1, 9, 10}) { // of ten keys that are members
                std::vector<digest> keys;
                std::vector<std::uint8_t> expected;
                for (std::size_t i = 0; i < count; ++i) {
                    keys.push_back({random.word(), random.word()});
                    expected.push_back(random.below(10) < share ? 1 : 0);
                    const auto [one, other] = places.locate_packed<table_state::growing>(keys[i]);
                    if (expected[i] != 0) {
                        ASSERT_EQ(table.insert<plain_select>(one, other), stored_as::item);
                    }
                }
                std::vector<std::uint8_t> answers(count, 7);
                quotient_batch::answer(places, pieces.read(), keys, answers.data());
                ASSERT_EQ(answers, expected);
                if (!places.is_wide()) continue;
                answers.assign(count, 7);
                quotient_batch::answer_widely(places, pieces.read(), keys, answers.data());
                ASSERT_EQ(answers, expected);
            }
        }
    }
}

TEST(quotient_vectors, find_a_single_key_as_a_line_does) {
    dice random(4);
    for_every_geometry([&](const quotient_spec& spec) {
        few_lines lines(spec);
        const std::uint64_t* const unit = lines.words.data();
        const lines_in_units<const std::uint64_t> words(&unit);
        std::uint64_t held = 0;
        for (std::uint64_t i = 0; i < spec.slots(); ++i) {
            // Half of them have few fingerprints: then other keys are found, too.
            const std::uint64_t few = random.below(2) == 0 ? low_mask(64) : 3;
            const digest key{random.word(), random.word() & (few | ~low_mask(32))};
            const auto [one, other] = lines.places.locate_packed<table_state::growing>(key);
            if (random.below(2) == 0) (void)lines.table().insert<plain_select>(one, other);
            const bool expected = lines.table().holds<plain_select>(one.unpacked()) ||
                                  lines.table().holds<plain_select>(other.unpacked());
            held += expected ? 1 : 0;
            ASSERT_EQ(quotient_batch::holds<table_state::growing>(lines.places, words, key), expected) << i;
            if (!kernel::compares_whole_lines) continue;
            ASSERT_EQ(quotient_batch::holds_in_wide<table_state::growing>(lines.places, words, key), expected) << i;
        }
        ASSERT_GT(held, 0u);
    });
}

TEST(quotient_vectors, find_a_single_key_in_few_instructions_as_a_line_does) {
    dice random(6);
    std::uint64_t long_buckets = 0;
    for_every_geometry([&](const quotient_spec& spec) {
        // Two lines of the first size. All keys are in a few buckets, every second time: buckets with dozens of items, too.
        for (const std::uint64_t buckets : {low_mask(32), std::uint64_t{0x03ff'ffff}}) {
            few_lines lines(spec.with_lines(2));
            ASSERT_EQ(lines.places.is_brief(), lines.places.shape(0).extensions_at <= 96);
            if (!lines.places.is_brief()) return;
            const std::uint64_t first_bucket = random.word() & ~buckets;
            const std::uint64_t* const unit = lines.words.data();
            const lines_in_units<const std::uint64_t> words(&unit);
            std::uint64_t held = 0;
            for (std::uint64_t i = 0; i < spec.slots(); ++i) {
                const std::uint64_t bucket = (first_bucket | (random.word() & buckets)) & low_mask(32);
                const std::uint64_t few = random.below(2) == 0 ? low_mask(32) : 3;
                const digest key{random.word(), bucket << 32 | (random.word() & few)};
                const auto [one, other] = lines.places.locate_packed<table_state::growing>(key);
                if (random.below(2) == 0) (void)lines.table().insert<plain_select>(one, other);
                const bool expected = lines.table().holds<plain_select>(one.unpacked()) ||
                                      lines.table().holds<plain_select>(other.unpacked());
                held += expected ? 1 : 0;
                const auto in_bucket = lines.table().line(one.line).bucket<plain_select>(one.bucket());
                long_buckets += in_bucket.length > 32 ? 1 : 0;
                ASSERT_EQ(quotient_batch::holds_briefly(lines.places, words, key), expected) << i;
            }
            ASSERT_GT(held, 0u);
        }
    });
    EXPECT_GT(long_buckets, 0u);
}

TEST(quotient_vectors, find_keys_in_whole_lines_as_a_line_does) {
    dice random(7);
    std::uint64_t long_buckets = 0;
    for_every_geometry([&](const quotient_spec& spec) {
        // As above: two lines of the first size, and every second time all keys in a few buckets.
        for (const std::uint64_t buckets : {low_mask(32), std::uint64_t{0x03ff'ffff}}) {
            few_lines lines(spec.with_lines(2));
            ASSERT_EQ(lines.places.is_wide(), kernel::compares_whole_lines && spec.buckets <= 64);
            if (!lines.places.is_wide()) return;
            const std::uint64_t first_bucket = random.word() & ~buckets;
            const std::uint64_t* const unit = lines.words.data();
            const lines_in_units<const std::uint64_t> words(&unit);
            std::vector<digest> keys;
            for (std::uint64_t i = 0; i < spec.slots(); ++i) {
                const std::uint64_t bucket = (first_bucket | (random.word() & buckets)) & low_mask(32);
                const std::uint64_t few = random.below(2) == 0 ? low_mask(32) : 3;
                keys.push_back({random.word(), bucket << 32 | (random.word() & few)});
                const auto [one, other] = lines.places.locate_packed<table_state::growing>(keys.back());
                if (random.below(2) == 0) (void)lines.table().insert<plain_select>(one, other);
                const auto in_bucket = lines.table().line(one.line).bucket<plain_select>(one.bucket());
                long_buckets += in_bucket.length > 32 ? 1 : 0;
            }
            // All of them in batches, then members among many others of them, then none.
            std::array<std::vector<digest>, 3> batches;
            for (const digest& key : keys) {
                const auto [one, other] = lines.places.locate<table_state::growing>(key);
                const bool expected =
                    lines.table().holds<plain_select>(one) || lines.table().holds<plain_select>(other);
                ASSERT_EQ(quotient_batch::holds_widely(lines.places, words, key), expected);
                batches[0].push_back(key);
                batches[expected ? 1 : 2].push_back(key);
            }
            ASSERT_FALSE(batches[1].empty());
            for (std::vector<digest>& batch : batches) {
                const std::vector<digest> once = batch;
                for (int i = 0; i < 3; ++i) batch.insert(batch.end(), once.begin(), once.end());
                if (!once.empty()) batch.push_back(keys[random.below(keys.size())]);
                std::vector<std::uint8_t> answers(batch.size(), 7);
                const const_words store(lines.words.data(), 2 * line_words, nullptr);
                quotient_batch::answer_widely(lines.places, line_units(store), batch, answers.data());
                std::vector<std::uint8_t> same(batch.size(), 7);
                quotient_batch::answer(lines.places, line_units(store), batch, same.data());
                ASSERT_EQ(answers, same);
                for (std::size_t i = 0; i < batch.size(); ++i) {
                    const bool expected = quotient_batch::holds_widely(lines.places, words, batch[i]);
                    ASSERT_EQ(answers[i], expected ? 1 : 0) << i;
                }
            }
        }
    });
    EXPECT_TRUE(!kernel::compares_whole_lines || long_buckets > 0);
}

TEST(quotient_vectors, whole_lines_are_for_tables_of_their_first_size) {
    quotient_spec spec{.initial_lines = 3, .rows = 3, .buckets = 43, .remainder_bits = 9};
    EXPECT_EQ(quotient_places(spec).is_wide(), kernel::compares_whole_lines);
    EXPECT_FALSE(quotient_places(spec.with_lines(4)).is_wide());
    EXPECT_FALSE(quotient_places(spec.with_lines(6)).is_wide());
    spec.rows = spec.initial_lines = std::uint64_t{1} << 32;
    EXPECT_FALSE(quotient_places(spec).is_wide());
}

TEST(quotient_vectors, compute_the_other_places_of_the_items_of_a_line) {
    dice random(5);
    for_every_geometry([&](const quotient_spec& spec) {
        few_lines lines(spec);
        for (std::uint64_t i = 0; i < spec.slots(); ++i) {
            const digest key{random.word(), random.word()};
            const auto [one, other] = lines.places.locate_packed<table_state::growing>(key);
            (void)lines.table().insert<plain_select>(one, other);
        }
        for (std::uint64_t number = 0; number < 3; ++number) {
            quotient_batch::ways found;
            found.from = number;
            std::vector<packed_place> expected;
            const quotient_places::reader reader(lines.places, number);
            const auto line = lines.table().line(number);
            line.for_each([&](unsigned bucket, unsigned slot) {
                if (found.count == quotient_batch::most_ways || random.below(3) == 0) return;
                found.slots[found.count] = static_cast<std::uint8_t>(slot);
                found.buckets[found.count++] = static_cast<std::uint8_t>(bucket);
                expected.push_back(lines.places.pack(reader.fingerprint(bucket, line.item(slot))).second);
            });
            quotient_batch::locate_others(lines.places, lines.line(number), found);
            for (std::size_t i = 0; i < found.count; ++i) {
                ASSERT_EQ(found.lines[i], expected[i].line) << number;
                ASSERT_EQ(found.stored[i], expected[i].stored) << number;
            }
        }
    });
}

TEST(quotient_vectors, keep_the_items_that_are_chosen) {
    dice random(2);
    for_every_geometry([&](const quotient_spec& spec) {
        few_lines lines(spec);
        const line_shape& shape = lines.places.shape(0); // of line 1
        const unsigned items = static_cast<unsigned>(random.below(shape.slots + 1));
        for (unsigned i = 0; i < items; ++i) {
            auto line = lines.table().line(1);
            const auto extension = static_cast<std::uint32_t>(random.word() & low_mask(shape.extension_bits));
            line.insert(line.bucket<plain_select>(static_cast<unsigned>(random.below(shape.buckets))),
                        {extension, static_cast<std::uint8_t>(random.word())});
        }
        const auto line = lines.table().line(1);
        const std::uint64_t kept = random.word() & low_mask(items);
        std::uint64_t lowest_bits = 0;
        line_builder same(shape);
        line_builder shorter(lines.places.shape(1));
        line.for_each([&](unsigned bucket, unsigned slot) {
            const stored_item item = line.item(slot);
            lowest_bits |= std::uint64_t{item.extension & 1} << slot;
            if ((kept >> slot & 1) == 0) return;
            same.append(bucket, item);
            shorter.append(bucket, {item.extension >> 1, item.byte});
        });
        std::array<std::uint64_t, line_words> expected{};
        std::array<std::uint64_t, line_words> made{};
        if (shape.extension_bits != 0) {
            ASSERT_EQ(line_sieve::lowest_bits(lines.line(1), shape) & low_mask(items), lowest_bits);
            shorter.write_to(expected.data());
            line_sieve::keep(lines.line(1), shape, kept, lines.places.shape(1), made.data());
            ASSERT_EQ(made, expected);
        }
        const quotient_places::roomy_others others(lines.places, 1);
        chosen_items chosen;
        line_sieve::choose(lines.line(1), shape, others, chosen);
        line.for_each([&](unsigned bucket, unsigned slot) {
            ASSERT_EQ(chosen.buckets[slot], bucket);
            ASSERT_EQ(chosen.slots >> slot & 1, others.includes(bucket, line.byte(slot))) << slot;
        });
        same.write_to(expected.data());
        line_sieve::keep(lines.line(1), shape, kept, shape, lines.line(1));
        std::copy(lines.line(1), lines.line(1) + line_words, made.begin());
        ASSERT_EQ(made, expected);
    });
}

TEST(quotient_vectors, choose_items_in_tables_of_every_level) {
    if (!kernel::fast_pdep) GTEST_SKIP() << "this processor has no use for them";
    dice random(3);
    for (const std::uint64_t rows : {1, 5, 1000, 123'456}) {
        quotient_spec spec{.initial_lines = rows, .rows = rows, .buckets = 49, .remainder_bits = 24};
        for (spec.level = 0; spec.level <= 16; ++spec.level) {
            for (int i = 0; i < 20; ++i) {
                spec.frontier = random.below(rows << spec.level);
                const quotient_places places(spec);
                const line_shape& shape = places.shape(0);
                std::array<std::uint64_t, line_words> words;
                quotient_line<std::uint64_t> line(words.data(), shape);
                line.clear();
                while (line.room() != 0) {
                    line.insert(line.bucket<plain_select>(static_cast<unsigned>(random.below(shape.buckets))),
                                {0, static_cast<std::uint8_t>(random.word())});
                }
                const quotient_places::roomy_others others(places, random.below(spec.lines()));
                chosen_items chosen;
                line_sieve::choose(words.data(), shape, others, chosen);
                line.for_each([&](unsigned bucket, unsigned slot) {
                    ASSERT_EQ(chosen.slots >> slot & 1, others.includes(bucket, line.byte(slot)));
                });
            }
        }
    }
}

#endif

} // namespace
} // namespace everbloom
