// Operations on whole filters, files, documents, and the host's memory, through the C interface.
#include "capi/handles.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/everbloom.hpp>
#include <everbloom/jobs/dcso_conversion.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace everbloom::capi_tests {
namespace {

class operations : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, operations, ::testing::ValuesIn(kind_names()),
                         [](const auto& info) { return info.param; });

void expect_members(const handle& filter, std::uint64_t count) {
    const names some(count);
    const eb_keys keys = some.keys();
    EXPECT_EQ(eb_query(filter.get(), &keys, nullptr, nullptr), static_cast<std::int64_t>(count));
}

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

TEST_P(operations, files_keep_everything) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    const handle made = filled(GetParam());
    eb_error error{};
    ASSERT_EQ(eb_save(made.get(), path.c_str(), &error), EB_OK) << error.sentence;
    const handle opened(eb_open(path.c_str(), &error));
    ASSERT_TRUE(opened) << error.sentence;
    const handle mapped(eb_map(path.c_str(), 0, &error));
    ASSERT_TRUE(mapped) << error.sentence;
    const handle quick(eb_map(path.c_str(), EB_MAP_HEADER_ONLY, &error));
    ASSERT_TRUE(quick) << error.sentence;
    for (const handle* one : {&opened, &mapped, &quick}) {
        EXPECT_EQ(eb_equal(one->get(), made.get(), nullptr), 1);
        EXPECT_EQ(bytes_of(one->get()), bytes_of(made.get()));
        expect_members(*one, 100);
    }
    EXPECT_TRUE(can(opened, EB_CAN_INSERT));
    // A mapped filter refuses to be changed; its copy does not.
    const names some(3, "new ");
    const eb_keys keys = some.keys();
    EXPECT_FALSE(can(mapped, EB_CAN_INSERT));
    EXPECT_EQ(eb_insert_bytes(mapped.get(), "x", 1), EB_NOT_WRITABLE);
    EXPECT_EQ(eb_erase_bytes(mapped.get(), "name 1", 6), EB_CANNOT_ERASE);
    EXPECT_EQ(eb_insert(mapped.get(), &keys, nullptr, &error), -EB_UNSUPPORTED);
    EXPECT_EQ(eb_erase(mapped.get(), &keys, nullptr, &error), -EB_UNSUPPORTED);
    EXPECT_EQ(eb_clear(mapped.get(), &error), EB_UNSUPPORTED);
    EXPECT_EQ(eb_exclude(mapped.get(), &keys, nullptr, &error), EB_UNSUPPORTED);
    EXPECT_EQ(eb_sync(mapped.get(), &keys, &keys, 0, nullptr, &error), EB_UNSUPPORTED);
    const handle copy = clone_of(mapped);
    EXPECT_EQ(eb_insert(copy.get(), &keys, nullptr, &error), 3);
}

struct tape {
    file_bytes bytes;
    std::size_t next = 0;
    std::size_t most = SIZE_MAX; // bytes that it takes or gives
};
int put(void* context, const void* bytes, std::size_t size) {
    auto& into = *static_cast<tape*>(context);
    if (into.bytes.size() + size > into.most) return 1;
    const auto* some = static_cast<const std::uint8_t*>(bytes);
    into.bytes.insert(into.bytes.end(), some, some + size);
    return 0;
}
int get(void* context, void* bytes, std::size_t size) {
    auto& from = *static_cast<tape*>(context);
    if (size > std::min(from.bytes.size(), from.most) - from.next) return 1;
    std::memcpy(bytes, from.bytes.data() + from.next, size);
    from.next += size;
    return 0;
}

TEST_P(operations, sinks_and_sources_carry_the_file) {
    const handle made = filled(GetParam());
    eb_error error{};
    tape written;
    ASSERT_EQ(eb_write(made.get(), put, &written, &error), EB_OK) << error.sentence;
    EXPECT_EQ(written.bytes, bytes_of(made.get()));
    const handle back(eb_read(get, &written, written.bytes.size(), &error));
    ASSERT_TRUE(back) << error.sentence;
    EXPECT_EQ(eb_equal(back.get(), made.get(), nullptr), 1);
    for (const std::size_t most : {std::size_t{0}, std::size_t{100}, written.bytes.size() - 1}) {
        tape small;
        small.most = most;
        EXPECT_EQ(eb_write(made.get(), put, &small, &error), EB_INPUT_OUTPUT);
        tape torn = written;
        torn.next = 0;
        torn.most = most;
        EXPECT_EQ(eb_read(get, &torn, written.bytes.size(), &error), nullptr);
        EXPECT_EQ(error.code, EB_INPUT_OUTPUT) << error.sentence;
    }
}

TEST_P(operations, documents_are_json_and_follow_snprintf) {
    const handle made = filled(GetParam());
    const auto stats =
        document([&](char* buffer, std::size_t size) { return eb_stats(made.get(), buffer, size, nullptr); });
    EXPECT_EQ(stats["kind"], GetParam());
    EXPECT_NEAR(stats["keys"].get<double>(), 100, 15);
    EXPECT_EQ(stats["capacity"], capacity);
    EXPECT_GT(stats["bits_per_key"], 1);
    EXPECT_DOUBLE_EQ(stats["fpr"], eb_current_fpr(made.get(), nullptr));
    const auto description =
        document([&](char* buffer, std::size_t size) { return eb_describe(made.get(), buffer, size, nullptr); });
    EXPECT_EQ(description["kind"], GetParam());
    EXPECT_EQ(description["key_type"], "text");
    EXPECT_EQ(description["mapped"], false);
    EXPECT_EQ(description["file_bytes"], eb_saved_bytes(made.get(), nullptr));
    EXPECT_FALSE(description["geometry"].empty());
    const auto census =
        document([&](char* buffer, std::size_t size) { return eb_census(made.get(), 10, 4, buffer, size, nullptr); });
    EXPECT_EQ(census["occupied_shares"].size(), 10u);
    std::uint64_t cells = 0;
    for (const auto& one : census["values"]) cells += one.get<std::uint64_t>();
    EXPECT_EQ(census["cells"], cells);
    // Cell by cell they are the same: as many of each value, and nothing is written behind the last one.
    constexpr std::uint64_t untouched = ~std::uint64_t{0};
    std::vector<std::uint64_t> values(cells + 5, untouched);
    EXPECT_EQ(eb_cells(made.get(), 0, cells + 5, values.data(), nullptr), static_cast<std::int64_t>(cells));
    EXPECT_EQ(std::count(values.begin(), values.end(), untouched), 5);
    EXPECT_EQ(std::count(values.begin(), values.end(), 0u), census["values"][0].get<std::int64_t>());
    EXPECT_EQ(std::count(values.begin(), values.end(), 1u), census["values"][1].get<std::int64_t>());
    std::array<std::uint64_t, 4> some{};
    EXPECT_EQ(eb_cells(made.get(), cells - 3, 4, some.data(), nullptr), 3);
    EXPECT_TRUE(std::equal(some.begin(), some.begin() + 3, values.begin() + static_cast<std::ptrdiff_t>(cells) - 3));
    EXPECT_EQ(eb_cells(made.get(), cells, 4, some.data(), nullptr), 0);
    EXPECT_EQ(eb_cells(made.get(), untouched, untouched, some.data(), nullptr), 0);
    EXPECT_EQ(eb_cells(made.get(), 0, 0, nullptr, nullptr), 0);
    // A buffer that is too small gets the beginning and a NUL, and the length of all.
    std::array<char, 12> small{};
    small.fill('x');
    const std::int64_t length = eb_stats(made.get(), small.data(), 10, nullptr);
    EXPECT_GT(length, 100);
    EXPECT_STREQ(small.data(), "{\"kind\": ");
    EXPECT_EQ(small[10], 'x') << "written behind the buffer";
}

TEST(dcso_files, answer_as_the_filter_that_was_written) {
    eb_options options = EB_OPTIONS_INIT;
    options.capacity = 1000;
    options.fpr = 0.01;
    options.kind = "bloom";
    options.parameters = "probe=dcso";
    options.hash = EB_HASH_DCSO;
    eb_error error{};
    const handle made(eb_make(&options, &error));
    ASSERT_NE(made.get(), nullptr) << error.sentence;
    for (int i = 0; i < 1000; ++i) {
        const std::string key = "key " + std::to_string(i);
        ASSERT_EQ(eb_insert_bytes(made.get(), key.data(), key.size()), EB_INSERTED);
    }
    const auto file = bytes_of(made.get());
    const auto loaded = read_filter(std::as_bytes(std::span(file)));
    ASSERT_TRUE(loaded) << loaded.error().sentence;
    const auto foreign = write_dcso(*loaded);
    ASSERT_TRUE(foreign) << foreign.error().sentence;
    const handle back(eb_read_dcso(foreign->data(), foreign->size(), &error));
    ASSERT_NE(back.get(), nullptr) << error.sentence;
    EXPECT_EQ(eb_hash_of(back.get()), EB_HASH_DCSO);
    for (int i = 0; i < 5000; ++i) {
        const std::string key = "key " + std::to_string(i);
        EXPECT_EQ(eb_query_bytes(back.get(), key.data(), key.size()),
                  eb_query_bytes(made.get(), key.data(), key.size()));
    }
    // Cut off anywhere before its end, it is refused: nothing is read behind the bytes.
    const std::size_t last = foreign->size() - 1;
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{47}, std::size_t{48}, std::size_t{100}, last}) {
        EXPECT_EQ(eb_read_dcso(foreign->data(), length, &error), nullptr) << length;
        EXPECT_EQ(error.code, EB_DAMAGED) << error.sentence;
    }
}

TEST(documents, list_all_kinds) {
    const auto kinds = all_kinds();
    ASSERT_GE(kinds.size(), 18u);
    EXPECT_EQ(kinds[0]["name"], "bloom");
    EXPECT_EQ(kinds[0]["parameters"][0]["name"], "bits");
    EXPECT_EQ(kinds[0]["parameters"][0]["default"], nullptr);
    EXPECT_EQ(kinds[0]["parameters"][2]["words"][0], "double");
}

TEST(planner, ranks_kinds_and_says_why_others_are_not_there) {
    const auto plan = [](const std::string& request) {
        return document(
            [&](char* buffer, std::size_t size) { return eb_plan(request.c_str(), buffer, size, nullptr); });
    };
    const auto any = plan(R"({"capacity": "1M", "fpr": "0.1%"})");
    ASSERT_FALSE(any["candidates"].empty());
    EXPECT_LE(any["candidates"][0]["fpr"], 0.00101);
    EXPECT_EQ(any["lowest_fpr"], nullptr);
    const auto fixed = plan(R"({"capacity": 1000000, "fpr": 0.001, "removed": 0, "growth": 1})");
    EXPECT_GE(fixed["candidates"].size(), any["candidates"].size());
    const auto narrow = plan(R"({"capacity": 1000000, "fpr": 0.001, "memory_bytes": 100000})");
    EXPECT_TRUE(narrow["candidates"].empty());
    EXPECT_GT(narrow["dropped"].size(), 10u);
    EXPECT_NE(narrow["dropped"][0]["why"], "");
}

TEST(model, predicts_without_making_a_filter) {
    std::array<char, 4096> text{};
    eb_error error{};
    // A filter of 2^50 bits fits into no machine.
    ASSERT_GT(eb_model(R"({"kind": "bloom", "parameters": {"bits": 1125899906842624, "hashes": 4}, "items": "100T"})",
                       text.data(), text.size(), &error),
              0)
        << error.sentence;
    const auto huge = nlohmann::json::parse(text.data());
    const double inverse = 1 - std::exp(-4 * 1e14 / 0x1p50);
    EXPECT_NEAR(huge["fpr"], inverse * inverse * inverse * inverse, 1e-6);
    EXPECT_EQ(huge["parameters"]["probe"], "double");
    // As many as the real filter predicts.
    ASSERT_GT(eb_model(R"({"kind": "counting", "capacity": 1000, "fpr": 0.01, "items": 500})", text.data(), text.size(),
                       &error),
              0);
    const auto half = nlohmann::json::parse(text.data());
    const auto real = build({"counting", 1000, 0.01, {}});
    EXPECT_DOUBLE_EQ(half["fpr"], *real->predict({.items = 500}).fpr);
    EXPECT_EQ(half["bytes"], real->payload_bytes());
}

TEST(simulation, gives_the_same_document_for_any_number_of_threads) {
    const auto simulate = [](const std::string& request) {
        std::string text(EB_SIMULATION_BYTES, '\0');
        eb_error error{};
        EXPECT_GT(eb_simulate(request.c_str(), text.data(), text.size(), &error), 0) << error.sentence;
        return nlohmann::json::parse(text.c_str());
    };
    for (const std::string& kind : kind_names()) {
        const std::string request = R"({"kind": ")" + kind + R"(", "capacity": 300, "fpr": 0.02, "queries": 2000,
                                        "trials": 3, "seed": 5, "threads": )";
        const auto one = simulate(request + "1}");
        EXPECT_EQ(one, simulate(request + "2}"));
        EXPECT_EQ(one["kind"], kind);
        EXPECT_EQ(one["false_negatives"], 0);
    }
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

TEST(cpp_files, open_in_c_and_back) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    filter<std::uint64_t> door({.capacity = 100, .fpr = 0.01});
    door.insert({1, 2, 3});
    door.save(path);
    eb_error error{};
    const handle opened(eb_open(path.c_str(), &error));
    ASSERT_TRUE(opened) << error.sentence;
    EXPECT_EQ(eb_key_type_of(opened.get()), EB_KEYS_U64);
    EXPECT_EQ(eb_query_u64(opened.get(), 2), 1);
    ASSERT_GE(eb_insert_u64(opened.get(), 4), 0);
    ASSERT_EQ(eb_save(opened.get(), path.c_str(), &error), EB_OK);
    EXPECT_TRUE(filter<std::uint64_t>::open(path).may_contain(4));
}

TEST(options, lifetimes_choose_other_kinds) {
    eb_options options = EB_OPTIONS_INIT;
    options.capacity = 100000;
    const handle everything = made_with(options);
    EXPECT_TRUE(can(everything, EB_CAN_ERASE));
    options.flags = EB_LIFETIME;
    const handle insert_only = made_with(options);
    EXPECT_LE(eb_memory_bytes(insert_only.get()), eb_memory_bytes(everything.get()));
}

TEST(options, parameters_set_the_geometry) {
    eb_options options = options_for("bloom");
    options.parameters = "bits=65536, hashes=4";
    const handle made = made_with(options);
    const auto description =
        document([&](char* buffer, std::size_t size) { return eb_describe(made.get(), buffer, size, nullptr); });
    EXPECT_EQ(description["geometry"]["bits"], 65536);
    EXPECT_EQ(description["geometry"]["hashes"], 4);
}

TEST(versions, agree) {
    EXPECT_EQ(eb_version(), std::to_string(EB_VERSION_MAJOR) + "." + std::to_string(EB_VERSION_MINOR) + "." +
                                std::to_string(EB_VERSION_PATCH));
}

} // namespace
} // namespace everbloom::capi_tests
