// A filter whose memory is in chunks, in files: every way of loading gives the same filter, in chunks again where it can grow, and saving
// needs no second copy.
#include "support/counted_memory.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace everbloom {
namespace {

using support::counted_memory;
using support::key_family;
using support::must;
using support::snapshot_of;
using support::temporary_directory;

constexpr std::uint64_t unit_bytes = chunked_words::unit_lines * line_bytes;

/// More than four units, and more than one page of the file.
filter_file large_quotient() {
    filter_file file;
    file.handle = keyed(must(build({"quotient", 700'000, 0.001, {}})), any_hasher(hash_id::xxh3, {}));
    const auto keys = key_family(21).first(300'000);
    std::vector<insert_outcome> outcomes(keys.size());
    must(file.filter().insert(keys, outcomes));
    return file;
}

class bytes_in_order final : public byte_source {
public:
    explicit bytes_in_order(std::span<const std::byte> bytes) : bytes_(bytes) {}
    result<void> read(std::span<std::byte> into) override {
        longest = std::max(longest, into.size());
        std::memcpy(into.data(), bytes_.data(), into.size());
        bytes_ = bytes_.subspan(into.size());
        return {};
    }
    std::size_t longest = 0;

private:
    std::span<const std::byte> bytes_;
};

TEST(chunked_sections, every_way_of_loading_gives_the_same_filter) {
    const temporary_directory here;
    for (const bool hooked : {false, true}) {
        std::optional<counted_memory> memory;
        if (hooked) memory.emplace();
        const filter_file saved = large_quotient();
        EXPECT_GT(saved.filter().sections()[0].size_bytes(), 4 * unit_bytes);
        must(save_filter(saved, here / "x.eb"));
        const auto bytes = write_filter(saved);
        EXPECT_EQ(bytes.size(), saved_bytes(saved));
        bytes_in_order source(bytes);
        filter_file loaded[] = {must(open_filter(here / "x.eb")), must(map_filter(here / "x.eb")),
                                must(read_filter(bytes)), must(read_filter(source, bytes.size()))};
        EXPECT_LE(source.longest, unit_bytes);
        for (filter_file& one : loaded) {
            EXPECT_EQ(snapshot_of(one.filter()), snapshot_of(saved.filter()));
            EXPECT_EQ(write_filter(one), bytes);
        }
        EXPECT_EQ(loaded[1].filter().memory_bytes(), 0u); // mapped: in place
        if (hooked) {
            EXPECT_EQ(memory->largest_block(), unit_bytes);
        }
    }
}

TEST(chunked_sections, a_loaded_filter_grows_and_shrinks_by_units) {
    const counted_memory memory;
    const auto bytes = write_filter(large_quotient());
    filter_file file = must(read_filter(bytes));
    const auto more = key_family(22).first(500'000);
    (void)memory.taken_bytes();
    std::uint64_t most_taken = 0;
    for (const digest& key : more) {
        ASSERT_TRUE(succeeded(must(file.filter().insert(key))));
        most_taken = std::max(most_taken, memory.taken_bytes());
    }
    const std::uint64_t held = memory.held_bytes();
    for (const digest& key : more) ASSERT_EQ(must(file.filter().erase(key)), erase_outcome::removed);
    EXPECT_LE(most_taken, unit_bytes);
    EXPECT_LE(memory.held_bytes(), held);
    for (const digest& key : key_family(21).first(300'000)) ASSERT_TRUE(file.filter().may_contain(key));
}

TEST(chunked_sections, a_clone_is_equal_and_in_units_too) {
    const counted_memory memory;
    const filter_file file = large_quotient();
    const any_filter same = must(file.filter().clone());
    EXPECT_EQ(snapshot_of(same), snapshot_of(file.filter()));
    EXPECT_EQ(memory.largest_block(), unit_bytes);
}

TEST(chunked_sections, loading_without_memory_fails_at_each_unit_and_leaves_none_behind) {
    const counted_memory memory;
    const auto bytes = write_filter(large_quotient());
    ASSERT_EQ(memory.blocks(), 0u);
    for (std::uint64_t number = 1; number <= 5; ++number) {
        memory.refuse(number);
        const auto refused = read_filter(bytes);
        ASSERT_FALSE(refused.has_value()) << number;
        EXPECT_EQ(refused.error().reason, failure_reason::out_of_memory);
        EXPECT_EQ(memory.blocks(), 0u);
    }
}

} // namespace
} // namespace everbloom
