// The parts of a filter's file are the file, whatever their sizes and the order in which they are asked for.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/file_parts.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::key_family;
using support::must;

filter_file filled(std::string kind, std::uint64_t capacity, std::size_t keys) {
    filter_file file;
    file.handle = keyed(must(build({std::move(kind), capacity, 0.001, {}})), any_hasher(hash_id::xxh3, {}));
    std::vector<insert_outcome> outcomes(keys);
    must(file.filter().insert(key_family(5).first(keys), outcomes));
    file.attached.assign(70, std::byte{7});
    return file;
}

TEST(file_parts, are_the_file) {
    // One of several pages and units, small ones, and one whose sections are many.
    for (const filter_file& file : {filled("quotient", 2'000'000, 1000), filled("quotient", 100, 90),
                                    filled("bloom", 50, 50), filled("elastic_blocked", 100'000, 2000)}) {
        const std::vector<std::byte> whole = write_filter(file);
        for (const std::uint64_t most : {std::uint64_t{16} << 20, std::uint64_t{1} << 20, std::uint64_t{100'003}}) {
            file_parts parts(file);
            ASSERT_EQ(parts.bytes(), whole.size());
            std::vector<std::byte> joined;
            for (;;) {
                const auto part = parts.read(file, joined.size(), most);
                ASSERT_LE(part.size(), most);
                if (part.empty()) break;
                joined.insert(joined.end(), part.begin(), part.end());
            }
            EXPECT_EQ(joined, whole) << file.filter().kind() << ", " << most;
        }
    }
}

TEST(file_parts, begin_anywhere) {
    const filter_file file = filled("quotient", 1'500'000, 500);
    const std::vector<std::byte> whole = write_filter(file);
    for (const std::uint64_t first :
         {std::uint64_t{whole.size()} - 1, std::uint64_t{0}, std::uint64_t{1'000'001}, std::uint64_t{96}}) {
        file_parts parts(file);
        const auto part = parts.read(file, first, 5000);
        ASSERT_FALSE(part.empty());
        EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first))) << first;
    }
    EXPECT_TRUE(file_parts(file).read(file, whole.size(), 5000).empty());
}

TEST(file_parts, of_a_filter_that_was_changed_in_between_are_the_changed_one_or_no_file) {
    // The first part is the start of the header, all of it, or has some of the cells.
    int refused = 0;
    for (const std::uint64_t most : {std::uint64_t{1000}, std::uint64_t{300'000}, std::uint64_t{450'000}}) {
        filter_file file = filled("quotient", 100'000, 1000);
        file_parts parts(file);
        std::vector<std::byte> joined = parts.read(file, 0, most);
        std::vector<insert_outcome> outcomes(50'000);
        must(file.filter().insert(key_family(6).first(50'000), outcomes));
        for (;;) {
            const auto part = parts.read(file, joined.size(), most);
            if (part.empty()) break;
            joined.insert(joined.end(), part.begin(), part.end());
        }
        if (read_filter(joined)) {
            EXPECT_EQ(joined, write_filter(file));
        } else {
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
}

} // namespace
} // namespace everbloom
