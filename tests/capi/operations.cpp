// Operations on whole filters, and the host's memory, through the C interface.
#include "capi/handles.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace everbloom::capi_tests {
namespace {

class operations : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, operations, ::testing::ValuesIn(kind_names()),
                         [](const auto& info) { return info.param; });

TEST_P(operations, facts_are_those_it_was_made_with) {
    eb_options options = options_for(GetParam(), EB_KEYS_HEX);
    options.hash = EB_HASH_XXH3;
    const handle made = made_with(options);
    EXPECT_EQ(eb_kind(made.get()), GetParam());
    EXPECT_EQ(eb_key_type_of(made.get()), EB_KEYS_HEX);
    EXPECT_EQ(eb_hash_of(made.get()), EB_HASH_XXH3);
    EXPECT_EQ(eb_capacity(made.get()), capacity);
    EXPECT_DOUBLE_EQ(eb_target_fpr(made.get()), 0.01);
    EXPECT_GT(eb_memory_bytes(made.get()), 0u);
    EXPECT_EQ(eb_key_count(made.get(), nullptr), 0);
    EXPECT_GE(eb_current_fpr(made.get(), nullptr), 0);
    std::array<std::uint8_t, 16> key{};
    EXPECT_EQ(eb_hash_key_of(made.get(), key.data(), nullptr), EB_OK);
    EXPECT_EQ(key, seed_one);
    EXPECT_TRUE(can(made, EB_CAN_INSERT | EB_CAN_QUERY));
}

TEST_P(operations, a_copy_is_equal_and_independent) {
    const handle made = filled(GetParam());
    const handle copy = clone_of(made);
    std::uint64_t one = 0, other = 1;
    EXPECT_EQ(eb_equal(made.get(), copy.get(), nullptr), 1);
    EXPECT_EQ(eb_identity(made.get(), &one, nullptr), EB_OK);
    EXPECT_EQ(eb_identity(copy.get(), &other, nullptr), EB_OK);
    EXPECT_EQ(one, other);
    const file_bytes before = bytes_of(made.get());
    ASSERT_EQ(eb_clear(copy.get(), nullptr), EB_OK);
    EXPECT_EQ(eb_equal(made.get(), copy.get(), nullptr), 0);
    EXPECT_EQ(bytes_of(made.get()), before);
    EXPECT_EQ(eb_equal(copy.get(), empty_filter(GetParam()).get(), nullptr), 1);
}

TEST_P(operations, merging_adds_the_keys_or_says_why_not) {
    const handle made = filled(GetParam(), 50);
    const handle other = filled(GetParam(), 100);
    const handle before = clone_of(made);
    eb_error error{};
    const int code = eb_merge(made.get(), other.get(), &error);
    if (can(made, EB_CAN_MERGE)) {
        EXPECT_EQ(code, EB_OK) << error.sentence;
        expect_members(made, 100);
        return;
    }
    EXPECT_EQ(code, EB_UNSUPPORTED) << error.sentence;
    EXPECT_EQ(error.code, EB_UNSUPPORTED);
    EXPECT_EQ(eb_equal(made.get(), before.get(), nullptr), 1);
}

TEST_P(operations, intersecting_keeps_common_keys_or_says_why_not) {
    const handle made = filled(GetParam(), 100);
    const handle other = filled(GetParam(), 50);
    eb_error error{};
    const int code = eb_intersect(made.get(), other.get(), &error);
    if (can(made, EB_CAN_INTERSECT)) {
        EXPECT_EQ(code, EB_OK) << error.sentence;
        expect_members(made, 50);
    } else {
        EXPECT_EQ(code, EB_UNSUPPORTED) << error.sentence;
    }
}

TEST_P(operations, resizing_keeps_the_keys_or_says_why_not) {
    const handle made = filled(GetParam());
    const handle before = clone_of(made);
    eb_resize_options wanted = EB_RESIZE_INIT;
    wanted.capacity = 150;
    eb_error error{};
    const int code = eb_resize(made.get(), &wanted, &error);
    if (code == EB_OK) {
        EXPECT_TRUE(can(made, EB_CAN_RESIZE | EB_CAN_GROW | EB_CAN_SHRINK));
        EXPECT_GE(eb_capacity(made.get()), 150u);
    } else {
        EXPECT_TRUE(code == EB_UNSUPPORTED || code == EB_NO_ROOM) << code << error.sentence;
        EXPECT_EQ(eb_equal(made.get(), before.get(), nullptr), 1);
    }
    expect_members(made, 100);
}

TEST_P(operations, an_export_answers_for_the_same_keys_or_says_why_not) {
    const handle made = filled(GetParam());
    const handle before = clone_of(made);
    eb_error error{};
    const handle copy(eb_export(made.get(), 0.05, &error));
    EXPECT_EQ(eb_equal(made.get(), before.get(), nullptr), 1);
    if (!can(made, EB_CAN_EXPORT)) {
        EXPECT_FALSE(copy);
        EXPECT_EQ(error.code, EB_UNSUPPORTED) << error.sentence;
        return;
    }
    ASSERT_TRUE(copy) << error.sentence;
    expect_members(copy, 100);
    EXPECT_LT(eb_saved_bytes(copy.get(), nullptr), eb_saved_bytes(made.get(), nullptr));
    EXPECT_DOUBLE_EQ(eb_target_fpr(copy.get()), 0.05);
}

TEST(built_at_once, a_filter_of_all_keys_answers_and_takes_no_others) {
    eb_options options = EB_OPTIONS_INIT;
    options.capacity = 100;
    options.fpr = 0.01;
    options.kind = "fuse";
    eb_error error{};
    const handle made(eb_make(&options, &error));
    ASSERT_TRUE(made) << error.sentence;
    EXPECT_EQ(eb_capabilities(made.get()), static_cast<std::uint32_t>(EB_CAN_QUERY | EB_CAN_BUILD));
    const names some(1000);
    const eb_keys keys = some.keys();
    EXPECT_EQ(eb_query(made.get(), &keys, nullptr, &error), 0) << "it is empty";
    ASSERT_EQ(eb_build(made.get(), &keys, &error), EB_OK) << error.sentence;
    EXPECT_EQ(eb_query(made.get(), &keys, nullptr, &error), 1000);
    EXPECT_EQ(eb_key_count(made.get(), &error), 1000);
    EXPECT_EQ(eb_capacity(made.get()), 1000u);
    EXPECT_LT(eb_insert(made.get(), &keys, nullptr, &error), 0);
    EXPECT_EQ(error.code, EB_UNSUPPORTED);
    EXPECT_NE(std::string(error.sentence).find("built once"), std::string::npos) << error.sentence;
    EXPECT_EQ(eb_insert_bytes(made.get(), "a", 1), EB_NOT_WRITABLE);
    const handle again(eb_read_memory(bytes_of(made.get()).data(), bytes_of(made.get()).size(), &error));
    EXPECT_EQ(eb_equal(made.get(), again.get(), &error), 1);
}

TEST_P(operations, known_negatives_are_answered_no) {
    const handle made = filled(GetParam());
    const names strangers(3000, "stranger ");
    const eb_keys negatives = strangers.keys();
    eb_protection found{};
    eb_error error{};
    ASSERT_EQ(eb_exclude(made.get(), &negatives, &found, &error), EB_OK) << error.sentence;
    EXPECT_EQ(found.negatives, 3000u);
    EXPECT_EQ(eb_query(made.get(), &negatives, nullptr, nullptr),
              static_cast<std::int64_t>(found.false_positives_after));
    expect_members(made, 100);
    const handle again(eb_read_memory(bytes_of(made.get()).data(), bytes_of(made.get()).size(), &error));
    ASSERT_TRUE(again) << error.sentence;
    EXPECT_EQ(eb_query(again.get(), &negatives, nullptr, nullptr),
              static_cast<std::int64_t>(found.false_positives_after));
    ASSERT_EQ(eb_drop_exclusions(made.get(), &error), EB_OK);
    EXPECT_EQ(eb_query(made.get(), &negatives, nullptr, nullptr),
              static_cast<std::int64_t>(found.false_positives_before));
}

TEST_P(operations, protecting_needs_a_kind_that_can) {
    eb_options options = options_for(GetParam());
    options.negatives = 500;
    const handle made = made_with(options);
    const names members(100);
    const names strangers(500, "stranger ");
    const eb_keys in_it = members.keys();
    const eb_keys negatives = strangers.keys();
    ASSERT_EQ(eb_insert(made.get(), &in_it, nullptr, nullptr), 100);
    eb_protection found{};
    eb_error error{};
    const int code = eb_protect(made.get(), &in_it, &negatives, 0, &found, &error);
    if (can(made, EB_CAN_PROTECT)) {
        ASSERT_EQ(code, EB_OK) << error.sentence;
        EXPECT_LE(found.false_positives_after, found.false_positives_before);
        EXPECT_EQ(found.members_lost, 0u);
        EXPECT_EQ(eb_query(made.get(), &negatives, nullptr, nullptr),
                  static_cast<std::int64_t>(found.false_positives_after));
    } else {
        EXPECT_EQ(code, EB_UNSUPPORTED);
    }
    expect_members(made, 100);
}

TEST_P(operations, following_a_list_ends_with_exactly_its_keys) {
    const handle made = filled(GetParam(), 100);
    const names before(100);
    names after(120);
    after.pointers.erase(after.pointers.begin(), after.pointers.begin() + 10);
    after.pointers.push_back(after.pointers.front()); // duplicates do not matter
    const eb_keys old_list = before.keys();
    const eb_keys new_list = after.keys();
    eb_list_update done{};
    eb_error error{};
    ASSERT_EQ(eb_sync(made.get(), &old_list, &new_list, 0, &done, &error), EB_OK) << error.sentence;
    EXPECT_EQ(eb_query(made.get(), &new_list, nullptr, nullptr), 111);
    if (done.rebuilt == 0) {
        EXPECT_EQ(done.inserted, 20u);
        EXPECT_EQ(done.removed + done.undeletable, 10u);
        EXPECT_STREQ(done.why, "");
    } else {
        EXPECT_NE(std::string(done.why), "");
    }
    EXPECT_LE(eb_current_fpr(made.get(), nullptr), 0.03);
}

TEST(sync, follows_lists_of_numbers_and_addresses) {
    const handle numbers = empty_filter("counting", EB_KEYS_U64);
    std::vector<std::uint64_t> days{5, 6, 7, 100};
    const eb_keys none = eb_u64_keys(nullptr, 0);
    const eb_keys some = eb_u64_keys(days.data(), days.size());
    eb_error error{};
    ASSERT_EQ(eb_sync(numbers.get(), &none, &some, 0, nullptr, &error), EB_OK) << error.sentence;
    for (const std::uint64_t day : days) EXPECT_EQ(eb_query_u64(numbers.get(), day), 1);

    const handle addresses = empty_filter("counting", EB_KEYS_IP);
    const std::array<std::uint8_t, 8> two{10, 0, 0, 1, 10, 0, 0, 2};
    const eb_keys list = eb_fixed_keys(two.data(), 4, 2);
    const eb_keys empty = eb_fixed_keys(two.data(), 4, 0);
    ASSERT_EQ(eb_sync(addresses.get(), &empty, &list, 0, nullptr, &error), EB_OK) << error.sentence;
    EXPECT_EQ(eb_query_bytes(addresses.get(), two.data(), 4), 1);
    const eb_keys wrong = eb_fixed_keys(two.data(), 5, 1);
    EXPECT_EQ(eb_sync(addresses.get(), &list, &wrong, 0, nullptr, &error), EB_BAD_PARAMETER);
    EXPECT_EQ(eb_query_bytes(addresses.get(), two.data(), 4), 1);
}

std::atomic<std::int64_t> live_blocks = 0;
std::atomic<bool> refusing = false;
void* host_allocate(std::size_t bytes) {
    if (refusing) return nullptr;
    ++live_blocks;
    return std::malloc(bytes);
}
void host_release(void* block) {
    --live_blocks;
    std::free(block);
}

TEST_P(operations, cells_come_from_the_hosts_memory) {
    ASSERT_EQ(eb_set_memory_hook(host_allocate, host_release, nullptr), EB_OK);
    {
        const handle made = filled(GetParam());
        EXPECT_GT(live_blocks, 0);
        refusing = true;
        eb_error error{};
        EXPECT_EQ(eb_clone(made.get(), &error), nullptr);
        EXPECT_EQ(error.code, EB_OUT_OF_MEMORY) << error.sentence;
        refusing = false;
        expect_members(made, 100);
    }
    EXPECT_EQ(live_blocks, 0);
    EXPECT_EQ(eb_set_memory_hook(nullptr, nullptr, nullptr), EB_OK);
    const handle made = filled(GetParam());
    EXPECT_EQ(live_blocks, 0);
}

TEST(threads, many_readers_share_a_filter) {
    const handle made = filled("elastic_blocked");
    std::atomic<int> wrong = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&] {
            const names some(100);
            const eb_keys keys = some.keys();
            std::array<char, 2000> text{};
            for (int round = 0; round < 50; ++round) {
                wrong += eb_query(made.get(), &keys, nullptr, nullptr) != 100;
                wrong += eb_query_bytes(made.get(), "name 5", 6) != 1;
                wrong += eb_stats(made.get(), text.data(), text.size(), nullptr) <= 0;
            }
        });
    }
    for (std::thread& one : readers) one.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace everbloom::capi_tests
