// Fingerprints of a quotient filter: every size of the table stores all of their bits, and the two of a class stay a class.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/quotient/quotient_places.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;
using support::rounds;

quotient_spec geometry(std::uint64_t rows, std::uint64_t buckets, std::uint64_t remainder_bits) {
    quotient_spec spec;
    spec.rows = spec.initial_lines = rows;
    spec.buckets = buckets;
    spec.remainder_bits = remainder_bits;
    must(spec.check());
    return spec;
}

/// From one row to the most that are possible, narrow and wide fingerprints.
std::vector<quotient_spec> geometries() {
    std::vector<quotient_spec> made;
    for (const std::uint64_t bits : {8, 9, 14, 20, 32}) {
        for (const std::uint64_t rows : {1, 2, 3, 7, 11, 64, 1000}) {
            for (const std::uint64_t buckets : {16, 79, 110}) made.push_back(geometry(rows, buckets, bits));
        }
        const std::uint64_t most =
            std::min(quotient_spec::max_lines, quotient_spec::most_paths >> (bits - 8)); // of these bits
        made.push_back(geometry(most, 110, bits));
        made.push_back(geometry(most - 1, 16, bits));
    }
    return made;
}

quotient_fingerprint any_fingerprint(dice& random, const quotient_places& places) {
    return places.fingerprint({random.word(), random.word()});
}

TEST(quotient_places, the_other_of_the_other_is_the_first) {
    dice random(1);
    for (const quotient_spec& spec : geometries()) {
        const quotient_places places(spec);
        for (std::uint64_t i = 0; i < rounds(400); ++i) {
            const quotient_fingerprint one = any_fingerprint(random, places);
            const quotient_fingerprint other = places.other(one);
            ASSERT_TRUE(places.is_possible(one));
            ASSERT_TRUE(places.is_possible(other));
            ASSERT_EQ(places.other(other), one);
            ASSERT_EQ(other.bucket, one.bucket);
            ASSERT_EQ(other.tag, one.tag);
        }
    }
}

TEST(quotient_places, the_other_is_the_same_at_every_size_of_the_table) {
    dice random(2);
    quotient_spec spec = geometry(5, 79, 11);
    for (std::uint64_t lines = 5; lines <= spec.largest_lines(); lines = lines * 3 / 2 + 1) {
        const quotient_places first(spec);
        const quotient_places grown(spec.with_lines(lines));
        for (int i = 0; i < 100; ++i) {
            const quotient_fingerprint one = any_fingerprint(random, first);
            ASSERT_EQ(grown.other(one), first.other(one));
            ASSERT_EQ(grown.class_number(one), first.class_number(one));
        }
    }
}

/// The fingerprint is in a line that exists, and is read back from it.
void expect_read_back(const quotient_spec& spec, const quotient_places& places, const quotient_fingerprint& one) {
    const quotient_place place = places.place(one);
    ASSERT_LT(place.line, spec.lines());
    ASSERT_EQ(place.is_ahead != 0, places.is_ahead(place.line));
    ASSERT_EQ(place.bucket, one.bucket);
    const line_shape& shape = places.shape_of(place.line);
    ASSERT_LE(place.extension, low_mask(shape.extension_bits));
    const quotient_places::reader reader(places, place.line);
    ASSERT_EQ(reader.fingerprint(place.bucket, place.stored()), one)
        << "at level " << spec.level << ", frontier " << spec.frontier;
}

TEST(quotient_places, a_fingerprint_is_read_back_at_every_level_and_frontier) {
    dice random(3);
    for (const std::uint64_t rows : {1, 2, 3, 11}) {
        for (const std::uint64_t bits : {8, 9, 10}) {
            const quotient_spec spec = geometry(rows, 79, bits);
            for (std::uint64_t lines = rows; lines <= spec.largest_lines(); ++lines) {
                const quotient_spec now = spec.with_lines(lines);
                must(now.check());
                ASSERT_EQ(now.lines(), lines);
                const quotient_places places(now);
                for (std::uint64_t i = 0; i < rounds(20); ++i)
                    ASSERT_NO_FATAL_FAILURE(expect_read_back(now, places, any_fingerprint(random, places)));
            }
        }
    }
}

TEST(quotient_places, a_fingerprint_is_read_back_from_very_large_tables) {
    dice random(4);
    for (const quotient_spec& spec : geometries()) {
        for (std::uint64_t level = 0; level <= spec.most_level(); ++level) {
            const std::uint64_t begin = spec.rows << level;
            for (const std::uint64_t ahead : {std::uint64_t{0}, std::uint64_t{1}, begin / 2, begin - 1}) {
                // A table that is ahead in all lines is one of the next level.
                if (begin + ahead > spec.largest_lines() || ahead >= begin) continue;
                const quotient_spec now = spec.with_lines(begin + ahead);
                ASSERT_EQ(now.level, level);
                ASSERT_EQ(now.frontier, ahead);
                const quotient_places places(now);
                for (int i = 0; i < 10; ++i)
                    ASSERT_NO_FATAL_FAILURE(expect_read_back(now, places, any_fingerprint(random, places)));
            }
        }
    }
}

TEST(quotient_places, fingerprints_that_differ_have_places_that_differ) {
    // All fingerprints of a tiny geometry, at every size: as many places.
    const quotient_spec spec = geometry(3, 16, 9);
    for (std::uint64_t lines = 3; lines <= spec.largest_lines(); lines += 1 + lines / 2) {
        const quotient_places places(spec.with_lines(lines));
        std::vector<std::uint64_t> seen;
        for (std::uint64_t number = 0; number < places.numbers(); ++number) {
            const quotient_place place = places.place(places.fingerprint_of_number(number));
            seen.push_back(((place.line << 8 | place.bucket) << 8 | place.extension) << 8 | place.byte);
        }
        std::sort(seen.begin(), seen.end());
        ASSERT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
        ASSERT_EQ(static_cast<double>(places.numbers()), spec.fingerprints());
    }
}

TEST(quotient_places, both_places_of_a_key_are_those_of_its_fingerprint_and_the_other) {
    dice random(7);
    const quotient_spec spec = geometry(7, 79, 11);
    for (std::uint64_t lines = 7; lines <= spec.largest_lines(); lines = lines * 5 / 4 + 1) {
        const quotient_places places(spec.with_lines(lines));
        ASSERT_EQ(places.is_resting(), lines == 7);
        for (int i = 0; i < 100; ++i) {
            const digest key{random.word(), random.word()};
            const quotient_fingerprint one = places.fingerprint(key);
            const quotient_pair pair = places.locate<table_state::growing>(key);
            ASSERT_EQ(pair.one, places.place(one));
            ASSERT_EQ(pair.other, places.place(places.other(one)));
            if (!places.is_resting()) continue;
            const quotient_pair same = places.locate<table_state::resting>(key);
            ASSERT_EQ(same.one, pair.one);
            ASSERT_EQ(same.other, pair.other);
        }
    }
}

TEST(quotient_places, items_whose_other_line_was_split_last_are_told_by_line_bucket_and_byte) {
    dice random(8);
    std::uint64_t asked = 0;
    std::uint64_t roomy = 0;
    std::uint64_t different = 0;
    for (const std::uint64_t bits : {8, 11}) {
        const quotient_spec spec = geometry(777, 79, bits);
        for (std::uint64_t lines = 778; lines <= spec.largest_lines(); lines = lines * 5 / 4 + 1) {
            const quotient_spec grown = spec.with_lines(lines);
            const quotient_places places(grown);
            const std::uint64_t splits = lines / 10 + 1;
            for (int i = 0; i < 300; ++i) {
                const quotient_fingerprint one = any_fingerprint(random, places);
                const quotient_place place = places.place(one);
                const std::uint64_t base = places.place(places.other(one)).line % (grown.rows << grown.level);
                const std::uint64_t half = (grown.rows << grown.level) / 2;
                const bool expected =
                    (base < grown.frontier && base + splits >= grown.frontier) ||
                    (grown.level != 0 && splits > grown.frontier && base % half + splits - grown.frontier >= half);
                const quotient_places::roomy_others others(places, place.line);
                different += others.includes(place.bucket, place.byte) != (expected ? 1U : 0U) ? 1 : 0;
                roomy += expected ? 1 : 0;
                ++asked;
            }
        }
    }
    EXPECT_GT(roomy, asked / 20);
    EXPECT_LT(different, asked / 200); // at the borders: it is a guess of 16 bits
}

TEST(quotient_places, both_fingerprints_of_a_class_have_one_number_which_is_that_of_one_of_them) {
    dice random(5);
    for (const quotient_spec& spec : geometries()) {
        const quotient_places places(spec);
        for (std::uint64_t i = 0; i < rounds(400); ++i) {
            const quotient_fingerprint one = any_fingerprint(random, places);
            const quotient_fingerprint other = places.other(one);
            const std::uint64_t number = places.class_number(one);
            ASSERT_EQ(places.class_number(other), number);
            ASSERT_LT(number, places.numbers());
            const quotient_fingerprint canonical = places.fingerprint_of_number(number);
            ASSERT_TRUE(canonical == one || canonical == other);
        }
    }
}

TEST(quotient_places, every_number_is_a_possible_fingerprint) {
    dice random(6);
    for (const quotient_spec& spec : geometries()) {
        const quotient_places places(spec);
        ASSERT_EQ(static_cast<double>(places.numbers()), spec.fingerprints());
        ASSERT_TRUE(places.is_possible(places.fingerprint_of_number(0)));
        ASSERT_TRUE(places.is_possible(places.fingerprint_of_number(places.numbers() - 1)));
        for (int i = 0; i < 100; ++i) {
            const std::uint64_t number = random.below(places.numbers());
            ASSERT_TRUE(places.is_possible(places.fingerprint_of_number(number)));
            ASSERT_LE(places.class_number(places.fingerprint_of_number(number)), number);
        }
    }
}

} // namespace
} // namespace everbloom
