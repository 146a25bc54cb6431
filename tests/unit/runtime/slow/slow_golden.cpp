// The bytes of a slow file do not change: the same updates make the file in tests/golden, and that file opens.
#include "support/power_cut_disk.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace everbloom {
namespace {

const std::string golden_path = std::string(EVERBLOOM_SOURCE_DIR) + "/tests/golden/slow_filter.ebs";

digest golden_item(std::uint64_t key) { return {mix(key * 2 + 1), 0}; }

/// Runs with copies, blocks, an attachment, and a log with updates of both sorts.
std::vector<std::byte> golden_bytes() {
    support::power_cut_disk disk;
    disk.keep_discarded();
    slow_plan plan;
    plan.identity.number = 0x676f6c64656e;
    plan.identity.geometry = {50, 1};
    plan.identity.hasher = any_hasher(hash_id::siphash, hash_key::from_seed(7));
    plan.identity.keys = key_type::text;
    plan.hashes = 8;
    plan.line_keys = 32'000'000;
    plan.capacity = 300;
    plan.fpr = 0.001;
    auto filter = slow_elastic::create(disk.file(), plan, 1 << 20).value();
    for (std::uint64_t i = 0; i < 1000; ++i) (void)filter.insert(golden_item(i));
    for (std::uint64_t i = 0; i < 10; ++i) (void)filter.insert(golden_item(3));
    EXPECT_TRUE(filter.merge());
    const std::array<std::byte, 3> note{std::byte{1}, std::byte{2}, std::byte{3}};
    EXPECT_TRUE(filter.attach(note));
    for (std::uint64_t i = 0; i < 20; ++i) (void)filter.insert(golden_item(2000 + i));
    for (std::uint64_t i = 0; i < 5; ++i) (void)filter.erase_later(golden_item(i));
    EXPECT_TRUE(filter.close());
    return disk.bytes();
}

TEST(slow_golden, the_format_has_not_changed) {
    const std::vector<std::byte> made = golden_bytes();
    if (std::getenv("EVERBLOOM_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(golden_path)) {
        std::ofstream(golden_path, std::ios::binary)
            .write(reinterpret_cast<const char*>(made.data()), static_cast<std::streamsize>(made.size()));
    }
    std::ifstream file(golden_path, std::ios::binary);
    ASSERT_TRUE(file) << golden_path;
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto golden = std::as_bytes(std::span(text));
    EXPECT_TRUE(std::equal(golden.begin(), golden.end(), made.begin(), made.end()));

    auto opened = slow_elastic::open(open_slow_file(golden_path, slow_access::read).value(), slow_access::read);
    ASSERT_TRUE(opened) << opened.error().sentence;
    EXPECT_TRUE(opened->verify());
    EXPECT_EQ(opened->identity().hasher.key(), hash_key::from_seed(7));
    EXPECT_EQ(opened->state().attached.size(), 3U);
    EXPECT_EQ(opened->statistics().keys, 1000U);
    EXPECT_EQ(opened->statistics().pending, 25U);
    EXPECT_EQ(*opened->count(golden_item(3)), 10U);
    EXPECT_EQ(*opened->count(golden_item(4)), 0U);
    EXPECT_EQ(*opened->count(golden_item(2019)), 1U);
}

} // namespace
} // namespace everbloom
