// The tables of the gate when memory is short: an insertion that cannot have its memory throws, and the table is what it was before.
// Abseil's sets break if they grow by themselves and the allocation throws (gate/hash_set_room.hpp).
#include "gate/flows/flow_table.hpp"
#include "gate/hash_set_room.hpp"
#include "gate/sender_table.hpp"
#include "hostile/failing_new.hpp"

#include <absl/container/flat_hash_map.h>
#include <gtest/gtest.h>

#include <array>
#include <new>

namespace everbloom::hostile {
namespace {

using cli::sender_table;

TEST(gate_tables, a_sender_that_finds_no_memory_leaves_the_table_as_it_was) {
    const any_hasher hash(hash_id::siphash, hash_key::from_seed(1));
    const auto key_of = [&](std::uint32_t i) {
        return cli::sender_key::of(cli::ip_address::v4(i * 2654435761U), hash);
    };
    constexpr std::uint32_t senders = 3000;
    constexpr std::uint32_t most = 2500; // the oldest ones go
    std::uint64_t refusals = 0;
    // The table with this number of senders, then one insertion without memory.
    for (std::uint32_t held = 0; held < senders; held += 1 + held / 50) {
        for (std::uint64_t number = 1; number < 5; ++number) {
            sender_table table(3, most, hash);
            const auto insert = [&](std::uint32_t i) { table.set_strikes(table.insert(key_of(i)), i % 3); };
            const auto check = [&](std::uint32_t count) {
                const std::uint32_t gone = count > most ? count - most : 0;
                ASSERT_EQ(table.senders(), count - gone);
                for (std::uint32_t i = 0; i < count; ++i) {
                    const auto slot = table.find(key_of(i));
                    ASSERT_EQ(slot == sender_table::none, i < gone) << i;
                    if (i >= gone) {
                        ASSERT_EQ(table.strikes(slot), i % 3);
                    }
                }
                std::uint32_t linked = 0;
                for (auto one = table.oldest(); one != sender_table::none; one = table.seen_after(one)) ++linked;
                ASSERT_EQ(linked, count - gone);
            };
            for (std::uint32_t i = 0; i < held; ++i) insert(i);
            bool refused = false;
            try {
                const failing_new refusing(number, refusal::from_then_on);
                insert(held);
            } catch (const std::bad_alloc&) {
                refused = true;
            }
            check(refused ? held : held + 1);
            if (HasFatalFailure()) return;
            if (!refused) break;
            ++refusals;
            for (std::uint32_t i = held; i < senders; ++i) insert(i);
            check(senders);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(refusals, 10U);
}

TEST(gate_tables, a_connection_that_finds_no_memory_leaves_the_table_as_it_was) {
    const any_hasher hash(hash_id::siphash, hash_key::from_seed(1));
    constexpr std::uint32_t most = 600; // the oldest ones go
    constexpr std::size_t history = 5;
    const cli::ip_address sender = cli::ip_address::v4(7);
    const auto key_of = [&](std::uint32_t i) {
        return cli::flow_table::key_of(sender, {.receiver = cli::ip_address::v4(i * 2654435761U),
                                                .sender_port = static_cast<std::uint16_t>(i),
                                                .receiver_port = 80,
                                                .protocol = 6});
    };
    cli::flow_table table(history, most, hash);
    std::uint64_t refusals = 0;
    for (std::uint32_t i = 0; i < 800; ++i) {
        const std::array<std::uint8_t, 3> bytes{static_cast<std::uint8_t>(i), 1, 2};
        const auto place = [&] {
            table.append_history(table.place(key_of(i), {.sequence = i, .bytes = 10, .opens = false}).at, bytes);
        };
        for (std::uint64_t number = 1;; ++number) {
            try {
                const failing_new refusing(number, refusal::from_then_on);
                place();
                break;
            } catch (const std::bad_alloc&) {
                ++refusals;
                const std::uint32_t gone = i > most ? i - most : 0;
                ASSERT_EQ(table.flows(), i - gone);
                for (std::uint32_t j = 0; j < i; ++j) {
                    const auto slot = table.find(key_of(j));
                    ASSERT_EQ(slot == cli::flow_table::none, j < gone);
                    if (j < gone) continue;
                    ASSERT_EQ(table.stream(slot).next, j + 10);
                    ASSERT_EQ(table.history(slot).size(), 3U);
                    ASSERT_EQ(table.history(slot)[0], static_cast<std::uint8_t>(j));
                }
            }
        }
    }
    EXPECT_EQ(table.flows(), most);
    EXPECT_EQ(table.counters().evicted, 200U);
    EXPECT_GT(refusals, 10U);
}

TEST(gate_tables, a_set_that_finds_no_room_is_whole) {
    constexpr int most = 5000;
    std::uint64_t refusals = 0;
    absl::flat_hash_map<int, int> map;
    for (int i = 0; i < most; ++i) {
        try {
            const failing_new refusing(1, refusal::from_then_on);
            cli::make_room(map);
            map[i] = -i;
        } catch (const std::bad_alloc&) {
            ++refusals;
            ASSERT_EQ(map.size(), static_cast<std::size_t>(i));
            for (int there = 0; there < i; ++there) ASSERT_EQ(map.at(there), -there);
            cli::make_room(map);
            map[i] = -i;
        }
        if (i % 3 == 0) { // erased entries take places, too
            map.erase(i);
            map[i] = -i;
        }
    }
    EXPECT_EQ(map.size(), static_cast<std::size_t>(most));
    EXPECT_GT(refusals, 5U);
}

} // namespace
} // namespace everbloom::hostile
