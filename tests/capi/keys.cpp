// Keys: one at a time, many, and in every shape make the same filter as the C++ front door, for every kind.
#include "capi/handles.hpp"

#include <everbloom/filter.hpp>

#include <sys/uio.h>

#include <cstring>

namespace everbloom::capi_tests {
namespace {

class keys_of : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, keys_of, ::testing::ValuesIn(kind_names()),
                         [](const auto& info) { return info.param; });

file_bytes bytes_of_door(const auto& filter) {
    const std::vector<std::byte> bytes = filter.bytes();
    file_bytes made(bytes.size());
    std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
}

TEST_P(keys_of, text_makes_the_same_file_as_in_cpp) {
    filter<std::string> door({.capacity = capacity, .fpr = 0.01, .kind = GetParam(), .key = hash_key::from_seed(1)});
    const names some(150);
    std::vector<std::uint8_t> expected;
    for (const std::string& one : some.words) expected.push_back(static_cast<std::uint8_t>(door.insert(one)));

    const handle single = empty_filter(GetParam());
    std::vector<std::uint8_t> outcomes;
    for (const std::string& one : some.words) {
        outcomes.push_back(static_cast<std::uint8_t>(eb_insert_bytes(single.get(), one.data(), one.size())));
    }
    EXPECT_EQ(outcomes, expected);
    EXPECT_EQ(bytes_of(single.get()), bytes_of_door(door));

    const handle many = empty_filter(GetParam());
    const eb_keys keys = some.keys();
    std::vector<std::uint8_t> together(some.words.size());
    std::int64_t added = 0;
    for (const std::uint8_t one : expected) added += one <= EB_INSERTED_UNPROTECTED ? 1 : 0;
    EXPECT_EQ(eb_insert(many.get(), &keys, together.data(), nullptr), added);
    EXPECT_EQ(together, expected);
    EXPECT_EQ(bytes_of(many.get()), bytes_of_door(door));

    const names others(300, "other ");
    for (const names* asked : {&some, &others}) {
        const eb_keys all = asked->keys();
        std::vector<std::uint8_t> answers(asked->words.size());
        std::int64_t found = 0;
        EXPECT_EQ(eb_query(many.get(), &all, nullptr, nullptr), eb_query(many.get(), &all, answers.data(), nullptr));
        for (std::size_t i = 0; i < answers.size(); ++i) {
            EXPECT_EQ(answers[i], door.may_contain(asked->words[i]) ? 1 : 0);
            EXPECT_EQ(eb_query_bytes(many.get(), asked->words[i].data(), asked->words[i].size()), answers[i]);
            found += answers[i];
        }
        EXPECT_EQ(eb_query(many.get(), &all, nullptr, nullptr), found);
    }
}

TEST_P(keys_of, numbers_make_the_same_file_as_in_cpp) {
    filter<std::uint64_t> door({.capacity = capacity, .fpr = 0.01, .kind = GetParam(), .key = hash_key::from_seed(1)});
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < 150; ++i) numbers.push_back(i * i * 1'000'003);
    for (const std::uint64_t one : numbers) door.insert(one);

    const handle many = empty_filter(GetParam(), EB_KEYS_U64);
    const eb_keys keys = eb_u64_keys(numbers.data(), numbers.size());
    EXPECT_GE(eb_insert(many.get(), &keys, nullptr, nullptr), 0);
    EXPECT_EQ(bytes_of(many.get()), bytes_of_door(door));
    const handle single = empty_filter(GetParam(), EB_KEYS_U64);
    for (const std::uint64_t one : numbers) EXPECT_GE(eb_insert_u64(single.get(), one), 0);
    EXPECT_EQ(eb_equal(single.get(), many.get(), nullptr), 1);
    for (std::uint64_t i = 0; i < 500; ++i) {
        EXPECT_EQ(eb_query_u64(many.get(), i), door.may_contain(i) ? 1 : 0);
    }
}

TEST_P(keys_of, removing_has_the_verdicts_of_cpp) {
    filter<std::string> door({.capacity = capacity, .fpr = 0.01, .kind = GetParam(), .key = hash_key::from_seed(1)});
    const names some(150);
    for (const std::string& one : some.words) door.insert(one);
    const handle many = filled(GetParam(), 150);
    const names leaving(60);
    const eb_keys keys = leaving.keys();
    eb_error error{};
    std::vector<std::uint8_t> outcomes(60, 99);
    if (!can(many, EB_CAN_ERASE)) {
        EXPECT_EQ(eb_erase(many.get(), &keys, outcomes.data(), &error), -EB_UNSUPPORTED);
        EXPECT_EQ(eb_can_erase(many.get(), &keys, outcomes.data(), &error), -EB_UNSUPPORTED);
        EXPECT_EQ(eb_erase_bytes(many.get(), "name 1", 6), EB_CANNOT_ERASE);
        return;
    }
    std::vector<std::uint8_t> dry(60);
    const std::int64_t can_be_removed = eb_can_erase(many.get(), &keys, dry.data(), &error);
    EXPECT_EQ(dry[0], static_cast<std::uint8_t>(door.can_erase(leaving.words[0])));
    EXPECT_GT(can_be_removed, 0);
    const std::int64_t removed = eb_erase(many.get(), &keys, outcomes.data(), &error);
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < leaving.words.size(); ++i) {
        const auto verdict = door.erase(leaving.words[i]);
        EXPECT_EQ(outcomes[i], static_cast<std::uint8_t>(verdict)) << i;
        expected += succeeded(verdict) ? 1 : 0;
    }
    EXPECT_EQ(removed, expected);
    EXPECT_EQ(bytes_of(many.get()), bytes_of_door(door));
}

TEST_P(keys_of, counts_and_verified_queries_answer_or_say_that_they_cannot) {
    const handle many = filled(GetParam());
    eb_insert_bytes(many.get(), "name 7", 6);
    const names some(100);
    const names others(400, "other ");
    const eb_keys in_it = some.keys();
    const eb_keys not_in_it = others.keys();
    std::vector<std::uint64_t> counts(100);
    if (can(many, EB_CAN_COUNT)) {
        EXPECT_EQ(eb_count(many.get(), &in_it, counts.data(), nullptr), 100);
        EXPECT_GE(counts[7], 2u);
        EXPECT_GE(counts[8], 1u);
    } else {
        EXPECT_EQ(eb_count(many.get(), &in_it, counts.data(), nullptr), -EB_UNSUPPORTED);
    }
    std::vector<std::uint8_t> answers(400);
    if (can(many, EB_CAN_CONFIRM)) {
        EXPECT_EQ(eb_query_verified(many.get(), &in_it, answers.data(), nullptr), 100);
        EXPECT_EQ(eb_query_verified(many.get(), &not_in_it, answers.data(), nullptr), 0);
    } else {
        EXPECT_EQ(eb_query_verified(many.get(), &in_it, answers.data(), nullptr), -EB_UNSUPPORTED);
    }
}

TEST_P(keys_of, insert_new_adds_each_key_once) {
    const handle many = empty_filter(GetParam());
    const names some(50);
    const eb_keys keys = some.keys();
    eb_error error{};
    if (eb_can_insert_new(many.get()) == 0) {
        EXPECT_EQ(eb_insert_new(many.get(), &keys, nullptr, &error), -EB_UNSUPPORTED);
        EXPECT_EQ(eb_equal(many.get(), empty_filter(GetParam()).get(), nullptr), 1);
        return;
    }
    EXPECT_GT(eb_insert_new(many.get(), &keys, nullptr, &error), 40) << "false positives count as present";
    std::vector<std::uint8_t> outcomes(50);
    EXPECT_EQ(eb_insert_new(many.get(), &keys, outcomes.data(), &error), 0);
    EXPECT_EQ(outcomes, std::vector<std::uint8_t>(50, EB_ALREADY_PRESENT));
}

TEST_P(keys_of, members_are_removed_as_a_whole_or_not_at_all) {
    const handle many = filled(GetParam());
    if (!can(many, EB_CAN_ERASE)) return;
    const names strangers(100, "stranger ");
    const eb_keys never_inserted = strangers.keys();
    const handle before = clone_of(many);
    eb_error error{};
    const std::int64_t removed = eb_erase_members(many.get(), &never_inserted, &error);
    EXPECT_TRUE(removed == -EB_MISMATCH || removed == 0) << removed << error.sentence;
    EXPECT_EQ(eb_equal(many.get(), before.get(), nullptr), 1);
    const names some(10);
    const eb_keys members = some.keys();
    EXPECT_GT(eb_erase_members(many.get(), &members, &error), 0) << error.sentence;
}

/// The same keys in every shape of bytes: 300, so that there are two batches, some empty, of at most eight bytes, none ending with NUL.
class shapes : public ::testing::Test {
protected:
    shapes() {
        for (int i = 0; i < 300; ++i) words.push_back(i % 50 == 7 ? "" : "k" + std::to_string(i * i));
        offsets32.push_back(0);
        offsets64.push_back(0);
        for (const std::string& one : words) {
            joined += one;
            offsets32.push_back(static_cast<std::int32_t>(joined.size()));
            offsets64.push_back(static_cast<std::int64_t>(joined.size()));
            pointers.push_back(one.data());
            lengths.push_back(one.size());
            vectors.push_back({const_cast<char*>(one.data()), one.size()});
            std::string cell = one;
            cell.resize(8, '\0');
            padded += cell;
        }
    }

    [[nodiscard]] file_bytes file_of(const eb_keys& keys) const {
        eb_options options = options_for("counting");
        options.capacity = 400;
        const handle made = made_with(options);
        eb_error error{};
        EXPECT_EQ(eb_insert(made.get(), &keys, nullptr, &error), 300) << error.sentence;
        return bytes_of(made.get());
    }
    [[nodiscard]] file_bytes expected() const {
        eb_options options = options_for("counting");
        options.capacity = 400;
        const handle made = made_with(options);
        for (const std::string& one : words) eb_insert_bytes(made.get(), one.data(), one.size());
        return bytes_of(made.get());
    }

    std::vector<std::string> words;
    std::string joined;
    std::string padded;
    std::vector<std::int32_t> offsets32;
    std::vector<std::int64_t> offsets64;
    std::vector<const void*> pointers;
    std::vector<std::size_t> lengths;
    std::vector<iovec> vectors;
};

TEST_F(shapes, make_the_same_filter) {
    const file_bytes wanted = expected();
    EXPECT_EQ(file_of(eb_pointer_keys(pointers.data(), lengths.data(), 300)), wanted);
    EXPECT_EQ(file_of(eb_offset32_keys(joined.data(), joined.size(), offsets32.data(), 300)), wanted);
    EXPECT_EQ(file_of(eb_offset64_keys(joined.data(), joined.size(), offsets64.data(), 300)), wanted);
    EXPECT_EQ(file_of(eb_offset64_keys(joined.data(), 0, offsets64.data(), 300)), wanted) << "length not checked";

    std::vector<const char*> texts;
    for (const std::string& one : words) texts.push_back(one.c_str());
    EXPECT_EQ(file_of(eb_text_keys(texts.data(), 300)), wanted);

    eb_keys scattered = eb_pointer_keys(nullptr, nullptr, 300);
    scattered.data = &vectors[0].iov_base;
    scattered.extents = &vectors[0].iov_len;
    scattered.stride = sizeof(iovec);
    EXPECT_EQ(file_of(scattered), wanted) << "an array of struct iovec";

    eb_keys columns = eb_fixed_keys(padded.data(), 8, 300);
    columns.shape = EB_FIXED_PADDED;
    EXPECT_EQ(file_of(columns), wanted);
    columns.shape = EB_FIXED;
    EXPECT_NE(file_of(columns), wanted) << "there the NULs are part of the keys";
}

TEST_F(shapes, of_fixed_width_keep_their_bytes) {
    std::vector<std::string> whole;
    for (std::size_t i = 0; i < 300; ++i) whole.push_back(padded.substr(8 * i, 8));
    words = whole;
    EXPECT_EQ(file_of(eb_fixed_keys(padded.data(), 8, 300)), expected());
}

TEST_F(shapes, backwards_is_the_same_set) {
    eb_options options = options_for("counting");
    options.capacity = 400;
    const handle forwards = made_with(options);
    const handle backwards = made_with(options);
    eb_keys keys = eb_fixed_keys(padded.data(), 8, 300);
    EXPECT_EQ(eb_insert(forwards.get(), &keys, nullptr, nullptr), 300);
    keys.data = padded.data() + std::size_t{299} * 8;
    keys.stride = -8;
    EXPECT_EQ(eb_insert(backwards.get(), &keys, nullptr, nullptr), 300);
    EXPECT_EQ(eb_equal(forwards.get(), backwards.get(), nullptr), 1);
}

TEST_F(shapes, need_no_alignment) {
    const file_bytes wanted = expected();
    const auto shifted = [](const auto& values, std::vector<char>& room) {
        const std::size_t bytes = values.size() * sizeof values[0];
        room.resize(bytes + 1);
        std::memcpy(room.data() + 1, values.data(), bytes);
        return room.data() + 1;
    };
    std::vector<char> first, second;
    eb_keys keys = eb_pointer_keys(nullptr, nullptr, 300);
    keys.data = shifted(pointers, first);
    keys.extents = shifted(lengths, second);
    EXPECT_EQ(file_of(keys), wanted);
    keys = eb_offset32_keys(joined.data(), joined.size(), nullptr, 300);
    keys.extents = shifted(offsets32, first);
    EXPECT_EQ(file_of(keys), wanted);
    keys = eb_offset64_keys(joined.data(), joined.size(), nullptr, 300);
    keys.extents = shifted(offsets64, first);
    EXPECT_EQ(file_of(keys), wanted);
}

TEST(number_shapes, strides_and_alignment_do_not_matter) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < 600; ++i) numbers.push_back(i * 77);
    const auto file_of = [](const eb_keys& keys) {
        eb_options options = options_for("blocked", EB_KEYS_U64);
        options.capacity = 1000;
        const handle made = made_with(options);
        EXPECT_EQ(eb_insert(made.get(), &keys, nullptr, nullptr), static_cast<std::int64_t>(keys.count));
        return bytes_of(made.get());
    };
    const file_bytes whole = file_of(eb_u64_keys(numbers.data(), 600));
    std::vector<char> room(600 * 8 + 3);
    std::memcpy(room.data() + 3, numbers.data(), std::size_t{600} * 8);
    eb_keys keys = eb_u64_keys(nullptr, 600);
    keys.data = room.data() + 3;
    EXPECT_EQ(file_of(keys), whole);
    std::vector<std::uint64_t> spread(1200);
    for (std::size_t i = 0; i < 600; ++i) spread[2 * i] = numbers[i];
    keys = eb_u64_keys(spread.data(), 600);
    keys.stride = 16;
    EXPECT_EQ(file_of(keys), whole);
    keys.data = &spread[1198];
    keys.stride = -16;
    EXPECT_EQ(file_of(keys), whole) << "a blocked filter does not remember the order";
}

TEST(digests, stand_for_their_keys_in_every_filter_with_the_same_hash_key) {
    const names some(300);
    const eb_keys keys = some.keys();
    const handle one = filled("bloom", 150);
    const handle other = filled("counting", 100);
    std::vector<eb_digest> digests(300);
    ASSERT_EQ(eb_digests(one.get(), &keys, digests.data(), nullptr), 300);
    for (const handle* filter : {&one, &other}) {
        std::vector<std::uint8_t> expected(300), answers(300);
        const eb_keys ready = eb_digest_keys(digests.data(), 300);
        eb_query(filter->get(), &keys, expected.data(), nullptr);
        eb_query(filter->get(), &ready, answers.data(), nullptr);
        EXPECT_EQ(answers, expected);
    }
}

TEST(capacity, is_kept_unless_overfilling_was_asked_for) {
    for (const std::uint32_t flags : {0u, std::uint32_t{EB_OVERFILL}}) {
        eb_options options = options_for("bloom", EB_KEYS_U64);
        options.flags = flags;
        const handle made = made_with(options);
        std::vector<std::uint64_t> numbers(1000);
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
        const eb_keys keys = eb_u64_keys(numbers.data(), numbers.size());
        std::vector<std::uint8_t> outcomes(1000);
        const std::int64_t added = eb_insert(made.get(), &keys, outcomes.data(), nullptr);
        if (flags != 0) {
            EXPECT_EQ(added, 1000);
            continue;
        }
        EXPECT_GE(added, 200);
        EXPECT_LT(added, 300);
        EXPECT_EQ(outcomes.back(), EB_OVER_CAPACITY);
        EXPECT_EQ(eb_insert_u64(made.get(), 5000), EB_OVER_CAPACITY);
        ASSERT_EQ(eb_clear(made.get(), nullptr), EB_OK);
        EXPECT_EQ(eb_insert_u64(made.get(), 5000), EB_INSERTED);
    }
}

TEST(key_from_text, reads_what_the_command_line_reads) {
    std::array<std::uint8_t, 16> key{};
    EXPECT_EQ(eb_key_from_text(EB_KEYS_IP, "10.0.0.1", 8, key.data(), key.size(), nullptr), 4);
    EXPECT_EQ(key[0], 10);
    EXPECT_EQ(key[3], 1);
    EXPECT_EQ(eb_key_from_text(EB_KEYS_IP, "::1", 3, key.data(), key.size(), nullptr), 16);
    EXPECT_EQ(key[15], 1);
    EXPECT_EQ(eb_key_from_text(EB_KEYS_HEX, "ff00", 4, key.data(), 1, nullptr), 2) << "cut off";
    EXPECT_EQ(key[0], 0xff);
    EXPECT_EQ(eb_key_from_text(EB_KEYS_U64, "0x2a", 4, key.data(), key.size(), nullptr), 8);
    EXPECT_EQ(key[0], 42);
    EXPECT_EQ(eb_key_from_text(EB_KEYS_TEXT, "", 0, nullptr, 0, nullptr), 0);
    eb_error error{};
    EXPECT_EQ(eb_key_from_text(EB_KEYS_IP, "10.0.0", 6, key.data(), key.size(), &error), -EB_BAD_PARAMETER);
    EXPECT_NE(std::string(error.sentence).find("10.0.0"), std::string::npos);
}

// The vectors of tests/unit/jobs/shard.cpp and docs/cluster.md: other clients follow the same rule, so it never changes.
TEST(shard, is_xxh3_modulo_the_number_of_shards) {
    struct vector_of_rule {
        std::string key;
        std::int64_t of_12;
        std::int64_t of_64;
        std::int64_t of_1000;
    };
    const std::array<vector_of_rule, 6> vectors{{
        {"", 10, 2, 138},
        {"a", 7, 31, 719},
        {"anna", 9, 57, 889},
        {"zo\xC3\xA9", 8, 32, 800},
        {"192.0.2.7", 5, 61, 901},
        {std::string(300, 'x'), 8, 20, 492},
    }};
    for (const vector_of_rule& one : vectors) {
        EXPECT_EQ(eb_shard(one.key.data(), one.key.size(), 12), one.of_12) << one.key;
        EXPECT_EQ(eb_shard(one.key.data(), one.key.size(), 64), one.of_64) << one.key;
        EXPECT_EQ(eb_shard(one.key.data(), one.key.size(), 1000), one.of_1000) << one.key;
        EXPECT_EQ(eb_shard(one.key.data(), one.key.size(), 1), 0) << one.key;
    }
    EXPECT_EQ(eb_shard(nullptr, 0, 12), 10) << "the empty key";
}

} // namespace
} // namespace everbloom::capi_tests
