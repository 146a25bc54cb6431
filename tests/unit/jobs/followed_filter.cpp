// Following a list: exactly its members are in the filter, and a kind that cannot do it in place is rebuilt.
#include "support/must.hpp"

#include <everbloom/jobs/filter_patch.hpp>
#include <everbloom/jobs/followed_filter.hpp>
#include <everbloom/jobs/list_facts.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace everbloom {
namespace {

using support::must;

/// The numbers from `from` to `to`, as a list of text.
key_list numbers(key_arena& arena, std::uint64_t from, std::uint64_t to) {
    list_builder builder;
    for (std::uint64_t i = from; i < to; ++i) builder.add(std::to_string(i));
    return std::move(builder).finish(arena);
}

followed_options followed(const std::string& kind) {
    return {kind, 0.001, any_hasher(hash_id::siphash, hash_key::from_seed(3)), key_type::u64};
}

filter_file made_for(const std::string& kind, const key_list& list) {
    return must(followed_filter::make(followed(kind), list, "")).take_file();
}

std::uint64_t positives(const filter_file& file, std::uint64_t from, std::uint64_t to) {
    std::uint64_t found = 0;
    for (std::uint64_t i = from; i < to; ++i) found += file.handle.may_contain(i) ? 1 : 0;
    return found;
}

TEST(followed_filter, removes_and_inserts_the_difference) {
    for (const char* kind : {"elastic_blocked", "counting", "dleft"}) {
        SCOPED_TRACE(kind);
        key_arena arena;
        const key_list before = numbers(arena, 0, 2000);
        const key_list after = numbers(arena, 500, 2300);
        filter_file file = made_for(kind, before);
        EXPECT_EQ(positives(file, 0, 2000), 2000U);
        const list_update done = must(follow_list(file, before, after));
        EXPECT_FALSE(done.rebuilt) << *done.rebuilt;
        EXPECT_EQ(done.erased.all(), 500U);
        EXPECT_EQ(done.inserted.all(), 300U);
        EXPECT_EQ(positives(file, 500, 2300), 1800U);
        EXPECT_LT(positives(file, 0, 500), 20U);
    }
}

TEST(followed_filter, changes_keys_in_the_order_of_patches) {
    key_arena arena;
    const key_list before = numbers(arena, 0, 20000);
    const key_list after = numbers(arena, 1000, 22000);
    for (const char* kind : {"quotient", "elastic_blocked"}) {
        filter_file file = made_for(kind, before);
        const auto from = write_filter(file);
        EXPECT_FALSE(must(follow_list(file, before, after)).rebuilt);
        const auto to = write_filter(file);
        patch_changes changes;
        for (std::uint64_t i = 0; i < 1000; ++i) changes.removed.push_back(file.hasher()(i));
        for (std::uint64_t i = 20000; i < 22000; ++i) changes.added.push_back(file.hasher()(i));
        // 1000 places of 6 bits and 2000 fingerprints of 26 bits (elastic_blocked: 41): what keys in another order change is not there.
        EXPECT_LT(patch_body(from, to, changes).size(), std::string_view(kind) == "quotient" ? 7300U : 11500U) << kind;
    }
}

TEST(followed_filter, of_a_kind_that_cannot_remove_is_rebuilt) {
    key_arena arena;
    const key_list before = numbers(arena, 0, 2000);
    const key_list after = numbers(arena, 500, 2300);
    filter_file file = made_for("blocked", before);
    const list_update done = must(follow_list(file, before, after));
    EXPECT_EQ(done.rebuilt, "a blocked filter cannot remove keys");
    EXPECT_EQ(positives(file, 500, 2300), 1800U);
    EXPECT_LT(positives(file, 0, 500), 20U);
    EXPECT_EQ(file.filter().kind(), "blocked");
    EXPECT_EQ(file.hasher(), followed("blocked").hasher);
    EXPECT_EQ(file.keys, key_type::u64);
    EXPECT_EQ(file.target.fpr, 0.001);
}

TEST(followed_filter, only_takes_additions_in_place_if_it_cannot_remove) {
    key_arena arena;
    const key_list before = numbers(arena, 0, 2000);
    filter_file file = made_for("blocked", before);
    const list_update done = must(follow_list(file, before, numbers(arena, 0, 2100)));
    EXPECT_FALSE(done.rebuilt);
    EXPECT_EQ(done.inserted.all(), 100U);
    EXPECT_EQ(positives(file, 0, 2100), 2100U);
}

TEST(followed_filter, becomes_smaller_with_its_list) {
    key_arena arena;
    const key_list before = numbers(arena, 0, 20'000);
    filter_file file = made_for("counting", before);
    const std::uint64_t bytes = file.filter().payload_bytes();
    const list_update done = must(follow_list(file, before, numbers(arena, 0, 3000)));
    ASSERT_TRUE(done.rebuilt);
    EXPECT_TRUE(done.rebuilt->starts_with("the list fell to 3,000 keys, below half of its capacity of"))
        << *done.rebuilt;
    EXPECT_LT(file.filter().payload_bytes(), bytes);
    EXPECT_EQ(positives(file, 0, 3000), 3000U);
}

TEST(followed_filter, is_rebuilt_if_it_has_no_capacity_or_misses_a_member) {
    key_arena arena;
    const key_list before = numbers(arena, 0, 2000);
    const key_list after = numbers(arena, 0, 2001);
    filter_file file = made_for("elastic_blocked", before);
    file.target = {};
    EXPECT_EQ(must(follow_list(file, before, after)).rebuilt, "it had no capacity");
    EXPECT_NE(file.target.items, 0U);

    filter_file incomplete = made_for("elastic_blocked", numbers(arena, 1, 2000));
    EXPECT_EQ(must(follow_list(incomplete, before, after)).rebuilt, "a member was missed");
    EXPECT_EQ(positives(incomplete, 0, 2001), 2001U);
}

TEST(followed_filter, that_fails_is_as_it_was) {
    key_arena arena;
    const key_list before = numbers(arena, 0, 100);
    filter_file file = made_for("counting", before);
    must(file.filter().exclude(std::vector<digest>{file.hasher()(std::uint64_t{12345})}));
    const auto bytes = write_filter(file);
    const auto refused = follow_list(file, before, numbers(arena, 0, 50));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, failure_reason::unsupported);
    EXPECT_EQ(write_filter(file), bytes);
}

TEST(followed_filter, refuses_a_list_that_is_none) {
    key_arena arena;
    const key_list before = numbers(arena, 0, 100);
    filter_file file = made_for("counting", before);
    const auto bytes = write_filter(file);
    for (const key_list& wrong : {key_list{"2", "1"}, key_list{"1", "1"}, key_list{"0x1"}, key_list{"one"}}) {
        const auto refused = follow_list(file, before, wrong);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter) << refused.error().sentence;
        EXPECT_FALSE(follow_list(file, wrong, before));
    }
    EXPECT_EQ(follow_list(file, before, {"0x1"}).error().sentence, "'0x1' is not the canonical spelling of '1'");
    EXPECT_FALSE(followed_filter::make(followed("counting"), {"one"}, ""));
    EXPECT_EQ(write_filter(file), bytes);
}

TEST(list_facts, the_identity_changes_with_every_key) {
    key_arena arena;
    filter_file file = made_for("counting", numbers(arena, 0, 100));
    const std::uint64_t before = identity_of(file);
    EXPECT_EQ(identity_of(must(read_filter(write_filter(file)))), before);
    must(file.handle.insert(std::uint64_t{100}));
    EXPECT_NE(identity_of(file), before);
    must(file.handle.erase(std::uint64_t{100}));
    EXPECT_EQ(identity_of(file), before);
}

} // namespace
} // namespace everbloom
