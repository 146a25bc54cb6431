// The fuse filter: every set finds its cells, the FPR is 2^-w, and what cannot be solved is refused in words.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/statistics.hpp"

#include <everbloom/filter/fuse/fuse.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/model/fuse/fuse.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace everbloom {
namespace {

using namespace support;

fuse_filter built(std::span<const digest> keys, std::uint64_t fingerprint_bits = 8) {
    fuse_filter made =
        must(make<fuse_filter>(must(fuse_model::plan({1, 0.01}, {.fingerprint_bits = fingerprint_bits}))));
    must(made.build(keys));
    return made;
}

std::uint64_t positives(const fuse_filter& asked, std::span<const digest> keys) {
    return static_cast<std::uint64_t>(
        std::count_if(keys.begin(), keys.end(), [&](digest one) { return asked.may_contain(one); }));
}

TEST(fuse, finds_the_keys_of_sets_of_every_size) {
    for (std::uint64_t count = 0; count < 3000; count = count * 9 / 8 + 1) {
        const auto keys = key_family(count).first(count);
        const fuse_filter made = built(keys);
        ASSERT_EQ(made.keys(), count);
        ASSERT_EQ(positives(made, keys), count) << count;
        must(made.spec().check());
    }
}

TEST(fuse, finds_a_million_keys_in_little_more_than_nine_bits_each) {
    const auto keys = key_family(1).first(1'000'000);
    const fuse_filter made = built(keys);
    EXPECT_EQ(positives(made, keys), keys.size());
    EXPECT_LT(static_cast<double>(made.spec().structure_bits()) / 1e6, 9.2);
    EXPECT_TRUE(agrees_with_chance(positives(made, key_family(2).first(1'000'000)), 1'000'000, 1 / 256.0));
}

TEST(fuse, errs_as_often_as_its_fingerprints_say) {
    const auto keys = key_family(3).first(5000);
    const auto absent = key_family(4).first(400'000);
    for (const std::uint64_t bits : {1, 2, 3, 5, 7, 8, 11, 13, 16}) {
        const fuse_filter made = built(keys, bits);
        ASSERT_EQ(positives(made, keys), keys.size()) << bits;
        EXPECT_TRUE(agrees_with_chance(positives(made, absent), absent.size(), std::exp2(-static_cast<double>(bits))))
            << bits;
        EXPECT_DOUBLE_EQ(fuse_model::measure(made).fpr,
                         std::exp2(-static_cast<double>(bits)) * (1 - 5000 / 0x1p64) + 5000 / 0x1p64);
    }
    const fuse_filter widest = built(keys, 32);
    EXPECT_EQ(positives(widest, keys), keys.size());
    EXPECT_TRUE(agrees_with_chance(positives(widest, absent), absent.size(), 0x1p-32));
}

// Small sets have many cells that no key has chosen, all of them 0: as good a number as any.
TEST(fuse, of_a_few_keys_errs_as_often) {
    for (const std::uint64_t count : {1, 2, 10}) {
        std::uint64_t found = 0;
        constexpr std::uint64_t filters = 200;
        constexpr std::uint64_t asked = 2000;
        for (std::uint64_t number = 0; number < filters; ++number) {
            const fuse_filter made = built(key_family(2 * number).first(count), 5);
            found += positives(made, key_family(2 * number + 1).first(asked));
        }
        EXPECT_TRUE(agrees_with_chance(found, filters * asked, 1 / 32.0)) << count;
    }
}

TEST(fuse, without_keys_says_no_to_everything) {
    const fuse_filter made = built({}, 1);
    EXPECT_EQ(positives(made, key_family(1).first(1000)), 0u);
    std::vector<std::uint8_t> answers(100, 7);
    made.may_contain(key_family(1).first(100), answers);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 0), 100);
    EXPECT_EQ(made.sections()[0].size(), line_words) << "the smallest there is";
    EXPECT_EQ(fuse_model::measure(made).fpr, 0);
}

TEST(fuse, takes_repeated_keys_once) {
    auto keys = key_family(1).first(1000);
    const fuse_filter once = built(keys);
    keys.insert(keys.end(), keys.begin(), keys.end());
    keys.insert(keys.end(), 5000, keys[7]);
    const fuse_filter often = built(keys);
    EXPECT_EQ(often.keys(), 1000u);
    EXPECT_EQ(often.spec(), once.spec());
    EXPECT_TRUE(std::ranges::equal(often.sections()[0], once.sections()[0])) << "in any order, the same bytes";
}

TEST(fuse, built_again_has_the_new_keys_only) {
    fuse_filter made = built(key_family(1).first(5000), 16);
    const auto keys = key_family(2).first(100);
    must(made.build(keys));
    EXPECT_EQ(made.spec().fingerprint_bits, 16u);
    EXPECT_EQ(made.keys(), 100u);
    EXPECT_EQ(positives(made, keys), 100u);
    EXPECT_LT(positives(made, key_family(1).first(5000)), 10u); // 0.08 expected
}

TEST(fuse, answers_many_keys_as_it_answers_one) {
    for (const std::uint64_t bits : {1, 7, 8, 20, 32}) {
        const fuse_filter made = built(key_family(1).first(700), bits);
        const auto asked = key_family(1).first(1500);
        for (const std::size_t length : {0, 1, 31, 32, 33, 1500}) {
            std::vector<std::uint8_t> answers(length, 7);
            made.may_contain(std::span(asked).first(length), answers);
            for (std::size_t i = 0; i < length; ++i) ASSERT_EQ(answers[i] != 0, made.may_contain(asked[i])) << i;
        }
    }
}

TEST(fuse, has_three_cells_in_neighbouring_segments) {
    const fuse_spec spec = usual_fuse_segments({}, 10'000);
    const fuse_places places(spec);
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        const auto cells = places.cells(places.hash(places.name(key_family(1)[i])));
        const std::uint64_t segment = cells[0] / spec.segment_cells;
        ASSERT_LT(cells[2], spec.cells());
        ASSERT_EQ(cells[1] / spec.segment_cells, segment + 1);
        ASSERT_EQ(cells[2] / spec.segment_cells, segment + 2);
    }
}

TEST(fuse, too_few_cells_are_a_failure_in_words) {
    std::vector<std::uint64_t> names(20'000);
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = mix(i);
    fuse_spec tight = usual_fuse_segments({}, names.size());
    tight.segments = names.size() * 51 / 50 / tight.segment_cells;
    const auto refused = build_fuse_in(tight, names, 3);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    EXPECT_NE(refused.error().sentence.find("no solution for 20000 keys"), std::string::npos)
        << refused.error().sentence;
    EXPECT_FALSE(build_fuse_in({.segment_cells = 1, .segments = 3}, names, 3)) << "fewer cells than keys";
    EXPECT_FALSE(build_fuse_in({.segment_cells = 1, .segments = 30'000}, names, 3)) << "keys with the same three cells";
    EXPECT_FALSE(build_fuse_in({.segment_cells = 3, .segments = 30'000}, names, 3)) << "no power of two";
}

TEST(fuse, plans_the_cells_that_sets_need) {
    for (const std::uint64_t count : {1, 2, 5, 10, 30, 100, 300, 1000, 3000, 10'000, 100'000}) {
        const fuse_spec planned = must(fuse_model::plan({count, 1 / 256.0}));
        EXPECT_EQ(planned.fingerprint_bits, 8u);
        std::uint64_t larger = 0;
        constexpr std::uint64_t sets = 20;
        for (std::uint64_t number = 0; number < sets; ++number) {
            const fuse_filter made = built(key_family(number).first(count));
            larger += made.spec().cells() > planned.cells() ? 1 : 0;
        }
        EXPECT_LE(larger, sets / 2) << count;
    }
}

TEST(fuse, refuses_what_no_construction_makes) {
    const fuse_spec good = built(key_family(1).first(100)).spec();
    must(good.check());
    const auto refused = [&](auto change) {
        fuse_spec bad = good;
        change(bad);
        return !bad.check();
    };
    EXPECT_TRUE(refused([](fuse_spec& bad) { bad.segment_cells = 3; }));
    EXPECT_TRUE(refused([](fuse_spec& bad) { bad.segments = 2; }));
    EXPECT_TRUE(refused([](fuse_spec& bad) { bad.fingerprint_bits = 33; }));
    EXPECT_TRUE(refused([](fuse_spec& bad) { bad.keys = bad.cells() + 1; }));
    EXPECT_TRUE(refused([](fuse_spec& bad) { bad.keys = 0, bad.seed = 1; }));
    EXPECT_TRUE(refused([](fuse_spec& bad) { bad.source_rows = 1; })) << "but identity is digest";
    EXPECT_TRUE(refused([](fuse_spec& bad) { bad.identity = 2; })) << "but there is no source";
    EXPECT_TRUE(refused([](fuse_spec& bad) { bad.segment_cells = 1 << 18, bad.segments = std::uint64_t{1} << 39; }));

    // A bit behind the last cell, and cells of a filter without keys.
    fuse_spec spec = good;
    spec.segment_cells = 4;
    spec.segments = 5;
    spec.keys = 4;
    const auto with_bit = [&](std::uint64_t bit) {
        auto words = must(heap_words::make(fuse_filter::section_lines(spec)[0]));
        words.data()[bit / word_bits] |= std::uint64_t{1} << bit % word_bits;
        return fuse_filter::assemble(spec, {std::move(words)}).has_value();
    };
    EXPECT_TRUE(with_bit(159));
    EXPECT_FALSE(with_bit(160));
    EXPECT_FALSE(with_bit(511));
    spec = spec.emptied();
    EXPECT_FALSE(with_bit(0));
}

} // namespace
} // namespace everbloom
