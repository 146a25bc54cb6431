// Filters of other programs: recorded ones answer for their keys and are written byte for byte; damaged ones are refused.
#include "support/must.hpp"
#include "unit/foreign/recorded.hpp"

#include <everbloom/foreign/foreign_filter.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>

namespace everbloom {
namespace {

using support::must;
using strategy = guava_file::strategy;

enum class keys_are { names, numbers };

std::string key_of(keys_are what, std::uint64_t i) {
    if (what == keys_are::names) return "key" + std::to_string(i);
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &i, sizeof i);
    return bytes;
}

std::vector<digest> digests_of(const foreign_filter& filter, keys_are what, std::uint64_t from, std::uint64_t to) {
    std::vector<digest> made;
    for (std::uint64_t i = from; i < to; ++i) {
        const std::string key = key_of(what, i);
        const std::string_view view = key;
        digest one;
        filter.hash(std::span(&view, 1), std::span(&one, 1));
        made.push_back(one);
    }
    return made;
}

std::uint64_t found_in(const foreign_filter& filter, std::span<const digest> items) {
    std::vector<std::uint8_t> answers(items.size());
    filter.may_contain(items, answers);
    std::uint64_t found = 0;
    for (const std::uint8_t answer : answers) found += answer;
    return found;
}

struct recording {
    const char* name;
    foreign_format format;
    std::string_view hex;
    keys_are what;
    // How the same filter is made here; a dump of RedisBloom is not.
    double fpr = 0;
    std::uint64_t capacity = 0;
    strategy how = strategy::mitz_64;
};

constexpr std::array recordings{
    recording{"guava_64", foreign_format::guava, recorded::guava_64, keys_are::names, 0.03, 100},
    recording{"guava_32", foreign_format::guava, recorded::guava_32, keys_are::names, 0.03, 100, strategy::mitz_32},
    recording{"guava_longs", foreign_format::guava, recorded::guava_longs, keys_are::numbers, 0.01, 100},
    recording{"duckdb_names", foreign_format::parquet, recorded::duckdb_names, keys_are::names, 0.05, 20},
    recording{"duckdb_numbers", foreign_format::parquet, recorded::duckdb_numbers, keys_are::numbers, 0.05, 20},
    recording{"redisbloom", foreign_format::redisbloom, recorded::redisbloom, keys_are::names},
};

TEST(foreign_filter, recorded_filters_are_recognised_and_find_their_keys) {
    for (const recording& one : recordings) {
        SCOPED_TRACE(one.name);
        const auto bytes = recorded::bytes(one.hex);
        const auto guess = guess_foreign(bytes);
        ASSERT_TRUE(guess.has_value());
        EXPECT_EQ(guess->format, one.format);
        EXPECT_EQ(guess->file_bytes, bytes.size());
        const auto filter = must(foreign_filter::read(one.format, bytes));
        EXPECT_EQ(filter.write(), bytes);
        EXPECT_EQ(found_in(filter, digests_of(filter, one.what, 1, 21)), 20U);
        const foreign_facts facts = filter.facts();
        // Plain double hashing, as these programs do it, is worse in so few bits than the share of ones says.
        const double found =
            static_cast<double>(found_in(filter, digests_of(filter, one.what, 1000, 101'000))) / 100'000;
        EXPECT_LT(found, 4 * facts.fpr + 0.001);
        EXPECT_NEAR(facts.items, 20, 7);
    }
}

TEST(foreign_filter, the_same_keys_give_the_same_bytes) {
    for (const recording& one : recordings) {
        if (one.capacity == 0) continue;
        SCOPED_TRACE(one.name);
        auto made = must(foreign_filter::plan(one.format, one.capacity, one.fpr, one.how));
        if (one.format == foreign_format::parquet && made.write().size() != recorded::bytes(one.hex).size()) {
            ADD_FAILURE() << "planned with " << made.write().size() << " bytes";
            continue;
        }
        made.insert(digests_of(made, one.what, 1, 21));
        EXPECT_EQ(made.write(), recorded::bytes(one.hex));
    }
}

TEST(foreign_filter, a_bitset_without_its_header_is_the_same_filter) {
    const auto blob = recorded::bytes(recorded::duckdb_names);
    const auto filter = must(foreign_filter::read(foreign_format::parquet, blob));
    const auto bare = filter.write_as(foreign_format::parquet_bitset);
    EXPECT_EQ(bare.size(), blob.size() - 15);
    EXPECT_EQ(must(foreign_filter::read(foreign_format::parquet_bitset, bare)).write(), blob);
}

TEST(foreign_filter, every_truncation_and_every_byte_more_is_refused) {
    for (const recording& one : recordings) {
        SCOPED_TRACE(one.name);
        const auto bytes = recorded::bytes(one.hex);
        for (std::size_t length = 0; length < bytes.size(); ++length) {
            const auto cut = foreign_filter::read(one.format, std::span(bytes).first(length));
            ASSERT_FALSE(cut.has_value()) << length;
            ASSERT_NE(cut.error().sentence, "");
        }
        auto longer = bytes;
        longer.push_back(std::byte{0});
        EXPECT_FALSE(foreign_filter::read(one.format, longer).has_value());
    }
}

/// Bits are any bits; but a changed header is refused, or is that of another filter that answers and is written as it was read.
TEST(foreign_filter, every_changed_bit_of_a_header_is_refused_or_means_another_filter) {
    for (const recording& one : recordings) {
        SCOPED_TRACE(one.name);
        const auto bytes = recorded::bytes(one.hex);
        for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
            auto changed = bytes;
            changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
            const auto filter = foreign_filter::read(one.format, changed);
            if (!filter) continue;
            EXPECT_EQ(filter->write(), changed);
            (void)found_in(*filter, digests_of(*filter, one.what, 1, 21));
            const foreign_facts facts = filter->facts();
            EXPECT_TRUE(facts.fpr >= 0 && facts.fpr <= 1 && std::isfinite(facts.items)) << bit;
        }
    }
}

TEST(foreign_filter, forged_sizes_are_refused_before_memory_is_allocated_by_them) {
    struct forgery {
        foreign_format format;
        std::string_view hex;
        const char* words;
    };
    constexpr std::array forgeries{
        forgery{foreign_format::guava, "01057fffffff0000000000000000", "but the file ends at byte 14"},
        forgery{foreign_format::guava, "0105ffffffff0000000000000000", "its header says 4294967295 words"},
        forgery{foreign_format::guava,
                "010000000001"
                "0000000000000000",
                "it has 0 hash functions"},
        forgery{foreign_format::guava,
                "020500000001"
                "0000000000000000",
                "strategy 2 is unknown"},
        forgery{foreign_format::guava, "010500000000", "its header says 0 words"},
        forgery{foreign_format::parquet, "15c0ffffff0f1c1c00001c1c00001c1c000000", "but the file ends at byte 19"},
        forgery{foreign_format::parquet, "15ffffffff0f1c1c00001c1c00001c1c000000", "bytes of bits"},
        forgery{foreign_format::parquet, "15ffffffffff0f1c1c00001c1c00001c1c000000", "more than 32 bits"},
        forgery{foreign_format::parquet, "15c0001c1c00001c1c00001c1c000000", "longer than needed"},
        forgery{foreign_format::parquet, "15421c1c00001c1c00001c1c000000", "not blocks of 32"},
        forgery{foreign_format::parquet, "15401c2c00001c1c00001c1c000000", "does not say a split-block filter"},
    };
    for (const forgery& one : forgeries) {
        const auto read = foreign_filter::read(one.format, recorded::bytes(one.hex));
        ASSERT_FALSE(read.has_value()) << one.hex;
        EXPECT_NE(read.error().sentence.find(one.words), std::string::npos) << read.error().sentence;
        EXPECT_EQ(read.error().reason, failure_reason::damaged);
    }
    // A link of 2^60 bytes, and two whose sum is more than 2^64.
    auto dump = recorded::bytes(recorded::redisbloom);
    const auto put = [&](std::size_t at, std::uint64_t number) {
        std::memcpy(dump.data() + at, &number, sizeof number);
    };
    put(20, std::uint64_t{1} << 60);
    put(28, std::uint64_t{1} << 63);
    EXPECT_FALSE(foreign_filter::read(foreign_format::redisbloom, dump).has_value());
    put(73, std::uint64_t{1} << 60);
    put(81, std::uint64_t{1} << 63);
    EXPECT_FALSE(foreign_filter::read(foreign_format::redisbloom, dump).has_value());
    put(8, 0xffffffff); // links
    EXPECT_FALSE(foreign_filter::read(foreign_format::redisbloom, dump).has_value());
}

TEST(foreign_filter, plans_keep_their_fpr) {
    constexpr std::uint64_t items = 20'000;
    for (const foreign_format format : {foreign_format::dcso, foreign_format::guava, foreign_format::parquet}) {
        for (const double fpr : {0.05, 0.01, 0.001}) {
            SCOPED_TRACE(std::string(words_of(format)) + " " + std::to_string(fpr));
            auto filter = must(foreign_filter::plan(format, items, fpr));
            filter.insert(digests_of(filter, keys_are::names, 0, items));
            EXPECT_EQ(found_in(filter, digests_of(filter, keys_are::names, 0, items)), items);
            const foreign_facts facts = filter.facts();
            EXPECT_LT(facts.fpr, 1.06 * fpr);
            EXPECT_NEAR(facts.items, static_cast<double>(items), 0.03 * items);
            constexpr std::uint64_t absent = 400'000;
            const auto found =
                static_cast<double>(found_in(filter, digests_of(filter, keys_are::names, items, items + absent)));
            // Six standard deviations: a false alarm of 1e-9.
            EXPECT_NEAR(found, absent * facts.fpr, 6 * std::sqrt(absent * facts.fpr) + 0.05 * absent * facts.fpr);
        }
    }
}

TEST(foreign_filter, the_model_of_split_blocks_is_that_of_their_cells) {
    constexpr std::uint64_t items = 100'000;
    auto filter = must(foreign_filter::plan(foreign_format::parquet, items, 0.01));
    filter.insert(digests_of(filter, keys_are::numbers, 0, items));
    const auto blocks = static_cast<double>(filter.as<parquet_bloom>()->blocks());
    const double predicted = parquet_bloom::predicted_fpr(static_cast<double>(items) / blocks);
    EXPECT_NEAR(filter.facts().fpr, predicted, 0.05 * predicted);
}

TEST(foreign_filter, what_cannot_be_planned_is_refused_with_a_reason) {
    for (const foreign_format format : {foreign_format::dcso, foreign_format::guava, foreign_format::parquet}) {
        for (const double fpr : {0.0, 1.0, -1.0, std::nan("")}) {
            EXPECT_FALSE(foreign_filter::plan(format, 100, fpr).has_value());
        }
        EXPECT_FALSE(foreign_filter::plan(format, 0, 0.01).has_value());
        EXPECT_FALSE(foreign_filter::plan(format, std::uint64_t{1} << 62, 0.01).has_value());
        EXPECT_FALSE(foreign_filter::plan(format, 100, 1e-300).has_value());
    }
    EXPECT_FALSE(foreign_filter::plan(foreign_format::redisbloom, 100, 0.01).has_value());
}

} // namespace
} // namespace everbloom
