// The pieces of a slow filter: packed blocks, update buffers, extents.
#include "support/dice.hpp"

#include <everbloom/runtime/slow/extent_map.hpp>
#include <everbloom/runtime/slow/run_block.hpp>
#include <everbloom/runtime/slow/update_buffer.hpp>

#include <map>
#include <set>
#include <vector>

namespace everbloom {
namespace {

struct record_with_copies {
    std::uint64_t record;
    std::uint64_t copies;
    friend bool operator==(const record_with_copies&, const record_with_copies&) = default;
};

TEST(run_block, gives_back_what_was_packed) {
    support::dice random(3);
    for (const unsigned record_bits : {16U, 30U, 44U, 55U}) {
        for (const std::uint64_t wanted : {1U, 7U, 1000U, 40000U}) {
            for (const std::uint64_t most_copies : {1U, 2U, 100000U}) {
                std::map<std::uint64_t, std::uint64_t> all;
                // Some of them close together, as hashes that are not spread evenly.
                const std::uint64_t range = std::uint64_t{1} << (wanted % 2 == 0 ? record_bits : record_bits / 2);
                while (all.size() < std::min(wanted, range / 4)) {
                    all[random.below(range)] = random.below(10) == 0 ? 1 + random.below(most_copies) : 1;
                }
                all[(std::uint64_t{1} << record_bits) - 1] = 1;
                auto writer = std::make_unique<run_block_writer>(run_block::best_low_bits(record_bits, all.size()));
                auto reader = std::make_unique<run_block_reader>();
                std::vector<record_with_copies> packed;
                std::uint64_t blocks = 0;
                const auto take = [&] {
                    std::array<std::uint64_t, run_block_words> block;
                    writer->take(block);
                    ASSERT_TRUE(reader->read(block, record_bits));
                    for (std::size_t i = 0; i < reader->records(); ++i) {
                        packed.push_back({reader->record(i), reader->copies(i)});
                    }
                    ++blocks;
                };
                for (const auto& [record, copies] : all) {
                    if (writer->add(record, copies)) continue;
                    take();
                    ASSERT_TRUE(writer->add(record, copies));
                }
                take();
                ASSERT_EQ(packed.size(), all.size());
                std::size_t i = 0;
                for (const auto& [record, copies] : all) ASSERT_EQ(packed[i++], (record_with_copies{record, copies}));
                EXPECT_LE(blocks, run_block::blocks_for(record_bits, all.size(), most_copies))
                    << record_bits << " bits, " << all.size() << " records";
            }
        }
    }
}

TEST(run_block, takes_about_two_bits_more_than_the_range_needs) {
    support::dice random(4);
    constexpr unsigned record_bits = 44;
    std::set<std::uint64_t> all;
    while (all.size() < 100000) all.insert(random.below(std::uint64_t{1} << record_bits));
    auto writer = std::make_unique<run_block_writer>(run_block::best_low_bits(record_bits, all.size()));
    std::array<std::uint64_t, run_block_words> block;
    std::uint64_t blocks = 1;
    for (const std::uint64_t record : all) {
        if (writer->add(record, 1)) continue;
        writer->take(block);
        ++blocks;
        ASSERT_TRUE(writer->add(record, 1));
    }
    const double bits = static_cast<double>(blocks * run_block_bytes * 8) / static_cast<double>(all.size());
    EXPECT_LT(bits, record_bits - std::log2(100000.0) + 3);
}

TEST(run_block, refuses_words_that_no_writer_makes) {
    support::dice random(5);
    auto writer = std::make_unique<run_block_writer>(20);
    for (std::uint64_t i = 0; i < 500; ++i) ASSERT_TRUE(writer->add(i << 21 | random.below(1 << 20), 1 + i % 3));
    std::array<std::uint64_t, run_block_words> block;
    writer->take(block);
    auto reader = std::make_unique<run_block_reader>();
    ASSERT_TRUE(reader->read(block, 44));
    int refused = 0;
    for (int i = 0; i < 20000; ++i) {
        auto other = block;
        const auto at = static_cast<std::size_t>(2 + random.below(30));
        other[at] ^= std::uint64_t{1} << random.below(64);
        if (!reader->read(other, 44)) ++refused; // whatever it says, it reads no word outside
    }
    EXPECT_GT(refused, 1000);
    for (int i = 0; i < 2000; ++i) {
        auto other = block;
        other[3] = random.below(~std::uint64_t{0});
        (void)reader->read(other, 44);
    }
}

TEST(update_buffer, nets_updates_exactly) {
    support::dice random(6);
    for (const unsigned record_bits : {8U, 20U, 44U, 55U}) {
        update_buffer buffer(record_bits);
        // The truth: what the updates do to every number of stored copies.
        constexpr std::uint64_t most_stored = 6;
        struct truth {
            std::array<std::uint64_t, most_stored> count{0, 1, 2, 3, 4, 5};
            std::array<std::uint64_t, most_stored> refused{};
        };
        std::map<std::uint64_t, truth> expected;
        const std::uint64_t range = std::uint64_t{1} << record_bits;
        for (int i = 0; i < 60000; ++i) {
            const std::uint64_t many = random.below(3000) << (record_bits > 20 ? record_bits - 20 : 0);
            const std::uint64_t record =
                random.below(5) == 0 ? range - 1 - random.below(std::min<std::uint64_t>(range, 40)) : many % range;
            const bool is_erase = random.below(2) == 0;
            truth& known = expected[record];
            for (std::size_t stored = 0; stored < most_stored; ++stored) {
                if (!is_erase) {
                    ++known.count[stored];
                } else if (known.count[stored] == 0) {
                    ++known.refused[stored];
                } else {
                    --known.count[stored];
                }
            }
            ASSERT_TRUE(is_erase ? buffer.erase(record) : buffer.insert(record));
        }
        ASSERT_EQ(buffer.entries(), expected.size());
        auto cursor = buffer.cursor();
        std::uint64_t inserted = 0;
        for (const auto& [record, known] : expected) {
            ASSERT_FALSE(cursor.at_end());
            ASSERT_EQ(cursor.record(), record);
            for (std::size_t stored = 0; stored < most_stored; ++stored) {
                ASSERT_EQ(cursor.updates().applied_to(stored), known.count[stored]);
                ASSERT_EQ(cursor.updates().refused_of(stored), known.refused[stored]);
            }
            ASSERT_EQ(buffer.find(record).added, cursor.updates().added);
            inserted += cursor.updates().added != 0 ? 1 : 0;
            cursor.advance();
        }
        EXPECT_TRUE(cursor.at_end());
        EXPECT_EQ(buffer.insertions(), inserted);
        EXPECT_EQ(buffer.find(range / 2 + 1).added,
                  expected.contains(range / 2 + 1) ? buffer.find(range / 2 + 1).added : 0);
        buffer.clear();
        EXPECT_EQ(buffer.memory_bytes(), 0U);
    }
}

TEST(update_buffer, records_that_lie_together_take_little_more_memory) {
    update_buffer buffer(44);
    const std::uint64_t last = (std::uint64_t{1} << 44) - 1;
    for (std::uint64_t i = 0; i < 20000; ++i) ASSERT_TRUE(buffer.insert(last - i));
    EXPECT_EQ(buffer.entries(), 20000U);
    EXPECT_LT(buffer.memory_bytes(), 20000U * 8 * 5);
}

TEST(update_buffer, a_key_that_is_added_a_million_times_takes_one_entry) {
    update_buffer buffer(44);
    for (int i = 0; i < 1000000; ++i) ASSERT_TRUE(buffer.insert(77));
    EXPECT_EQ(buffer.entries(), 1U);
    EXPECT_EQ(buffer.find(77).added, 1000000U);
    for (int i = 0; i < 1000001; ++i) ASSERT_TRUE(buffer.erase(77));
    EXPECT_EQ(buffer.find(77).applied_to(5), 4U);
    EXPECT_EQ(buffer.insertions(), 0U);
}

TEST(extent_map, never_gives_a_byte_twice) {
    support::dice random(7);
    extent_map map;
    ASSERT_TRUE(map.claim({0, 8192}));
    std::vector<extent> used{{0, 8192}};
    for (int i = 0; i < 20000; ++i) {
        if (used.size() > 1 && random.below(2) == 0) {
            const auto at = static_cast<std::size_t>(1 + random.below(used.size() - 1));
            map.release(used[at]);
            used.erase(used.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            used.push_back(map.allocate(1 + random.below(50000)));
        }
        if (i % 64 != 0) continue;
        auto sorted = used;
        std::sort(sorted.begin(), sorted.end(), [](const extent& a, const extent& b) { return a.offset < b.offset; });
        std::uint64_t sum = 0;
        for (std::size_t j = 0; j < sorted.size(); ++j) {
            sum += sorted[j].bytes;
            if (j != 0) {
                ASSERT_LE(sorted[j - 1].end(), sorted[j].offset);
            }
        }
        ASSERT_EQ(sorted.back().end(), map.end());
        ASSERT_EQ(sum + map.free_bytes(), map.end());
    }
    // The same extents, found in a file in any order.
    extent_map again;
    for (const extent& one : used) ASSERT_TRUE(again.claim(one));
    EXPECT_EQ(again.end(), map.end());
    EXPECT_EQ(again.free_bytes(), map.free_bytes());
    EXPECT_FALSE(again.claim(used.back()));
    EXPECT_FALSE(again.claim({4096, 4096}));
    EXPECT_FALSE(again.claim({4096, ~std::uint64_t{0} - 4095}));
}

} // namespace
} // namespace everbloom
