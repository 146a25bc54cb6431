// The slow filter against an exact multiset: random operations, power cuts, full disks, damaged files.
#include "support/power_cut_disk.hpp"
#include "support/rounds.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <map>
#include <string>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::power_cut_disk;

constexpr unsigned word_bits = 50;

digest item_of(std::uint64_t key) { return {mix(key * 2 + 1), 0}; }
std::uint64_t hash_of(std::uint64_t key) { return item_of(key).low & stored_mask(word_bits); }

slow_plan small_plan(unsigned part_bits, std::uint64_t capacity = 500) {
    auto plan = plan_slow({capacity, 0.01}).value();
    plan.identity.number = 4711;
    plan.identity.geometry = {word_bits, part_bits};
    return plan;
}

/// How often each stored hash is there.
using multiset = std::map<std::uint64_t, std::uint64_t>;

multiset contents_of(const slow_elastic& filter) {
    multiset found;
    auto read = filter.for_each([&](std::uint64_t hash, std::uint64_t copies) { found[hash] = copies; });
    EXPECT_TRUE(read) << (read ? "" : read.error().sentence);
    return found;
}

struct change {
    std::uint64_t key;
    bool is_erase;
};
/// As the filter defines it: an erase of a key that is not there does nothing. True if it did something.
bool count_change(multiset& truth, const change& one) {
    const std::uint64_t hash = hash_of(one.key);
    if (!one.is_erase) {
        ++truth[hash];
        return true;
    }
    const auto found = truth.find(hash);
    if (found == truth.end()) return false;
    if (--found->second == 0) truth.erase(found);
    return true;
}

void expect_no_false_negative(const slow_elastic& filter, const multiset& truth) {
    for (const auto& one : truth) ASSERT_TRUE(filter.may_contain(digest{one.first, 0})) << "a member got a no";
}

TEST(slow_elastic, agrees_with_an_exact_multiset) {
    dice random(1);
    for (std::uint64_t round = 0; round < support::rounds(12); ++round) {
        power_cut_disk disk;
        const std::uint64_t buffer_bytes = 1000 << random.below(8);
        const auto part_bits = static_cast<unsigned>(1 + random.below(4));
        const std::uint64_t range = 200 << random.below(6);
        auto made = slow_elastic::create(disk.file(), small_plan(part_bits), buffer_bytes);
        ASSERT_TRUE(made) << made.error().sentence;
        slow_elastic filter = std::move(*made);
        multiset truth;
        std::uint64_t refused = 0;
        for (int step = 0; step < 6000; ++step) {
            const std::uint64_t key = random.below(range);
            switch (random.below(20)) {
            case 0: {
                const auto verdict = filter.erase(item_of(key));
                ASSERT_TRUE(verdict) << verdict.error().sentence;
                ASSERT_EQ(*verdict == erase_outcome::removed, count_change(truth, {key, true}));
                break;
            }
            case 1:
            case 2:
            case 3:
            case 4:
            case 5: {
                const auto accepted = filter.erase_later(item_of(key));
                ASSERT_NE(accepted, deferred_outcome::refused);
                const bool removed = count_change(truth, {key, true});
                if (accepted == deferred_outcome::not_present) {
                    ASSERT_FALSE(removed);
                } else {
                    refused += removed ? 0 : 1;
                }
                break;
            }
            case 6: {
                const auto counted = filter.count(item_of(key));
                ASSERT_TRUE(counted);
                const auto found = truth.find(hash_of(key));
                ASSERT_EQ(*counted, found == truth.end() ? 0 : found->second);
                break;
            }
            default:
                ASSERT_EQ(filter.insert(item_of(key)), insert_outcome::inserted);
                count_change(truth, {key, false});
            }
            ASSERT_FALSE(filter.last_error());
            if (step % 97 == 0) expect_no_false_negative(filter, truth);
            if (random.one_in(700)) {
                ASSERT_TRUE(filter.flush());
            }
            if (random.one_in(1500)) {
                ASSERT_TRUE(filter.merge());
                const auto seen = filter.statistics();
                ASSERT_EQ(seen.pending, 0U);
                ASSERT_EQ(seen.keys, truth.size());
                ASSERT_EQ(seen.refused, refused);
            }
            if (random.one_in(2000)) {
                auto wanted = plan_slow({500, random.one_in(2) ? 0.001 : 0.05}).value();
                ASSERT_TRUE(filter.resize(wanted));
            }
            if (random.one_in(1000)) {
                ASSERT_TRUE(filter.close());
                auto again = slow_elastic::open(disk.file(), slow_access::write, buffer_bytes);
                ASSERT_TRUE(again) << again.error().sentence;
                filter = std::move(*again);
                ASSERT_EQ(contents_of(filter), truth);
                expect_no_false_negative(filter, truth);
            }
        }
        ASSERT_EQ(contents_of(filter), truth);
        ASSERT_TRUE(filter.merge());
        ASSERT_TRUE(filter.verify());
        ASSERT_EQ(contents_of(filter), truth);
        // After a merge only the FPR is left of removed keys.
        std::uint64_t wrong = 0;
        std::uint64_t absent = 0;
        for (std::uint64_t key = 0; key < range; ++key) {
            if (truth.contains(hash_of(key))) continue;
            ++absent;
            wrong += filter.may_contain(item_of(key)) ? 1 : 0;
        }
        EXPECT_LE(wrong, absent / 8 + 20);
        EXPECT_GE(filter.statistics().merges, 1U);
    }
}

TEST(slow_elastic, batches_equal_single_operations) {
    power_cut_disk one;
    power_cut_disk other;
    auto single = slow_elastic::create(one.file(), small_plan(3), 8000).value();
    auto batched = slow_elastic::create(other.file(), small_plan(3), 8000).value();
    std::vector<digest> items;
    for (std::uint64_t i = 0; i < 5000; ++i) items.push_back(item_of(i % 3000));
    std::vector<insert_outcome> outcomes(items.size());
    batched.insert(items, outcomes);
    for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(single.insert(items[i]), outcomes[i]);
    EXPECT_EQ(contents_of(single), contents_of(batched));
    std::vector<digest> asked;
    for (std::uint64_t i = 0; i < 9000; ++i) asked.push_back(item_of(i));
    std::vector<std::uint8_t> answers(asked.size());
    batched.may_contain(asked, answers);
    for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(answers[i] != 0, single.may_contain(asked[i]));
    ASSERT_TRUE(single.close());
    ASSERT_TRUE(batched.close());
    EXPECT_EQ(one.bytes(), other.bytes()); // same updates, same bytes
}

TEST(slow_elastic, opens_without_reading_the_runs) {
    power_cut_disk disk;
    auto filter = slow_elastic::create(disk.file(), small_plan(4, 100000), 64 << 10).value();
    for (std::uint64_t i = 0; i < 100000; ++i) ASSERT_EQ(filter.insert(item_of(i)), insert_outcome::inserted);
    const auto seen = filter.statistics();
    ASSERT_TRUE(filter.close());
    ASSERT_GT(seen.run_bytes, 250000U);
    const std::uint64_t before = disk.bytes_read();
    auto again = slow_elastic::open(disk.file(), slow_access::read).value();
    const std::uint64_t read = disk.bytes_read() - before;
    EXPECT_LE(read, seen.fast_bytes + seen.log_bytes + (64 << 10));
    EXPECT_LT(read, disk.bytes().size() - seen.run_bytes / 2);
    for (std::uint64_t i = 0; i < 100000; ++i) ASSERT_TRUE(again.may_contain(item_of(i)));
    EXPECT_EQ(disk.bytes_read() - before, read) << "a query has read the file";
    EXPECT_EQ(again.insert(item_of(1)), insert_outcome::not_writable);
    EXPECT_FALSE(again.erase(item_of(1)));
}

/// Random updates until the power is cut; then what is found must be what was there at some moment after the last flush.
TEST(slow_elastic, a_power_cut_loses_nothing_that_was_flushed) {
    dice random(2);
    std::uint64_t cuts = 0;
    for (std::uint64_t round = 0; round < support::rounds(500); ++round) {
        power_cut_disk disk;
        const std::uint64_t buffer_bytes = 600 << random.below(5);
        auto filter = slow_elastic::create(disk.file(), small_plan(2, 50), buffer_bytes).value();
        multiset acknowledged;
        std::vector<change> since;
        for (int life = 0; life < 3; ++life) {
            disk.cut_after(random.below(120));
            for (int step = 0; step < 3000 && !disk.is_cut(); ++step) {
                const change one{random.below(400), random.below(3) == 0};
                if (one.is_erase) {
                    const auto done = filter.erase_later(item_of(one.key));
                    if (done == deferred_outcome::accepted) since.push_back(one);
                } else if (succeeded(filter.insert(item_of(one.key)))) {
                    since.push_back(one);
                }
                if (!random.one_in(60) || !filter.flush()) continue;
                for (const change& known : since) count_change(acknowledged, known);
                since.clear();
            }
            // The end of the process; it may still try to save something, and must not succeed with half of it.
            { const slow_elastic gone = std::move(filter); }
            ++cuts;
            disk.become(disk.after_power_cut(random));
            auto again = slow_elastic::open(disk.file(), slow_access::write, buffer_bytes);
            ASSERT_TRUE(again) << again.error().sentence;
            filter = std::move(*again);
            const multiset found = contents_of(filter);
            multiset moment = acknowledged;
            bool is_some_moment = found == moment;
            for (std::size_t i = 0; i < since.size() && !is_some_moment; ++i) {
                count_change(moment, since[i]);
                is_some_moment = found == moment;
            }
            ASSERT_TRUE(is_some_moment) << "round " << round << ", life " << life << ": " << found.size()
                                        << " keys found, " << acknowledged.size() << " acknowledged, " << since.size()
                                        << " updates since";
            expect_no_false_negative(filter, found);
            acknowledged = found;
            since.clear();
        }
    }
    EXPECT_GE(cuts, 3U);
}

TEST(slow_elastic, a_full_disk_refuses_keys_and_loses_none) {
    dice random(3);
    for (std::uint64_t round = 0; round < support::rounds(6); ++round) {
        power_cut_disk disk;
        auto filter = slow_elastic::create(disk.file(), small_plan(2, 50), 4000).value();
        multiset truth;
        std::uint64_t refusals = 0;
        std::uint64_t key = 0;
        for (int step = 0; step < 20; ++step) {
            disk.limit_to(disk.bytes().size() + random.below(60000));
            for (int i = 0; i < 3000; ++i, ++key) {
                if (succeeded(filter.insert(item_of(key)))) {
                    count_change(truth, {key, false});
                } else {
                    ++refusals;
                }
            }
            expect_no_false_negative(filter, truth);
            if (const auto flushed = filter.flush(); !flushed) {
                EXPECT_EQ(flushed.error().reason, failure_reason::input_output);
                EXPECT_TRUE(filter.last_error());
            }
        }
        EXPECT_GT(refusals, 0U);
        disk.limit_to(~std::uint64_t{0}); // somebody has made room
        ASSERT_TRUE(filter.flush());
        ASSERT_EQ(filter.insert(item_of(key)), insert_outcome::inserted);
        count_change(truth, {key, false});
        ASSERT_TRUE(filter.merge());
        EXPECT_FALSE(filter.last_error());
        EXPECT_EQ(contents_of(filter), truth);
        ASSERT_TRUE(filter.close());
        const auto again = slow_elastic::open(disk.file(), slow_access::read);
        ASSERT_TRUE(again);
        EXPECT_EQ(contents_of(*again), truth);
    }
}

TEST(slow_elastic, after_a_failing_sync_nothing_is_promised_any_more) {
    power_cut_disk disk;
    auto filter = slow_elastic::create(disk.file(), small_plan(2), 4000).value();
    ASSERT_EQ(filter.insert(item_of(1)), insert_outcome::inserted);
    ASSERT_TRUE(filter.flush());
    ASSERT_EQ(filter.insert(item_of(2)), insert_outcome::inserted);
    disk.fail_syncs(true);
    const auto flushed = filter.flush();
    ASSERT_FALSE(flushed);
    EXPECT_EQ(flushed.error().reason, failure_reason::input_output);
    disk.fail_syncs(false);
    EXPECT_FALSE(filter.flush());
    EXPECT_EQ(filter.insert(item_of(3)), insert_outcome::growth_refused);
    EXPECT_EQ(filter.erase_later(item_of(1)), deferred_outcome::refused);
    ASSERT_TRUE(filter.last_error());
    EXPECT_TRUE(filter.may_contain(item_of(1)));
    const auto again = slow_elastic::open(disk.file(), slow_access::write);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->may_contain(item_of(1)));
}

TEST(slow_elastic, a_failing_read_changes_nothing) {
    power_cut_disk disk;
    auto filter = slow_elastic::create(disk.file(), small_plan(1, 50), 4000).value();
    multiset truth;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        ASSERT_EQ(filter.insert(item_of(i)), insert_outcome::inserted);
        count_change(truth, {i, false});
    }
    ASSERT_TRUE(filter.merge());
    disk.fail_reads(true);
    EXPECT_FALSE(filter.erase(item_of(1)));
    EXPECT_FALSE(filter.count(item_of(1)));
    for (std::uint64_t i = 0; i < 200; ++i) { // merges fail, and are postponed
        ASSERT_EQ(filter.insert(item_of(5000 + i)), insert_outcome::inserted);
        count_change(truth, {5000 + i, false});
    }
    EXPECT_FALSE(filter.merge());
    ASSERT_TRUE(filter.flush());
    disk.fail_reads(false);
    ASSERT_TRUE(filter.merge());
    EXPECT_EQ(contents_of(filter), truth);
}

/// A closed filter with runs, lines and a log with updates.
std::vector<std::byte> closed_filter(power_cut_disk& disk, multiset& truth) {
    auto filter = slow_elastic::create(disk.file(), small_plan(2, 50), 8000).value();
    for (std::uint64_t i = 0; i < 3000; ++i) {
        (void)filter.insert(item_of(i));
        count_change(truth, {i, false});
    }
    EXPECT_TRUE(filter.merge());
    for (std::uint64_t i = 0; i < 300; ++i) {
        (void)filter.erase_later(item_of(i));
        count_change(truth, {i, true});
    }
    EXPECT_GT(filter.statistics().pending, 0U);
    EXPECT_TRUE(filter.close());
    return disk.bytes();
}

TEST(slow_elastic, damage_is_found_before_it_costs_a_key) {
    power_cut_disk disk;
    multiset truth;
    const auto whole = closed_filter(disk, truth);
    dice random(4);
    std::uint64_t refused_to_open = 0;
    std::uint64_t found_by_verify = 0;
    std::uint64_t unused = 0;
    for (std::uint64_t round = 0; round < support::rounds(1500); ++round) {
        auto bytes = whole;
        const auto at = static_cast<std::size_t>(random.below(bytes.size()));
        const auto many = static_cast<std::size_t>(random.one_in(2) ? 1 : 1 + random.below(6000));
        for (std::size_t i = at; i < std::min(bytes.size(), at + many); ++i) {
            bytes[i] ^= static_cast<std::byte>(1 + random.below(255));
        }
        disk.become(bytes);
        const auto opened = slow_elastic::open(disk.file(), slow_access::write);
        if (!opened) {
            ++refused_to_open;
            EXPECT_EQ(opened.error().reason, failure_reason::damaged) << opened.error().sentence;
            continue;
        }
        expect_no_false_negative(*opened, truth);
        if (const auto verified = opened->verify(); !verified) {
            ++found_by_verify;
            EXPECT_EQ(verified.error().reason, failure_reason::damaged);
            continue;
        }
        ++unused; // free space, or the older of the two states
        EXPECT_EQ(contents_of(*opened), truth);
    }
    EXPECT_GT(refused_to_open, 0U);
    EXPECT_GT(found_by_verify, 0U);
    EXPECT_GT(unused, 0U);
}

TEST(slow_elastic, a_truncated_file_is_refused) {
    power_cut_disk disk;
    multiset truth;
    const auto whole = closed_filter(disk, truth);
    dice random(5);
    for (std::uint64_t round = 0; round < 300; ++round) {
        auto bytes = whole;
        bytes.resize(static_cast<std::size_t>(random.below(bytes.size() - 1)));
        disk.become(bytes);
        const auto opened = slow_elastic::open(disk.file(), slow_access::read);
        if (opened) { // what was cut off was free
            ASSERT_TRUE(opened->verify()) << bytes.size();
            EXPECT_EQ(contents_of(*opened), truth);
            continue;
        }
        EXPECT_EQ(opened.error().reason, failure_reason::damaged) << opened.error().sentence;
    }
}

TEST(slow_elastic, files_of_other_filters_and_versions_are_refused) {
    power_cut_disk disk;
    multiset truth;
    const auto whole = closed_filter(disk, truth);
    const auto expect_refusal = [&](std::vector<std::byte> bytes, std::string_view word) {
        disk.become(std::move(bytes));
        const auto opened = slow_elastic::open(disk.file(), slow_access::write);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().reason, failure_reason::damaged);
        EXPECT_NE(opened.error().sentence.find(word), std::string::npos) << opened.error().sentence;
    };
    auto newer = whole;
    newer[8] = std::byte{2};
    expect_refusal(newer, "version 2");
    expect_refusal({}, "magic");
    expect_refusal(std::vector<std::byte>(100000), "magic");
    // The header of another filter, in front of the rest of this one.
    power_cut_disk other;
    auto plan = small_plan(2, 50);
    plan.identity.number = 4712;
    ASSERT_TRUE(slow_elastic::create(other.file(), plan).value().close());
    auto mixed = whole;
    std::copy_n(other.bytes().begin(), slow_layout::header_bytes, mixed.begin());
    expect_refusal(mixed, "no intact state");
}

TEST(slow_elastic, a_reader_beside_a_writer_sees_every_flushed_key) {
    power_cut_disk disk;
    auto filter = slow_elastic::create(disk.file(), small_plan(2, 50), 4000).value();
    multiset truth;
    for (std::uint64_t key = 0; key < 4000; ++key) {
        ASSERT_EQ(filter.insert(item_of(key)), insert_outcome::inserted);
        count_change(truth, {key, false});
        if (key % 250 != 0) continue;
        ASSERT_TRUE(filter.flush());
        const auto reader = slow_elastic::open(disk.file(), slow_access::read);
        ASSERT_TRUE(reader) << reader.error().sentence;
        expect_no_false_negative(*reader, truth);
        ASSERT_EQ(contents_of(*reader), truth);
    }
    auto reader = slow_elastic::open(disk.file(), slow_access::read).value();
    ASSERT_TRUE(reader.count(item_of(5)));
    for (std::uint64_t key = 4000; key < 30000; ++key) (void)filter.insert(item_of(key));
    // Its runs are gone by now: an answer, or a failure that says so, but never a wrong answer.
    const auto counted = reader.count(item_of(7));
    EXPECT_TRUE(counted ? *counted == 1 : counted.error().reason == failure_reason::busy);
}

TEST(slow_elastic, keeps_its_fpr_and_its_memory_while_it_grows) {
    power_cut_disk disk;
    auto plan = plan_slow({1000, 0.01}).value();
    auto filter = slow_elastic::create(disk.file(), plan, 256 << 10).value();
    for (std::uint64_t i = 0; i < 200000; ++i) ASSERT_EQ(filter.insert(item_of(i)), insert_outcome::inserted);
    const auto seen = filter.statistics();
    EXPECT_LE(seen.buffer_bytes, std::uint64_t{256} << 10);
    EXPECT_LT(static_cast<double>(seen.fast_bytes) * 8 / 200000, 10.1 * 1.3);
    EXPECT_LT(filter.measure().fpr, 0.0105);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < 100000; ++i) wrong += filter.may_contain(item_of(1000000 + i)) ? 1 : 0;
    EXPECT_LT(wrong, 1200U);
    // Re-chosen, without the keys, in both directions.
    ASSERT_TRUE(filter.resize(plan_slow({1000, 0.0001}).value()));
    EXPECT_LT(filter.measure().fpr, 0.00012);
    ASSERT_TRUE(filter.resize(plan_slow({1000, 0.1}).value()));
    EXPECT_LT(static_cast<double>(filter.statistics().fast_bytes) * 8 / 200000, 5.0 * 1.3);
    for (std::uint64_t i = 0; i < 200000; ++i) ASSERT_TRUE(filter.may_contain(item_of(i)));
}

TEST(slow_elastic, a_key_that_comes_and_goes_does_not_fill_the_disk) {
    power_cut_disk disk;
    auto filter = slow_elastic::create(disk.file(), small_plan(2, 50), 4000).value();
    ASSERT_EQ(filter.insert(item_of(1)), insert_outcome::inserted);
    for (int i = 0; i < 3000000; ++i) {
        ASSERT_EQ(filter.insert(item_of(2)), insert_outcome::inserted);
        ASSERT_EQ(filter.erase_later(item_of(2)), deferred_outcome::accepted);
    }
    EXPECT_LT(disk.bytes().size(), std::size_t{16} << 20);
    EXPECT_EQ(*filter.count(item_of(1)), 1U);
    EXPECT_EQ(*filter.count(item_of(2)), 0U);
}

} // namespace
} // namespace everbloom
