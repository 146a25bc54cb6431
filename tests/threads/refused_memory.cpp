// Memory runs out while readers are under way: what they look at stays where it is until the last of them is gone.
#include "hostile/failing_new.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/runtime/shared_elastic.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace everbloom {
namespace {

using namespace support;
using hostile::failing_new;
using hostile::refusal;

/// Says when it dies.
struct watched {
    explicit watched(std::atomic<bool>& flag) noexcept : dead(&flag) {}
    watched(watched&& other) noexcept : dead(std::exchange(other.dead, nullptr)) {}
    watched& operator=(watched&& other) noexcept {
        std::swap(dead, other.dead);
        return *this;
    }
    ~watched() {
        if (dead != nullptr) dead->store(true);
    }
    std::atomic<bool>* dead;
};

TEST(reader_epochs, without_memory_to_remember_it_a_thing_outlives_its_readers) {
    for (std::uint64_t round = 0; round < rounds(50); ++round) {
        reader_epochs<watched> epochs;
        std::atomic<bool> dead = false;
        std::atomic<bool> reading = false;
        std::atomic<bool> retiring = false;
        std::atomic<bool> died_too_early = false;
        std::jthread reader([&] {
            const reader_epochs<watched>::visit here(epochs);
            reading = true;
            while (!retiring) std::this_thread::yield();
            for (int i = 0; i < 200; ++i) { // long enough for the writer to be in the middle of it, most of the time
                died_too_early = died_too_early || dead;
                std::this_thread::yield();
            }
        });
        while (!reading) std::this_thread::yield();
        {
            const failing_new refusing(1, refusal::from_then_on);
            retiring = true;
            epochs.retire(watched(dead));
        }
        reader.join();
        EXPECT_FALSE(died_too_early);
        EXPECT_TRUE(dead) << "the writer has waited, so nobody else can free it";
        EXPECT_EQ(epochs.waiting(), 0u);
    }
}

TEST(shared_elastic, members_are_there_for_readers_while_the_writer_has_no_memory) {
    elastic_blocked_spec spec;
    spec.initial_bits = 8 * line_bits;
    auto filter = must(shared_elastic_filter::make(spec.started(), 4));
    const key_family resident(81);
    constexpr std::uint64_t residents = 200;
    for (std::uint64_t i = 0; i < residents; ++i) ASSERT_TRUE(succeeded(filter.insert(resident[i])));

    std::atomic<bool> done = false;
    std::atomic<std::uint64_t> missed = 0;
    const auto read = [&] {
        std::array<digest, 64> keys;
        std::array<std::uint8_t, 64> answers;
        for (std::uint64_t at = 0; !done; at += keys.size()) {
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = resident[(at + i) % residents];
            filter.may_contain(keys, answers);
            missed += static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 0));
        }
    };
    std::uint64_t refused = 0;
    std::uint64_t met = 0;
    const std::uint64_t guests = rounds(8'000);
    {
        const std::jthread first(read);
        const std::jthread second(read);
        const key_family guest(82);
        for (std::uint64_t i = 0; i < guests; ++i) {
            // Many of them close together, so that pages of records need memory to move.
            digest key = guest[i];
            if (i % 5 < 3) key.low >>= 3;
            // Every allocation of this insertion in turn, alone or with all that follow, until it goes in.
            bool is_in = false;
            for (std::uint64_t number = 1; !is_in; ++number) {
                const failing_new refusing(number, i % 2 == 0 ? refusal::once : refusal::from_then_on);
                is_in = succeeded(filter.insert(key));
                refused += is_in ? 0 : 1;
                met += is_in && refusing.happened() ? 1 : 0;
            }
            if (!filter.may_contain(key)) ++missed;
        }
        done = true;
    }
    EXPECT_EQ(missed, 0u);
    EXPECT_GT(refused, 0u) << "some growth was refused";
    EXPECT_GT(met, 0u) << "and some went on without the memory to remember what it left behind";
    EXPECT_EQ(filter.keys(), residents + guests);
    EXPECT_GT(filter.expansions(), 4u);
}

TEST(shared_elastic, is_not_made_without_memory) {
    elastic_blocked_spec spec;
    spec.initial_bits = 8 * line_bits;
    for (std::uint64_t number = 1;; ++number) {
        const failing_new refusing(number, refusal::once);
        const auto made = shared_elastic_filter::make(spec.started(), 4);
        if (!refusing.happened()) {
            EXPECT_TRUE(made.has_value());
            break;
        }
        ASSERT_FALSE(made.has_value());
        ASSERT_EQ(made.error().reason, failure_reason::out_of_memory);
    }
}

} // namespace
} // namespace everbloom
