// A slow filter that threads share, where the order of things is decided by the test: updates in the middle of a merge, merges that fail
// while others go on, full disks, power cuts. What threads do by chance is in tests/threads/shared_slow.cpp.
#include "support/power_cut_disk.hpp"
#include "support/rounds.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>

#include <functional>
#include <map>
#include <thread>

namespace everbloom {
namespace {

using support::dice;
using support::power_cut_disk;
using contents = std::map<std::uint64_t, std::uint64_t>;

constexpr unsigned stored_bits = 50;
digest key_item(std::uint64_t key) { return {mix(key * 2 + 1), 0}; }
std::uint64_t stored_of(std::uint64_t key) { return key_item(key).low & stored_mask(stored_bits); }

slow_plan plan_in_parts(unsigned part_bits) {
    auto plan = plan_slow({500, 0.01}).value();
    plan.identity.number = 4711;
    plan.identity.geometry = {stored_bits, part_bits};
    return plan;
}

/// A disk that does something else before it reads.
class interrupted_file final : public random_access_file {
public:
    struct interruption {
        std::function<void()> act;
        bool fails_then = false;
    };
    interrupted_file(std::unique_ptr<random_access_file> disk, std::shared_ptr<interruption> next)
        : disk_(std::move(disk)), next_(std::move(next)) {}

    [[nodiscard]] result<std::uint64_t> bytes() override { return disk_->bytes(); }
    [[nodiscard]] result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
        if (next_->act) {
            std::exchange(next_->act, nullptr)();
            if (next_->fails_then) return fail(failure_reason::input_output, "cannot read it: simulated");
        }
        return disk_->read(offset, into);
    }
    [[nodiscard]] result<void> write(std::uint64_t offset, std::span<const std::byte> from) override {
        return disk_->write(offset, from);
    }
    [[nodiscard]] result<void> sync() override { return disk_->sync(); }
    [[nodiscard]] result<void> shorten(std::uint64_t bytes) override { return disk_->shorten(bytes); }
    void discard(std::uint64_t offset, std::uint64_t bytes) noexcept override { disk_->discard(offset, bytes); }
    [[nodiscard]] result<void> check_name() override { return disk_->check_name(); }

private:
    std::unique_ptr<random_access_file> disk_;
    std::shared_ptr<interruption> next_;
};

void expect_counts(const shared_slow_elastic& filter, const std::map<std::uint64_t, std::uint64_t>& expected) {
    for (const auto& [key, copies] : expected) {
        ASSERT_EQ(filter.count(key_item(key)).value(), copies) << key;
        ASSERT_TRUE(copies == 0 || filter.may_contain(key_item(key))) << key;
    }
}

void expect_found(power_cut_disk& disk, const std::map<std::uint64_t, std::uint64_t>& expected) {
    const auto again = slow_elastic::open(disk.file(), slow_access::read).value();
    contents found;
    ASSERT_TRUE(again.for_each([&](std::uint64_t hash, std::uint64_t copies) { found[hash] = copies; }));
    contents wanted;
    for (const auto& [key, copies] : expected) {
        if (copies != 0) wanted[stored_of(key)] = copies;
    }
    ASSERT_TRUE(found == wanted);
}

/// Updates of another thread arrive while every part is merged: what was removed is there again, what was new is removed, keys are new.
void update_during_merges(bool merges_fail) {
    power_cut_disk disk;
    auto next = std::make_shared<interrupted_file::interruption>();
    auto made = slow_elastic::create(std::make_unique<interrupted_file>(disk.file(), next), plan_in_parts(1)).value();
    auto filter = shared_slow_elastic::share(std::move(made)).value();
    std::map<std::uint64_t, std::uint64_t> truth;
    for (std::uint64_t key = 0; key < 4000; ++key) {
        ASSERT_EQ(filter.insert(key_item(key)), insert_outcome::inserted);
        truth[key] = 1;
    }
    ASSERT_TRUE(filter.merge()); // so that the next one has something to read
    for (std::uint64_t key = 0; key < 1000; ++key) {
        ASSERT_EQ(filter.erase(key_item(key)).value(), erase_outcome::removed);
        truth[key] = 0;
        ASSERT_EQ(filter.insert(key_item(5000 + key)), insert_outcome::inserted);
        truth[5000 + key] = 1;
    }
    next->fails_then = merges_fail;
    next->act = [&] {
        std::jthread([&] {
            for (std::uint64_t key = 0; key < 300; ++key) {
                EXPECT_EQ(filter.insert(key_item(key)), insert_outcome::inserted);
                EXPECT_EQ(filter.erase(key_item(5000 + key)).value(), erase_outcome::removed);
                EXPECT_EQ(filter.erase(key_item(300 + key)).value(), erase_outcome::not_present);
                EXPECT_EQ(filter.insert(key_item(9000 + key)), insert_outcome::inserted);
                EXPECT_EQ(filter.erase_later(key_item(2000 + key)), deferred_outcome::accepted);
                EXPECT_TRUE(filter.may_contain(key_item(9000 + key)));
                truth[key] = truth[9000 + key] = 1;
                truth[5000 + key] = truth[2000 + key] = 0;
            }
            EXPECT_TRUE(filter.flush());
        });
    };
    EXPECT_EQ(filter.merge().has_value(), !merges_fail);
    EXPECT_EQ(filter.last_error().has_value(), merges_fail);
    ASSERT_FALSE(next->act) << "nothing came between";
    expect_counts(filter, truth);
    expect_found(disk, truth); // all of it was flushed
    const auto pending = filter.statistics().pending;
    EXPECT_GT(pending, 0U);
    ASSERT_TRUE(filter.verify());
    ASSERT_TRUE(filter.merge());
    EXPECT_FALSE(filter.last_error());
    const auto seen = filter.statistics();
    EXPECT_EQ(seen.pending, 0U);
    EXPECT_EQ(seen.keys, 4000U - 1000U + 300U - 300U + 1000U - 300U + 300U);
    EXPECT_EQ(seen.refused, 0U);
    expect_counts(filter, truth);
    ASSERT_TRUE(filter.verify());
    ASSERT_TRUE(filter.close());
    expect_found(disk, truth);
}

TEST(shared_slow, takes_updates_while_their_part_is_merged) { update_during_merges(false); }
TEST(shared_slow, loses_nothing_when_a_merge_fails_while_updates_go_on) { update_during_merges(true); }

/// The same updates by either class make the same filter, and the same answers.
TEST(shared_slow, agrees_with_the_filter_of_one_thread) {
    dice random(5);
    power_cut_disk one;
    power_cut_disk other;
    auto plain = slow_elastic::create(one.file(), plan_in_parts(3), 8000).value();
    auto shared =
        shared_slow_elastic::share(slow_elastic::create(other.file(), plan_in_parts(3), 8000).value()).value();
    for (std::uint64_t step = 0; step < 20 * support::rounds(1000); ++step) {
        const digest item = key_item(random.below(1500));
        switch (random.below(6)) {
        case 0: ASSERT_EQ(plain.erase(item).value(), shared.erase(item).value()); break;
        case 1: ASSERT_EQ(plain.erase_later(item), shared.erase_later(item)); break;
        case 2: ASSERT_EQ(plain.count(item).value(), shared.count(item).value()); break;
        default: ASSERT_EQ(plain.insert(item), shared.insert(item));
        }
        if (random.one_in(900)) {
            ASSERT_TRUE(plain.flush());
            ASSERT_TRUE(shared.flush());
        }
        ASSERT_EQ(plain.may_contain(item), shared.may_contain(item));
    }
    ASSERT_TRUE(plain.close());
    ASSERT_TRUE(shared.close());
    EXPECT_EQ(one.bytes(), other.bytes()); // the same bytes, too
}

/// Batches against an exact oracle, for either class: removals of keys that are there, that were there, and several of one key.
template <class Filter>
void remove_batches(Filter filter, power_cut_disk& disk) {
    dice random(7);
    contents truth;
    std::uint64_t refused = 0;
    std::vector<digest> items;
    std::vector<std::uint64_t> keys;
    std::vector<insert_outcome> inserted;
    std::vector<deferred_outcome> removed;
    const auto draw = [&] {
        keys.resize(random.below(1500)); // also more than are sorted at a time
        items.clear();
        for (std::uint64_t& key : keys) items.push_back(key_item(key = random.below(4000)));
    };
    for (std::uint64_t round = 0; round < support::rounds(100); ++round) {
        draw();
        inserted.resize(items.size());
        filter.insert(items, inserted);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_EQ(inserted[i], insert_outcome::inserted);
            ++truth[keys[i]];
        }
        draw();
        removed.resize(items.size());
        filter.erase_later(items, removed);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::uint64_t& copies = truth[keys[i]];
            ASSERT_NE(removed[i], deferred_outcome::refused);
            ASSERT_TRUE(removed[i] == deferred_outcome::accepted || copies == 0);
            refused += removed[i] == deferred_outcome::accepted && copies == 0 ? 1 : 0;
            copies -= copies != 0 ? 1 : 0;
        }
        for (const auto& [key, copies] : truth) ASSERT_EQ(filter.count(key_item(key)).value(), copies);
    }
    ASSERT_TRUE(filter.merge());
    EXPECT_EQ(filter.statistics().refused, refused);
    ASSERT_TRUE(filter.close());
    removed.assign(1, deferred_outcome::accepted);
    filter.erase_later(std::span(items).first(1), removed);
    EXPECT_EQ(removed[0], deferred_outcome::refused);
    expect_found(disk, truth);
}
TEST(shared_slow, removes_batches_as_an_exact_oracle_does) {
    power_cut_disk one;
    remove_batches(slow_elastic::create(one.file(), plan_in_parts(3), 8000).value(), one);
    power_cut_disk other;
    remove_batches(
        shared_slow_elastic::share(slow_elastic::create(other.file(), plan_in_parts(3), 8000).value()).value(), other);
}

TEST(shared_slow, a_batch_answers_in_the_order_of_its_keys) {
    power_cut_disk disk;
    auto filter = shared_slow_elastic::share(slow_elastic::create(disk.file(), plan_in_parts(3), 8000).value()).value();
    std::vector<digest> items;
    for (std::uint64_t i = 0; i < 3000; ++i) items.push_back(key_item(i % 2000));
    std::vector<insert_outcome> outcomes(items.size(), insert_outcome::not_writable);
    filter.insert(items, outcomes);
    for (const insert_outcome one : outcomes) ASSERT_EQ(one, insert_outcome::inserted);
    std::vector<digest> asked;
    for (std::uint64_t i = 0; i < 4000; ++i) asked.push_back(key_item(i * 3));
    std::vector<std::uint8_t> answers(asked.size(), 7);
    filter.may_contain(asked, answers);
    for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(answers[i] != 0, filter.may_contain(asked[i]));
    for (std::uint64_t i = 0; i < 2000; ++i) ASSERT_EQ(filter.count(key_item(i)).value(), i < 1000 ? 2U : 1U);
}

TEST(shared_slow, a_full_disk_refuses_keys_and_loses_none) {
    dice random(6);
    for (std::uint64_t round = 0; round < support::rounds(6); ++round) {
        power_cut_disk disk;
        auto filter =
            shared_slow_elastic::share(slow_elastic::create(disk.file(), plan_in_parts(2), 4000).value()).value();
        disk.limit_to(100'000 + random.below(100'000));
        std::map<std::uint64_t, std::uint64_t> truth;
        std::uint64_t refused = 0;
        for (std::uint64_t key = 0; key < 60'000 && refused < 5000; ++key) {
            if (succeeded(filter.insert(key_item(key)))) {
                truth[key] = 1;
            } else {
                ++refused;
            }
        }
        EXPECT_GT(refused, 0U);
        EXPECT_TRUE(filter.last_error());
        disk.limit_to(~std::uint64_t{0});
        ASSERT_TRUE(filter.flush()) << "after there is room again";
        EXPECT_EQ(filter.insert(key_item(70'000)), insert_outcome::inserted);
        truth[70'000] = 1;
        expect_counts(filter, truth);
        ASSERT_TRUE(filter.close());
        expect_found(disk, truth);
    }
}

TEST(shared_slow, goes_on_after_a_close_that_failed) {
    power_cut_disk disk;
    auto filter = shared_slow_elastic::share(slow_elastic::create(disk.file(), plan_in_parts(2), 4000).value()).value();
    EXPECT_EQ(filter.insert(key_item(1)), insert_outcome::inserted);
    disk.limit_to(0);
    EXPECT_FALSE(filter.close());
    disk.limit_to(~std::uint64_t{0});
    EXPECT_EQ(filter.insert(key_item(2)), insert_outcome::inserted);
    ASSERT_TRUE(filter.flush());
    expect_counts(filter, {{1, 1}, {2, 1}});
    ASSERT_TRUE(filter.close());
    expect_found(disk, {{1, 1}, {2, 1}});
}

TEST(shared_slow, a_power_cut_loses_nothing_that_was_flushed) {
    dice random(7);
    for (std::uint64_t round = 0; round < support::rounds(100); ++round) {
        power_cut_disk disk;
        const std::uint64_t buffer_bytes = 600 << random.below(5);
        auto filter =
            shared_slow_elastic::share(slow_elastic::create(disk.file(), plan_in_parts(2), buffer_bytes).value())
                .value();
        disk.cut_after(random.below(120));
        contents moment;
        std::vector<std::uint64_t> since;
        for (std::uint64_t step = 0; step < 3000 && !disk.is_cut(); ++step) {
            const std::uint64_t key = random.below(400);
            if (succeeded(filter.insert(key_item(key)))) since.push_back(key);
            if (!random.one_in(60) || !filter.flush()) continue;
            for (const std::uint64_t known : since) ++moment[stored_of(known)];
            since.clear();
        }
        { const shared_slow_elastic gone = std::move(filter); }
        disk.become(disk.after_power_cut(random));
        auto again = slow_elastic::open(disk.file(), slow_access::write, buffer_bytes);
        ASSERT_TRUE(again) << again.error().sentence;
        contents found;
        ASSERT_TRUE(again->for_each([&](std::uint64_t hash, std::uint64_t copies) { found[hash] = copies; }));
        for (std::size_t i = 0; i < since.size() && found != moment; ++i) ++moment[stored_of(since[i])];
        ASSERT_TRUE(found == moment) << "round " << round;
    }
}

} // namespace
} // namespace everbloom
