// Bad input: NULLs, unknown numbers, keys that cannot be, files that are none. An error with a sentence, and nothing changed.
#include "capi/handles.hpp"
#include "support/temporary_directory.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace everbloom::capi_tests {
namespace {

class bad_input : public ::testing::Test {
protected:
    /// A code, or a negative one, of a call that must fail with EB_BAD_PARAMETER and a sentence.
    void refused(std::int64_t code) {
        EXPECT_EQ(std::abs(code), EB_BAD_PARAMETER) << error.sentence;
        EXPECT_EQ(error.code, EB_BAD_PARAMETER);
        EXPECT_GT(std::strlen(error.sentence), 5u);
        error = {};
    }
    void refused(eb_filter* made) {
        EXPECT_EQ(made, nullptr);
        refused(error.code);
    }

    eb_error error{};
    const handle filter = filled("counting");
    const names some{3};
    const eb_keys keys = some.keys();
    std::array<char, 64> text{};
};

TEST_F(bad_input, a_null_filter_is_an_error_everywhere) {
    eb_filter* const none = nullptr;
    std::array<std::uint8_t, 16> key{};
    std::uint64_t identity = 0;
    const auto sink = [](void*, const void*, std::size_t) { return 0; };
    const eb_resize_options resize = EB_RESIZE_INIT;
    for (const int code :
         {eb_query_u64(none, 1), eb_query_bytes(none, "a", 1), eb_insert_u64(none, 1), eb_insert_bytes(none, "a", 1),
          eb_erase_u64(none, 1), eb_erase_bytes(none, "a", 1), eb_key_type_of(none), eb_hash_of(none)}) {
        EXPECT_EQ(code, -EB_BAD_PARAMETER);
    }
    EXPECT_EQ(eb_capabilities(none), 0u);
    EXPECT_EQ(eb_can_insert_new(none), 0);
    EXPECT_STREQ(eb_kind(none), "");
    EXPECT_EQ(eb_capacity(none), 0u);
    EXPECT_EQ(eb_target_fpr(none), 0);
    EXPECT_EQ(eb_memory_bytes(none), 0u);
    eb_free(none);
    refused(eb_clone(none, &error));
    refused(eb_export(none, 0.01, &error));
    refused(eb_export_as(none, 0.01, "fuse", &error));
    refused(eb_build(none, &keys, &error));
    refused(eb_build(filter.get(), nullptr, &error));
    refused(eb_hash_key_of(none, key.data(), &error));
    refused(eb_key_count(none, &error));
    refused(static_cast<std::int64_t>(eb_current_fpr(none, &error)));
    refused(eb_identity(none, &identity, &error));
    refused(eb_equal(none, filter.get(), &error));
    refused(eb_equal(filter.get(), none, &error));
    refused(eb_query(none, &keys, nullptr, &error));
    refused(eb_query_verified(none, &keys, nullptr, &error));
    refused(eb_insert(none, &keys, nullptr, &error));
    refused(eb_insert_new(none, &keys, nullptr, &error));
    refused(eb_erase(none, &keys, nullptr, &error));
    refused(eb_erase_members(none, &keys, &error));
    refused(eb_can_erase(none, &keys, nullptr, &error));
    refused(eb_count(none, &keys, nullptr, &error));
    refused(eb_digests(none, &keys, nullptr, &error));
    refused(eb_merge(none, filter.get(), &error));
    refused(eb_merge(filter.get(), none, &error));
    refused(eb_intersect(none, filter.get(), &error));
    refused(eb_intersect(filter.get(), none, &error));
    refused(eb_resize(none, &resize, &error));
    refused(eb_clear(none, &error));
    refused(eb_exclude(none, &keys, nullptr, &error));
    refused(eb_drop_exclusions(none, &error));
    refused(eb_protect(none, &keys, &keys, 0, nullptr, &error));
    refused(eb_sync(none, &keys, &keys, 0, nullptr, &error));
    refused(eb_save(none, "x.eb", &error));
    refused(eb_saved_bytes(none, &error));
    refused(eb_write_memory(none, text.data(), text.size(), &error));
    refused(eb_write(none, sink, nullptr, &error));
    refused(eb_stats(none, text.data(), text.size(), &error));
    refused(eb_describe(none, text.data(), text.size(), &error));
    refused(eb_census(none, 1, 1, text.data(), text.size(), &error));
    std::uint64_t value = 0;
    refused(eb_cells(none, 0, 1, &value, &error));
}

TEST_F(bad_input, other_null_pointers_are_errors) {
    refused(eb_make(nullptr, &error));
    refused(eb_open(nullptr, &error));
    refused(eb_map(nullptr, 0, &error));
    refused(eb_read_memory(nullptr, 10, &error));
    refused(eb_read_dcso(nullptr, 10, &error));
    refused(eb_cells(filter.get(), 0, 1, nullptr, &error));
    refused(eb_read(nullptr, nullptr, 10, &error));
    refused(eb_save(filter.get(), nullptr, &error));
    refused(eb_write(filter.get(), nullptr, nullptr, &error));
    refused(eb_write_memory(filter.get(), nullptr, 100000, &error));
    refused(eb_query(filter.get(), nullptr, nullptr, &error));
    refused(eb_insert(filter.get(), nullptr, nullptr, &error));
    refused(eb_exclude(filter.get(), nullptr, nullptr, &error));
    refused(eb_protect(filter.get(), nullptr, &keys, 0, nullptr, &error));
    refused(eb_protect(filter.get(), &keys, nullptr, 0, nullptr, &error));
    refused(eb_sync(filter.get(), nullptr, &keys, 0, nullptr, &error));
    refused(eb_sync(filter.get(), &keys, nullptr, 0, nullptr, &error));
    refused(eb_resize(filter.get(), nullptr, &error));
    refused(eb_digests(filter.get(), &keys, nullptr, &error));
    refused(eb_identity(filter.get(), nullptr, &error));
    refused(eb_hash_key_of(filter.get(), nullptr, &error));
    refused(eb_stats(filter.get(), nullptr, 10, &error));
    refused(eb_plan(nullptr, text.data(), text.size(), &error));
    refused(eb_model(nullptr, text.data(), text.size(), &error));
    refused(eb_simulate("{}", nullptr, EB_SIMULATION_BYTES, &error));
    refused(eb_key_from_text(EB_KEYS_TEXT, nullptr, 3, text.data(), text.size(), &error));
    refused(eb_set_memory_hook(std::malloc, nullptr, &error));
    EXPECT_EQ(eb_query_bytes(filter.get(), nullptr, 3), -EB_BAD_PARAMETER);
    EXPECT_GE(eb_query_bytes(filter.get(), nullptr, 0), 0) << "the empty key";
    EXPECT_EQ(eb_shard("anna", 4, 0), -EB_BAD_PARAMETER);
    EXPECT_EQ(eb_shard(nullptr, 3, 12), -EB_BAD_PARAMETER);
    // Every error may be ignored.
    EXPECT_EQ(eb_make(nullptr, nullptr), nullptr);
    EXPECT_EQ(eb_query(filter.get(), nullptr, nullptr, nullptr), -EB_BAD_PARAMETER);
}

TEST_F(bad_input, options_that_make_no_sense_are_refused) {
    const auto refuse = [&](auto change) {
        eb_options options = options_for("counting");
        change(options);
        refused(eb_make(&options, &error));
    };
    refuse([](eb_options& one) { one.struct_size = 0; });
    refuse([](eb_options& one) { one.struct_size = sizeof one - 1; });
    refuse([](eb_options& one) { one.struct_size = SIZE_MAX; });
    refuse([](eb_options& one) { one.capacity = 0; });
    refuse([](eb_options& one) { one.fpr = 1; });
    refuse([](eb_options& one) { one.fpr = -0.5; });
    refuse([](eb_options& one) { one.fpr = std::nan(""); });
    refuse([](eb_options& one) { one.kind = "no such kind"; });
    refuse([](eb_options& one) { one.parameters = "hashes"; });
    refuse([](eb_options& one) { one.parameters = "=4"; });
    refuse([](eb_options& one) { one.parameters = "no_such=4"; });
    refuse([](eb_options& one) { one.parameters = "hashes=many"; });
    refuse([](eb_options& one) { one.hash = 6; });
    refuse([](eb_options& one) { one.hash = -1; });
    refuse([](eb_options& one) { one.key_type = 6; });
    refuse([](eb_options& one) { one.key_type = -1; });
    refuse([](eb_options& one) { one.flags = 1u << 31; });
    refuse([](eb_options& one) { one.reserved = 1; });
    eb_options huge = options_for("counting");
    huge.capacity = std::uint64_t{1} << 50;
    EXPECT_EQ(eb_make(&huge, &error), nullptr);
    EXPECT_TRUE(error.code == EB_OUT_OF_MEMORY || error.code == EB_BAD_PARAMETER) << error.sentence;
}

TEST_F(bad_input, options_of_a_newer_header_work_if_what_is_new_is_zero) {
    struct newer {
        eb_options options;
        std::uint64_t more = 0;
    } given{options_for("bloom"), 0};
    given.options.struct_size = sizeof given;
    const handle made(eb_make(&given.options, &error));
    EXPECT_TRUE(made) << error.sentence;
    given.more = 1;
    refused(eb_make(&given.options, &error));
}

TEST_F(bad_input, keys_that_cannot_be_are_refused_before_anything_changes) {
    const file_bytes before = bytes_of(filter.get());
    const std::string bytes = "abcdefgh";
    const auto refuse = [&](const eb_keys& given) {
        refused(eb_insert(filter.get(), &given, nullptr, &error));
        refused(eb_query(filter.get(), &given, nullptr, &error));
        refused(eb_exclude(filter.get(), &given, nullptr, &error));
        EXPECT_EQ(bytes_of(filter.get()), before);
    };
    eb_keys given = keys;
    for (const std::uint32_t shape : {0u, 8u, 1000u, 0xffffffffu}) {
        given.shape = shape;
        refuse(given);
    }
    given = keys;
    given.reserved = 1;
    refuse(given);
    given = keys;
    given.data = nullptr;
    refuse(given);
    refuse(eb_fixed_keys(nullptr, 4, 2));
    refuse(eb_digest_keys(nullptr, 2));
    refuse(eb_offset32_keys(bytes.data(), 8, nullptr, 2));

    const std::uint64_t numbers[2] = {1, 2};
    refuse(eb_u64_keys(numbers, 2)); // of another key type

    // 300 keys: the bad one is in the second batch.
    std::vector<std::int32_t> offsets(301, 1);
    offsets[290] = 0;
    refuse(eb_offset32_keys(bytes.data(), 8, offsets.data(), 300));
    offsets.assign(301, 1);
    offsets[300] = 9;
    refuse(eb_offset32_keys(bytes.data(), 8, offsets.data(), 300));
    offsets.assign(301, -1);
    refuse(eb_offset32_keys(bytes.data(), 0, offsets.data(), 300));
    std::vector<std::int64_t> large(3, 0);
    large[2] = std::numeric_limits<std::int64_t>::max();
    refuse(eb_offset64_keys(bytes.data(), 8, large.data(), 2));
    refuse(eb_offset64_keys(nullptr, 0, large.data(), 2));

    std::vector<const void*> pointers(300, bytes.data());
    std::vector<std::size_t> lengths(300, 3);
    pointers[290] = nullptr;
    refuse(eb_pointer_keys(pointers.data(), lengths.data(), 300));
    refuse(eb_text_keys(reinterpret_cast<const char* const*>(pointers.data()), 300));
    pointers[290] = bytes.data();
    lengths[290] = SIZE_MAX;
    refuse(eb_pointer_keys(pointers.data(), lengths.data(), 300));

    for (const std::uint64_t count : {UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 8 + 2, std::uint64_t{1} << 62}) {
        given = eb_fixed_keys(bytes.data(), 8, count);
        refuse(given);
        given = eb_digest_keys(reinterpret_cast<const eb_digest*>(bytes.data()), count);
        refuse(given);
        given = keys;
        given.count = count;
        refuse(given);
        if (count > UINT64_MAX / 8) refuse(eb_offset64_keys(bytes.data(), 8, large.data(), count));
    }
    given = eb_fixed_keys(bytes.data(), UINT64_MAX, 1);
    refuse(given);
    given = eb_fixed_keys(bytes.data(), 4, 3);
    given.stride = INT64_MIN;
    refuse(given);
    given.stride = INT64_MAX;
    refuse(given);
}

TEST_F(bad_input, no_keys_at_all_are_fine) {
    for (const std::uint32_t shape : {EB_POINTERS, EB_OFFSETS32, EB_OFFSETS64, EB_FIXED, EB_FIXED_PADDED, EB_DIGESTS}) {
        eb_keys none{};
        none.shape = shape;
        EXPECT_EQ(eb_query(filter.get(), &none, nullptr, &error), 0) << error.sentence;
        EXPECT_EQ(eb_insert(filter.get(), &none, nullptr, &error), 0) << error.sentence;
        EXPECT_EQ(eb_erase(filter.get(), &none, nullptr, &error), 0) << error.sentence;
        EXPECT_EQ(eb_exclude(filter.get(), &none, nullptr, &error), EB_OK) << error.sentence;
    }
    const std::int32_t offsets[3] = {0, 0, 0};
    const eb_keys empty = eb_offset32_keys(nullptr, 0, offsets, 2);
    EXPECT_EQ(eb_insert(filter.get(), &empty, nullptr, &error), 2) << "two empty keys: " << error.sentence;
}

TEST_F(bad_input, a_key_type_is_never_mixed_up) {
    const handle numbers = empty_filter("counting", EB_KEYS_U64);
    EXPECT_EQ(eb_query_u64(filter.get(), 1), -EB_BAD_PARAMETER);
    EXPECT_EQ(eb_insert_u64(filter.get(), 1), -EB_BAD_PARAMETER);
    EXPECT_EQ(eb_erase_u64(filter.get(), 1), -EB_BAD_PARAMETER);
    EXPECT_EQ(eb_query_bytes(numbers.get(), "1", 1), -EB_BAD_PARAMETER);
    EXPECT_EQ(eb_insert_bytes(numbers.get(), "1", 1), -EB_BAD_PARAMETER);
    EXPECT_EQ(eb_erase_bytes(numbers.get(), "1", 1), -EB_BAD_PARAMETER);
    refused(eb_insert(numbers.get(), &keys, nullptr, &error));
    const std::uint64_t one = 1;
    const eb_keys number = eb_u64_keys(&one, 1);
    refused(eb_insert(filter.get(), &number, nullptr, &error));
    EXPECT_EQ(eb_insert(numbers.get(), &number, nullptr, &error), 1);
}

TEST_F(bad_input, an_export_needs_an_fpr) {
    const handle exported = filled("quotient");
    for (const double fpr : {0.0, 1.0, -0.5, std::nan("")}) refused(eb_export(exported.get(), fpr, &error));
    for (const char* const kind : {"blom", "bloom", "blocked"})
        refused(eb_export_as(exported.get(), 0.01, kind, &error));
}

TEST_F(bad_input, filters_that_do_not_fit_together_are_a_mismatch) {
    eb_options options = options_for("counting");
    options.hash_key = nullptr;
    const handle other_key = made_with(options);
    EXPECT_EQ(eb_merge(filter.get(), other_key.get(), &error), EB_MISMATCH) << error.sentence;
    const handle other_kind = filled("bloom");
    EXPECT_EQ(eb_merge(filter.get(), other_kind.get(), &error), EB_MISMATCH) << error.sentence;
    EXPECT_EQ(eb_merge(filter.get(), filter.get(), &error), EB_OK) << "with itself: nothing to do";
}

TEST_F(bad_input, damaged_files_are_refused) {
    const support::temporary_directory here;
    file_bytes bytes = bytes_of(filter.get());
    const auto read = [&](const file_bytes& given) { return eb_read_memory(given.data(), given.size(), &error); };
    for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{70}, bytes.size() - 1}) {
        file_bytes damaged = bytes;
        damaged[at] ^= 0x10;
        EXPECT_EQ(read(damaged), nullptr);
        EXPECT_TRUE(error.code == EB_DAMAGED || error.code == EB_UNSUPPORTED) << error.sentence;
        const std::string path = here.write("x.eb", {reinterpret_cast<const char*>(damaged.data()), damaged.size()});
        EXPECT_EQ(eb_open(path.c_str(), &error), nullptr);
        EXPECT_EQ(eb_map(path.c_str(), 0, &error), nullptr);
    }
    file_bytes shorter(bytes.begin(), bytes.end() - 8);
    EXPECT_EQ(read(shorter), nullptr);
    EXPECT_EQ(error.code, EB_DAMAGED);
    EXPECT_EQ(eb_read_memory("", 0, &error), nullptr);
    EXPECT_EQ(error.code, EB_DAMAGED);
    EXPECT_EQ(eb_open((here / "absent.eb").c_str(), &error), nullptr);
    EXPECT_EQ(error.code, EB_INPUT_OUTPUT);
    EXPECT_EQ(eb_save(filter.get(), (here / "no/such/folder.eb").c_str(), &error), EB_INPUT_OUTPUT);
    refused(eb_map("x.eb", 1000, &error));
    // The version of the format follows the magic number of eight bytes.
    file_bytes newer = bytes;
    newer[8] = 99;
    EXPECT_EQ(read(newer), nullptr);
    EXPECT_NE(std::string(error.sentence).find("version"), std::string::npos) << error.sentence;
}

TEST_F(bad_input, requests_that_are_no_request_are_refused) {
    std::string room(EB_SIMULATION_BYTES, '\0');
    for (const char* request : {"",
                                "[]",
                                "{",
                                "{\"kind\"",
                                "{\"kind\":",
                                "{\"kind\": \"bloom\"",
                                "{\"kind\": \"bloom\",}",
                                "{} x",
                                "{\"kind\": bloom}",
                                "{\"kind\": \"bloom\", \"kind\": \"bloom\"}",
                                "{\"kind\": \"bl\\qoom\"}",
                                "{\"kind\": \"bloom\", \"items\": 10, \"colour\": 3}",
                                "{\"kind\": 5, \"items\": 10}",
                                "{\"kind\": \"none\", \"items\": 10}",
                                "{\"kind\": \"bloom\"}",
                                "{\"items\": 10}",
                                "{\"kind\": \"bloom\", \"items\": -10}",
                                "{\"kind\": \"bloom\", \"items\": 1e400}",
                                "{\"kind\": \"bloom\", \"items\": 10, \"fpr\": 2}",
                                "{\"kind\": \"bloom\", \"items\": [10]}",
                                "{\"kind\": \"bloom\", \"items\": 10, \"parameters\": {\"bits\": {}}}",
                                "{\"kind\": \"bloom\", \"items\": 10, \"parameters\": {\"colour\": 1}}",
                                "{\"a\": {\"b\": {\"c\": 1}}}"}) {
        SCOPED_TRACE(request);
        refused(eb_model(request, room.data(), room.size(), &error));
        refused(eb_simulate(request, room.data(), room.size(), &error));
        refused(eb_plan(request, room.data(), room.size(), &error));
    }
    refused(eb_simulate("{\"kind\": \"bloom\", \"items\": 10, \"threads\": 0}", room.data(), room.size(), &error));
    refused(eb_simulate("{\"kind\": \"bloom\", \"items\": 10}", room.data(), EB_SIMULATION_BYTES - 1, &error));
    EXPECT_EQ(eb_simulate("{\"kind\": \"bloom\", \"items\": 10, \"removed\": 1}", room.data(), room.size(), &error),
              -EB_UNSUPPORTED);
    refused(eb_plan("{\"capacity\": 0}", room.data(), room.size(), &error));
    refused(eb_census(filter.get(), 0, 1, text.data(), text.size(), &error));
    refused(eb_census(filter.get(), 1, 65537, text.data(), text.size(), &error));
}

TEST_F(bad_input, sentences_are_cut_off_at_a_whole_character) {
    eb_options options = options_for("counting");
    std::string kind;
    for (int i = 0; i < 600; ++i) kind += "\xc3\xa4"; // two bytes each
    options.kind = kind.c_str();
    ASSERT_EQ(eb_make(&options, &error), nullptr);
    const std::string sentence = error.sentence;
    EXPECT_LT(sentence.size(), sizeof error.sentence);
    EXPECT_GT(sentence.size(), sizeof error.sentence - 5);
    ASSERT_TRUE(sentence.ends_with("...")) << sentence;
    EXPECT_EQ(sentence[sentence.size() - 4], '\xa4') << "half a character";
}

TEST_F(bad_input, names_of_unknown_numbers_are_unknown) {
    EXPECT_STREQ(eb_code_name(EB_OK), "ok");
    EXPECT_STREQ(eb_code_name(EB_DAMAGED), "damaged");
    EXPECT_STREQ(eb_code_name(EB_INTERNAL), "internal");
    for (const int none : {-1, 11, 1000}) EXPECT_STREQ(eb_code_name(none), "unknown");
    EXPECT_STREQ(eb_insert_outcome_name(EB_INSERTED_GREW), "inserted_grew");
    EXPECT_STREQ(eb_erase_outcome_name(EB_NOT_PRESENT), "not_present");
    for (const int none : {-1, 11, 1000}) EXPECT_STREQ(eb_insert_outcome_name(none), "unknown");
    for (const int none : {-1, 6, 1000}) EXPECT_STREQ(eb_erase_outcome_name(none), "unknown");
}

} // namespace
} // namespace everbloom::capi_tests
