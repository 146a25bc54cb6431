// Files, sinks and sources, and files of other programs, through the C interface.
#include "capi/handles.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/filter.hpp>
#include <everbloom/jobs/dcso_conversion.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace everbloom::capi_tests {
namespace {

class files : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, files, ::testing::ValuesIn(kind_names()), [](const auto& info) { return info.param; });

TEST_P(files, keep_everything) {
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
int put_on_tape(void* context, const void* bytes, std::size_t size) {
    auto& into = *static_cast<tape*>(context);
    if (into.bytes.size() + size > into.most) return 1;
    const auto* some = static_cast<const std::uint8_t*>(bytes);
    into.bytes.insert(into.bytes.end(), some, some + size);
    return 0;
}
int get_from_tape(void* context, void* bytes, std::size_t size) {
    auto& from = *static_cast<tape*>(context);
    if (size > std::min(from.bytes.size(), from.most) - from.next) return 1;
    std::memcpy(bytes, from.bytes.data() + from.next, size);
    from.next += size;
    return 0;
}

TEST_P(files, sinks_and_sources_carry_the_file) {
    const handle made = filled(GetParam());
    eb_error error{};
    tape written;
    ASSERT_EQ(eb_write(made.get(), put_on_tape, &written, &error), EB_OK) << error.sentence;
    EXPECT_EQ(written.bytes, bytes_of(made.get()));
    const handle back(eb_read(get_from_tape, &written, written.bytes.size(), &error));
    ASSERT_TRUE(back) << error.sentence;
    EXPECT_EQ(eb_equal(back.get(), made.get(), nullptr), 1);
    for (const std::size_t most : {std::size_t{0}, std::size_t{100}, written.bytes.size() - 1}) {
        tape small;
        small.most = most;
        EXPECT_EQ(eb_write(made.get(), put_on_tape, &small, &error), EB_INPUT_OUTPUT);
        tape torn = written;
        torn.next = 0;
        torn.most = most;
        EXPECT_EQ(eb_read(get_from_tape, &torn, written.bytes.size(), &error), nullptr);
        EXPECT_EQ(error.code, EB_INPUT_OUTPUT) << error.sentence;
    }
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

} // namespace
} // namespace everbloom::capi_tests
