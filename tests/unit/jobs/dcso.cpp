// .bloom files: read only if they are intact, converted to filters and back byte for byte.
#include "support/must.hpp"

#include <everbloom/jobs/dcso_conversion.hpp>
#include <everbloom/jobs/dcso_file.hpp>
#include <everbloom/jobs/dcso_note.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace everbloom {
namespace {

using support::must;

std::vector<std::byte> bytes_of_text(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// A filter with the hash of .bloom files, with this many keys.
filter_file dcso_filter(std::uint64_t keys) {
    filter_file file;
    file.handle = keyed(must(build({"bloom", 1000, 0.01, {{"probe", "dcso"}}})), any_hasher(hash_id::dcso, {}));
    file.target = {1000, 0.01};
    for (std::uint64_t i = 0; i < keys; ++i) must(file.handle.insert(std::string_view("key" + std::to_string(i))));
    return file;
}

std::vector<std::byte> bloom_file(std::uint64_t keys, std::string_view data) {
    auto bytes = must(write_dcso(dcso_filter(keys)));
    const auto more = bytes_of_text(data);
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
}

TEST(dcso_conversion, there_and_back_gives_the_same_bytes) {
    for (const std::string_view data : {std::string_view(), std::string_view("source: a test")}) {
        const auto bytes = bloom_file(500, data);
        const filter_file file = must(filter_from_dcso(must(read_dcso(bytes))));
        EXPECT_EQ(file.filter().kind(), "bloom");
        EXPECT_EQ(file.target.items, 1000U);
        EXPECT_EQ(file.target.fpr, 0.01);
        for (int i = 0; i < 500; ++i) EXPECT_TRUE(file.handle.may_contain(std::string_view("key" + std::to_string(i))));
        EXPECT_EQ(must(write_dcso(file)), bytes);
    }
}

TEST(dcso_conversion, counts_the_keys_added_since) {
    filter_file file = must(filter_from_dcso(must(read_dcso(bloom_file(500, "")))));
    const std::uint64_t before = must(header_as_dcso(file)).items;
    EXPECT_NEAR(static_cast<double>(before), 500, 10);
    for (int i = 0; i < 200; ++i) must(file.handle.insert(std::string_view("more" + std::to_string(i))));
    EXPECT_NEAR(static_cast<double>(must(header_as_dcso(file)).items), static_cast<double>(before) + 200, 15);
}

TEST(dcso_conversion, says_what_stands_in_the_way) {
    filter_file other = dcso_filter(1);
    other.handle = keyed(must(build({"blocked", 1000, 0.01, {}})), any_hasher(hash_id::siphash, {}));
    EXPECT_EQ(obstacle_to_dcso(other), dcso_obstacle::other_hash);
    EXPECT_EQ(write_dcso(other).error().sentence,
              "is a blocked filter, hashed with siphash; a .bloom file needs kind bloom and hash dcso, and a filter "
              "cannot be rehashed without its keys: create one from them");
    filter_file typed = dcso_filter(1);
    typed.keys = key_type::ip;
    EXPECT_EQ(obstacle_to_dcso(typed), dcso_obstacle::key_type);
    filter_file excluding = dcso_filter(1);
    must(excluding.filter().exclude(std::vector<digest>{excluding.hasher()("a key")}));
    EXPECT_EQ(obstacle_to_dcso(excluding), dcso_obstacle::exclusion_list);
    EXPECT_EQ(write_dcso(excluding).error().reason, failure_reason::unsupported);
    // No filter is made with a power of two bits, but such files exist.
    const filter_file linked = must(filter_from_dcso(dcso_file::empty({1, 1000, 0.01, 5, 8192, 0}, 0)));
    EXPECT_EQ(obstacle_to_dcso(linked), dcso_obstacle::linked_positions);
    EXPECT_EQ(obstacle_to_dcso(dcso_filter(1)), dcso_obstacle::none);
}

TEST(dcso_file, that_is_not_whole_is_refused) {
    const auto bytes = bloom_file(10, "");
    for (const std::size_t length : {std::size_t{0}, std::size_t{47}, std::size_t{48}, bytes.size() - 1}) {
        const auto refused = read_dcso(std::span(bytes).first(length));
        ASSERT_FALSE(refused) << length;
        EXPECT_EQ(refused.error().reason, failure_reason::damaged);
        EXPECT_TRUE(refused.error().sentence.starts_with("is not an intact .bloom file: ")) << refused.error().sentence;
    }
}

TEST(dcso_file, with_impossible_numbers_is_refused) {
    const dcso_header intact{1, 1000, 0.01, 7, 9586, 0};
    EXPECT_TRUE(intact.check());
    EXPECT_EQ(dcso_header::parse(intact.write()).bits, 9586U);
    const auto refuses = [&](auto change) {
        dcso_header changed = intact;
        change(changed);
        return !changed.check();
    };
    EXPECT_TRUE(refuses([](auto& one) { one.flags = 2; }));
    EXPECT_TRUE(refuses([](auto& one) { one.planned_items = 0; }));
    EXPECT_TRUE(refuses([](auto& one) { one.planned_fpr = 1; }));
    EXPECT_TRUE(refuses([](auto& one) { one.hashes = 0; }));
    EXPECT_TRUE(refuses([](auto& one) { one.hashes = 1'000'000; }));
    EXPECT_TRUE(refuses([](auto& one) { one.bits = 0; }));
    EXPECT_TRUE(refuses([](auto& one) { one.bits = ~std::uint64_t{0}; }));
    // More bits than bytes are there: nothing is allocated for them.
    auto bytes = bloom_file(10, "");
    dcso_header huge = intact;
    huge.bits = std::uint64_t{1} << 55;
    const auto start = huge.write();
    std::copy(start.begin(), start.end(), bytes.begin());
    EXPECT_EQ(read_dcso(bytes).error().reason, failure_reason::damaged);
}

TEST(dcso_file, with_a_bit_after_the_last_is_refused) {
    auto bytes = bloom_file(10, "");
    ASSERT_NE(must(read_dcso(bytes)).header.bits % 64, 0U);
    bytes.back() |= std::byte{0x80};
    const auto refused = read_dcso(bytes);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence.find("a bit is set after the last"), std::string::npos);
}

TEST(dcso_note, is_told_from_other_attachments) {
    const auto data = bytes_of_text("data");
    std::vector<std::byte> bytes(dcso_note::bytes_for(data.size()));
    dcso_note{1, 20, 300, data}.write(bytes);
    const auto note = dcso_note::parse(bytes);
    ASSERT_TRUE(note);
    EXPECT_EQ(note->items, 20U);
    EXPECT_EQ(note->ones, 300U);
    EXPECT_TRUE(std::equal(note->data.begin(), note->data.end(), data.begin(), data.end()));
    bytes[0] = std::byte{'X'};
    EXPECT_FALSE(dcso_note::parse(bytes));
    EXPECT_FALSE(dcso_note::parse({}));
}

} // namespace
} // namespace everbloom
