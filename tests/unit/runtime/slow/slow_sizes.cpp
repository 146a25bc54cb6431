// What a slow filter takes and promises: bits per key in its runs, memory for updates, and with which chance a removal goes wrong.
#include "support/power_cut_disk.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <cmath>

namespace everbloom {
namespace {

digest sized_item(std::uint64_t key) { return {mix(key * 2 + 1), 0}; }

double run_bits_per_key(const slow_statistics& seen) {
    return 8 * static_cast<double>(seen.run_bytes) / static_cast<double>(seen.keys);
}

void insert_range(slow_elastic& filter, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t key = from; key < to; ++key) {
        ASSERT_EQ(filter.insert(sized_item(key)), insert_outcome::inserted) << key;
    }
}

TEST(slow_sizes, removals_are_sure_up_to_twice_the_capacity_and_a_billion_keys_find_room) {
    for (const std::uint64_t items : {1ULL, 1000ULL, 1'000'000ULL, 134'000'000ULL, 140'000'000ULL, 5'000'000'000ULL}) {
        const record_geometry geometry = plan_slow({items, 0.01}).value().identity.geometry;
        EXPECT_GE(geometry.sure_keys(), std::max<std::uint64_t>(2 * items, 268'000'000)) << items;
        EXPECT_GE(geometry.most_keys(), std::max<std::uint64_t>(8 * items, 1'000'000'000)) << items;
        const auto risk = [&](std::uint64_t keys) {
            return std::ldexp(static_cast<double>(keys), -static_cast<int>(geometry.word_bits));
        };
        EXPECT_LT(risk(geometry.sure_keys()), 1e-6);
        EXPECT_LT(risk(geometry.most_keys()), 4e-6);
    }
}

TEST(slow_sizes, runs_take_at_most_31_bits_per_key_in_filters_for_a_million_and_more) {
    for (const std::uint64_t items : {1'000'000ULL, 1'050'000ULL}) { // of twenty bits, and of more
        support::power_cut_disk disk;
        auto filter = slow_elastic::create(disk.file(), plan_slow({items, 0.01}).value()).value();
        insert_range(filter, 0, items);
        ASSERT_TRUE(filter.merge());
        EXPECT_EQ(filter.statistics().keys, items);
        EXPECT_LT(run_bits_per_key(filter.statistics()), 31.0) << items;
    }
}

TEST(slow_sizes, runs_take_at_most_36_bits_per_key_while_they_grow_beyond_a_million) {
    support::power_cut_disk disk;
    auto filter = slow_elastic::create(disk.file(), plan_slow({100'000, 0.01}).value()).value();
    for (std::uint64_t keys = 0; keys < 1'300'000; keys += 100'000) {
        insert_range(filter, keys, keys + 100'000);
        if (keys < 900'000) continue;
        EXPECT_LT(run_bits_per_key(filter.statistics()), 34.0) << keys;
    }
}

TEST(slow_sizes, what_is_free_in_the_file_takes_no_space_once_it_is_closed) {
    support::power_cut_disk disk;
    auto filter = slow_elastic::create(disk.file(), plan_slow({1'000'000, 0.01}).value()).value();
    insert_range(filter, 0, 1'000'000);
    ASSERT_TRUE(filter.merge());
    const auto reader = slow_elastic::open(disk.file(), slow_access::read).value();
    ASSERT_TRUE(filter.resize(plan_slow({1'000'000, 0.001}).value())); // every part is written anew
    const slow_statistics seen = filter.statistics();
    ASSERT_TRUE(filter.close());
    const std::uint64_t taken = disk.bytes().size() - disk.bytes_discarded();
    EXPECT_GT(disk.bytes_discarded(), seen.run_bytes / 2);
    // Runs, blocks, the rest of their last units of 4 KB, header and two states, a segment of the log.
    EXPECT_LT(taken, seen.run_bytes + seen.fast_bytes + 64 * 4096 + 200'000);
    // Who has opened it before is told that the hashes are elsewhere now, and goes on with the bits.
    for (std::uint64_t key = 0; key < 1'000'000; key += 997) {
        ASSERT_TRUE(reader.may_contain(sized_item(key)));
        const auto counted = reader.count(sized_item(key));
        ASSERT_TRUE(counted ? *counted == 1 : counted.error().reason == failure_reason::busy) << key;
    }
    auto again = slow_elastic::open(disk.file(), slow_access::write).value();
    ASSERT_TRUE(again.verify());
    insert_range(again, 1'000'000, 1'100'000);
    for (std::uint64_t key = 0; key < 1'100'000; ++key) ASSERT_TRUE(again.may_contain(sized_item(key)));
}

TEST(slow_sizes, buffers_take_a_byte_per_key_within_limits) {
    support::power_cut_disk disk;
    auto filter = slow_elastic::create(disk.file(), plan_slow({1000, 0.01}).value()).value();
    // What a part has is merged when it is the largest, so that all together may be a little above.
    const auto most = [](std::uint64_t bytes) { return bytes + bytes / 8; };
    insert_range(filter, 0, 1'000'000);
    EXPECT_LE(filter.statistics().buffer_bytes, most(slow_elastic::least_usual_buffer_bytes));
    insert_range(filter, 1'000'000, 2'000'000);
    EXPECT_LE(filter.statistics().buffer_bytes, most(2'000'000));
    EXPECT_GT(filter.statistics().buffer_bytes, slow_elastic::least_usual_buffer_bytes);
    // By the capacity from the beginning, where that is larger; also when it is opened again.
    ASSERT_TRUE(filter.resize(plan_slow({8'000'000, 0.01}).value()));
    insert_range(filter, 2'000'000, 2'500'000);
    EXPECT_GT(filter.statistics().buffer_bytes, most(2'500'000));
    ASSERT_TRUE(filter.close());
    auto again = slow_elastic::open(disk.file(), slow_access::write).value();
    insert_range(again, 2'500'000, 3'000'000);
    EXPECT_GT(again.statistics().buffer_bytes, most(3'000'000));
    EXPECT_LE(again.statistics().buffer_bytes, most(8'000'000));
}

} // namespace
} // namespace everbloom
