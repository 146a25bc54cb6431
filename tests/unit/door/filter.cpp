// The front door: filter<Key, Kind> with kinds chosen at run time and at compile time.
#include "support/temporary_directory.hpp"

#include <everbloom/everbloom.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace everbloom {
namespace {

constexpr std::uint64_t some = 2000;

template <class Kind>
class front_door : public ::testing::Test {};

// Every kind goes through the same door (tests/unit/door/pieces.cpp and the contract suite have them all); these differ in what they can do.
using kinds_of_all_sorts = ::testing::Types<any_kind, blocked, dfp, elastic_blocked>;
TYPED_TEST_SUITE(front_door, kinds_of_all_sorts);

filter_options for_some() { return {.capacity = some, .fpr = 0.01, .key = hash_key::from_seed(1)}; }

std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t to) {
    std::vector<std::uint64_t> made;
    for (std::uint64_t i = from; i < to; ++i) made.push_back(i);
    return made;
}

TYPED_TEST(front_door, keeps_what_it_gets) {
    filter<std::uint64_t, TypeParam> seen(for_some());
    for (const std::uint64_t key : numbers(0, some / 2)) EXPECT_TRUE(succeeded(seen.insert(key)));
    const auto rest = numbers(some / 2, some);
    EXPECT_EQ(seen.insert(rest).successes(), rest.size());
    for (const std::uint64_t key : numbers(0, some)) EXPECT_TRUE(seen.may_contain(key)) << key;

    const auto absent = numbers(some, some + 20'000);
    const auto answers = seen.may_contain(absent);
    double positives = 0;
    for (std::size_t i = 0; i < absent.size(); ++i) {
        positives += answers[i];
        ASSERT_EQ(seen.may_contain(absent[i]), answers[i] != 0) << "one key and a batch disagree about " << absent[i];
    }
    EXPECT_LT(positives / 20'000, 0.02);
    const filter_stats now = seen.stats();
    EXPECT_NEAR(now.keys, static_cast<double>(some), 0.1 * static_cast<double>(some));
    EXPECT_NEAR(now.fill, 1, 0.1);
    EXPECT_EQ(now.capacity, some);
    EXPECT_LT(now.fpr, 0.02);
    EXPECT_GT(now.memory_bytes, 0u);
    EXPECT_EQ(now.kind, seen.kind());
}

TYPED_TEST(front_door, copies_moves_swaps_and_compares) {
    using type = filter<std::string, TypeParam>;
    type one({.capacity = some, .key = hash_key::from_seed(2)});
    one.insert("anna");
    type copy(one);
    EXPECT_TRUE(copy == one);
    copy.insert("bert");
    EXPECT_FALSE(copy == one);
    EXPECT_TRUE(copy.may_contain("bert"));
    type moved(std::move(copy));
    EXPECT_TRUE(moved.may_contain("anna") && moved.may_contain("bert"));
    // What was moved away says "maybe", takes nothing, and fails in words.
    EXPECT_TRUE(copy.may_contain("zoe"));                        // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(copy.insert("zoe"), insert_outcome::not_writable); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(copy.erase("zoe"), erase_outcome::unsupported);    // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(copy.save("nowhere.eb"), error);                // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(type again(copy), error);                       // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(copy.stats().keys, 0);                             // NOLINT(bugprone-use-after-move)
    copy = one;
    EXPECT_TRUE(copy == one);
    swap(copy, moved);
    EXPECT_TRUE(copy.may_contain("bert"));
    EXPECT_TRUE(moved == one);
    type& same = moved;
    moved = same;
    EXPECT_TRUE(moved == one);
}

TYPED_TEST(front_door, saves_opens_and_maps) {
    const support::temporary_directory here;
    const std::string path = here / "seen.eb";
    using type = filter<std::string, TypeParam>;
    type seen({.capacity = some});
    for (std::uint64_t i = 0; i < some; ++i) seen.insert("key " + std::to_string(i));
    seen.save(path);
    type back = type::open(path);
    EXPECT_TRUE(back == seen);
    EXPECT_TRUE(succeeded(back.insert("one more")));
    EXPECT_TRUE(type::read(seen.bytes()) == seen);
    for (const verify how : {verify::everything, verify::header}) {
        const auto mapped = type::map(path, how);
        std::vector<std::string> keys;
        for (std::uint64_t i = 0; i < 2 * some; ++i) keys.push_back("key " + std::to_string(i));
        const auto answers = mapped.may_contain(keys);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_EQ(mapped.may_contain(keys[i]), seen.may_contain(keys[i]));
            ASSERT_EQ(answers[i] != 0, seen.may_contain(keys[i]));
        }
        if (seen.can(capability::merge)) {
            type empty({.capacity = some, .key = seen.hasher().key()});
            empty |= mapped;
            EXPECT_TRUE(empty.may_contain("key 7"));
        }
    }
    // A file says what it is.
    EXPECT_THROW((void)(filter<std::uint64_t, TypeParam>::open(path)), error);
    EXPECT_EQ((filter<std::uint64_t, TypeParam>::try_open(path).error().reason), failure_reason::mismatch);
    EXPECT_EQ((filter<std::string, yes_no>::try_open(path).error().reason), failure_reason::mismatch);
    EXPECT_TRUE((filter<std::string>::try_open(path)));
    EXPECT_FALSE(type::try_open(here / "none.eb"));
}

TYPED_TEST(front_door, refuses_bad_options_in_words) {
    using type = filter<std::string, TypeParam>;
    const auto sentence = [](const filter_options& wanted) {
        const auto made = type::try_make(wanted);
        return made ? std::string() : made.error().sentence;
    };
    EXPECT_NE(sentence({.capacity = 0}).find("capacity"), std::string::npos);
    for (const double fpr : {0.0, 1.0, -1.0, 2.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_NE(sentence({.capacity = 10, .fpr = fpr}).find("fpr"), std::string::npos) << fpr;
    }
    EXPECT_FALSE(sentence({.capacity = std::uint64_t{1} << 62}).empty());
    EXPECT_FALSE(sentence({.capacity = 10, .geometry = {{"no such", "1"}}}).empty());
    EXPECT_THROW(type({.capacity = 0}), error);
}

TYPED_TEST(front_door, refuses_what_does_not_fit_together) {
    using type = filter<std::string, TypeParam>;
    type one({.capacity = some});
    type other({.capacity = some}); // another random hash key
    other.insert("anna");
    const auto merged = one.try_merge(other);
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().reason, failure_reason::mismatch) << merged.error().sentence;
    EXPECT_FALSE(one.try_intersect(other));
    EXPECT_THROW(one |= other, error);
    EXPECT_FALSE(one.may_contain("anna"));
}

TYPED_TEST(front_door, keeps_its_promise_about_the_capacity) {
    filter<std::uint64_t, TypeParam> seen(for_some());
    std::uint64_t taken = 0;
    bool refused = false;
    for (std::uint64_t i = 0; i < 3 * some; ++i) {
        const insert_outcome outcome = seen.insert(i);
        taken += succeeded(outcome) ? 1 : 0;
        refused |= outcome == insert_outcome::over_capacity || outcome == insert_outcome::full_bucket;
        ASSERT_FALSE(i < some && outcome == insert_outcome::over_capacity) << i;
    }
    EXPECT_GE(taken, some * 98 / 100);
    EXPECT_LT(seen.stats().fpr, 1.3 * 0.01);
    EXPECT_TRUE(refused || taken == 3 * some);
    // Copies of keys that are there do not count.
    filter<std::uint64_t, TypeParam> again(for_some());
    if (again.kind() == "dleft" || again.kind() == "counting") return; // they count copies, and refuse too many of them
    for (int round = 0; round < 5; ++round) {
        for (std::uint64_t i = 0; i < some / 2; ++i) ASSERT_TRUE(succeeded(again.insert(i))) << round;
    }
}

TYPED_TEST(front_door, may_be_overfilled_on_request) {
    filter_options wanted = for_some();
    wanted.overfill = true;
    filter<std::uint64_t, TypeParam> seen(wanted);
    for (std::uint64_t i = 0; i < 2 * some; ++i) ASSERT_NE(seen.insert(i), insert_outcome::over_capacity);
}

TEST(front_door_erase, gives_a_verdict_and_room) {
    filter<std::string> seen({.capacity = 100});
    seen.insert("anna");
    EXPECT_EQ(seen.can_erase("anna"), erase_outcome::removed);
    EXPECT_EQ(seen.erase("anna"), erase_outcome::removed);
    EXPECT_FALSE(seen.may_contain("anna"));
    EXPECT_EQ(seen.erase("anna"), erase_outcome::not_present);
    filter<std::string, bloom> fixed({.capacity = 100});
    fixed.insert("anna");
    EXPECT_EQ(fixed.erase("anna"), erase_outcome::unsupported);
    EXPECT_TRUE(fixed.may_contain("anna"));

    filter<std::uint64_t, dfp> full({.capacity = 1000, .fpr = 0.01});
    std::uint64_t key = 0;
    while (full.insert(key) != insert_outcome::over_capacity) ASSERT_LT(++key, 5000u);
    for (std::uint64_t i = 0; i < 100; ++i) full.erase(i);
    EXPECT_TRUE(succeeded(full.insert(key))) << "removals have made room";
}

TEST(front_door_insert_new, is_exact_where_it_is_offered) {
    filter<std::string, elastic_blocked> seen({.capacity = 1000}); // stored hashes
    EXPECT_TRUE(succeeded(seen.insert_new("anna")));
    EXPECT_EQ(seen.insert_new("anna"), insert_outcome::already_present);
    EXPECT_EQ(seen.erase("anna"), erase_outcome::removed);
    EXPECT_FALSE(seen.may_contain("anna"));
    filter<std::string, bloom> never_removes({.capacity = 1000});
    EXPECT_TRUE(succeeded(never_removes.insert_new("anna")));
    EXPECT_EQ(never_removes.insert_new("anna"), insert_outcome::already_present);
    filter<std::string, counting> would_lose({.capacity = 1000});
    EXPECT_THROW(would_lose.insert_new("anna"), error);
    EXPECT_FALSE(would_lose.may_contain("anna"));
}

TEST(front_door_exclude, known_negatives_never_come_back) {
    filter<std::uint64_t, blocked> seen({.capacity = 1000, .fpr = 0.1});
    seen.insert(numbers(0, 1000));
    const auto negatives = numbers(100'000, 101'000);
    const protection done = seen.exclude(negatives);
    EXPECT_GT(done.false_positives_before, 0u);
    for (const std::uint64_t key : negatives) EXPECT_FALSE(seen.may_contain(key)) << key;
    for (const std::uint8_t answer : seen.may_contain(negatives)) EXPECT_EQ(answer, 0);
    EXPECT_TRUE(succeeded(seen.insert(negatives[0])));
    EXPECT_TRUE(seen.may_contain(negatives[0]));
    filter<std::uint64_t, blocked> copy(seen);
    EXPECT_FALSE(copy.may_contain(negatives[1])) << "a copy has the list too";
}

TEST(front_door_resize, changes_capacity_and_rate) {
    filter<std::string> seen({.capacity = 1000, .fpr = 0.01});
    for (int i = 0; i < 1000; ++i) seen.insert(std::to_string(i));
    seen.resize({.capacity = 10'000});
    EXPECT_EQ(seen.stats().capacity, 10'000u);
    seen.resize({.fpr = 0.0001});
    EXPECT_EQ(seen.stats().target_fpr, 0.0001);
    EXPECT_LT(seen.stats().fpr, 0.0002);
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.may_contain(std::to_string(i)));
    EXPECT_THROW(seen.resize({.capacity = 10}), error) << "it holds more";
    filter<std::string, blocked> cannot({.capacity = 1000});
    EXPECT_THROW(cannot.resize({.capacity = 10'000}), error);
}

TEST(front_door_clear, makes_it_as_new) {
    filter<std::uint64_t, bloom> seen({.capacity = 100});
    seen.insert(numbers(0, 100));
    seen.clear();
    EXPECT_FALSE(seen.may_contain(5));
    EXPECT_EQ(seen.insert(numbers(0, 100)).successes(), 100u);
}

TEST(front_door_merge, refuses_to_exceed_the_capacity) {
    const hash_key key = hash_key::from_seed(3);
    filter<std::uint64_t, bloom> one({.capacity = 1000, .fpr = 0.01, .key = key});
    filter<std::uint64_t, bloom> other({.capacity = 1000, .fpr = 0.01, .key = key});
    one.insert(numbers(0, 900));
    other.insert(numbers(900, 1800));
    const auto before = one;
    EXPECT_THROW(one |= other, error);
    EXPECT_TRUE(one == before);
    filter<std::uint64_t, bloom> few({.capacity = 1000, .fpr = 0.01, .key = key});
    few.insert(numbers(900, 950));
    one |= few;
    EXPECT_TRUE(one.may_contain(925));
}

/// The same keys one by one, in a batch, and digest by digest below the front door: equal filters, equal answers.
template <class Kind>
void expect_equal_on_all_ways(hash_id hash, const char* hashes) {
    SCOPED_TRACE(name_of(hash));
    const filter_options wanted{.capacity = some,
                                .fpr = 0.01,
                                .kind = "blocked",
                                .hash = hash,
                                .key = hash_key::from_seed(1),
                                .geometry = {{"hashes", hashes}}};
    filter<std::uint64_t, Kind> singly(wanted);
    filter<std::uint64_t, Kind> together(wanted);
    filter<std::uint64_t, Kind> below(wanted);
    const auto keys = numbers(0, some);
    for (const std::uint64_t key : keys) {
        EXPECT_EQ(singly.insert(key), insert_outcome::inserted);
        EXPECT_EQ(below.untyped().insert_one(digest_of(below.hasher(), key)), insert_outcome::inserted);
    }
    EXPECT_EQ(together.insert(keys).successes(), keys.size());
    EXPECT_TRUE(singly == below);
    EXPECT_TRUE(together == below);

    const auto asked = numbers(0, 5 * some);
    std::vector<std::uint64_t> negatives;
    const auto answers = singly.may_contain(asked);
    for (const std::uint64_t key : asked) {
        EXPECT_EQ(answers[key] != 0, below.untyped().may_contain(digest_of(below.hasher(), key))) << key;
        EXPECT_EQ(answers[key] != 0, singly.may_contain(key)) << key;
        if (key >= some && answers[key] != 0) negatives.push_back(key);
    }
    ASSERT_FALSE(negatives.empty());
    // An exclusion list stands in front of every way.
    singly.exclude(negatives);
    const auto excluded = singly.may_contain(asked);
    for (const std::uint64_t key : asked) {
        EXPECT_EQ(excluded[key] != 0, key < some) << key;
        EXPECT_EQ(singly.may_contain(key), key < some) << key;
    }
    const filter<std::uint64_t, Kind> moved(std::move(together));
    EXPECT_TRUE(moved.may_contain(std::uint64_t{7}));
    // "Maybe" to everything once it is moved from.
    EXPECT_EQ(together.may_contain(numbers(0, 3)), // NOLINT(bugprone-use-after-move)
              std::vector<std::uint8_t>(3, 1));
}

TEST(front_door_numbers, are_the_same_keys_singly_and_in_batches_with_every_hash) {
    for (const hash_id hash : {hash_id::siphash, hash_id::xxh3, hash_id::murmur3, hash_id::integer}) {
        for (const char* hashes : {"7", "8"}) { // eight are in line
            expect_equal_on_all_ways<blocked>(hash, hashes);
            expect_equal_on_all_ways<any_kind>(hash, hashes);
        }
    }
}

TEST(front_door_batches, in_braces_are_several_keys) {
    filter<std::string> names({.capacity = 100, .kind = "elastic_blocked"}); // has all of them
    EXPECT_EQ(names.insert({"anna", "bert"}).successes(), 2u);
    EXPECT_TRUE(names.may_contain("anna") && names.may_contain("bert"));
    filter<int> numbers({.capacity = 100});
    EXPECT_EQ(numbers.insert({1, 2, 3}).successes(), 3u);
}

TEST(front_door_batches, write_nothing_beyond_their_answers) {
    filter<std::uint64_t> seen({.capacity = 1000});
    const auto keys = numbers(0, 1000);
    std::vector<std::uint8_t> answers(1000, 7);
    EXPECT_THROW(seen.may_contain(keys, std::span(answers).first(10)), error);
    EXPECT_EQ(answers[10], 7);
    std::vector<insert_outcome> outcomes(999);
    EXPECT_THROW(seen.insert(keys, outcomes), error);
    concurrent_filter<std::uint64_t> shared({.capacity = 1000});
    EXPECT_THROW(shared.may_contain(keys, std::span(answers).first(10)), error);
    EXPECT_EQ(answers[10], 7);
}

TEST(front_door_keys, of_other_types_are_taken_by_every_function) {
    using namespace std::string_view_literals;
    filter<std::string> names({.capacity = 100, .kind = "elastic_blocked"}); // has all of them
    EXPECT_TRUE(succeeded(names.insert_new("anna"sv)));
    EXPECT_EQ(names.can_erase("anna"sv), erase_outcome::removed);
    EXPECT_EQ(names.estimate_count("anna"sv), 1u);
    EXPECT_EQ(names.erase("anna"sv), erase_outcome::removed);
}

} // namespace
} // namespace everbloom
