// Accidents: a bit that flips, a file that ends early, bytes behind its end. Every single one must be refused, whatever the kind.
#include "hostile/small_file.hpp"
#include "support/rounds.hpp"
#include "support/temporary_directory.hpp"

namespace everbloom::hostile {
namespace {

using support::rounds;
using support::temporary_directory;

std::string_view as_text(const file_bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_damaged(const result<filter_file>& loaded, const std::string& what) {
    ASSERT_FALSE(loaded) << what << " was not noticed";
    EXPECT_EQ(loaded.error().reason, failure_reason::damaged) << what << ": " << loaded.error().sentence;
    EXPECT_FALSE(loaded.error().sentence.empty());
}

/// Through the two doors that need a file.
void expect_damaged_on_disk(const temporary_directory& here, const file_bytes& bytes, const std::string& what) {
    const std::string path = here.write("damaged.eb", as_text(bytes));
    expect_damaged(open_filter(path), what + " (opened)");
    expect_damaged(map_filter(path), what + " (mapped)");
    std::filesystem::remove(path); // some file systems flush a file that is written over, and take their time
}

class damaged_bytes : public for_every_kind {
protected:
    temporary_directory here;
};
INSTANTIATE_TEST_SUITE_P(kinds, damaged_bytes, ::testing::ValuesIn(kinds_that_can(capability::query)), kind_name);

TEST_P(damaged_bytes, an_intact_file_is_read_opened_and_mapped) {
    const file_bytes& bytes = small_file(kind().name);
    const std::string path = here.write("intact.eb", as_text(bytes));
    for (const auto& loaded : {read_filter(bytes), open_filter(path), map_filter(path)}) {
        ASSERT_TRUE(loaded) << loaded.error().sentence;
        EXPECT_TRUE(holds_keys(*loaded, 0, small_items));
        EXPECT_EQ(write_filter(*loaded), bytes);
    }
}

TEST_P(damaged_bytes, every_single_flipped_bit_is_noticed) {
    file_bytes bytes = small_file(kind().name);
    const std::size_t bits = bytes.size() * 8;
    // On disk a sample: a stride that is coprime to 8, so that every bit of a byte has its turn.
    const std::size_t stride = bits / rounds(300) | 1;
    for (std::size_t bit = 0; bit < bits; ++bit) {
        const std::byte mask{static_cast<unsigned char>(1u << (bit % 8))};
        const std::string what = "bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8);
        bytes[bit / 8] ^= mask;
        expect_damaged(read_filter(bytes), what);
        if (bit % stride == 0) expect_damaged_on_disk(here, bytes, what);
        bytes[bit / 8] ^= mask;
    }
    RecordProperty("flips", std::to_string(bits));
}

TEST_P(damaged_bytes, every_truncation_is_noticed) {
    const file_bytes& bytes = small_file(kind().name);
    const std::size_t stride = bytes.size() / rounds(100) + 1;
    for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
        const file_bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(kept));
        const std::string what = "an end at byte " + std::to_string(kept);
        expect_damaged(read_filter(cut), what);
        if (kept % stride == 0) expect_damaged_on_disk(here, cut, what);
    }
}

TEST_P(damaged_bytes, appended_bytes_are_noticed) {
    for (const std::size_t more : {1, 7, 64, 4096}) {
        for (const std::byte value : {std::byte{0}, std::byte{255}}) {
            file_bytes longer = small_file(kind().name);
            longer.resize(longer.size() + more, value);
            const std::string what = std::to_string(more) + " bytes more";
            expect_damaged(read_filter(longer), what);
            expect_damaged_on_disk(here, longer, what);
        }
    }
}

TEST_P(damaged_bytes, a_file_cut_from_two_files_is_noticed) {
    filter_file other = empty_filter(kind().name, small_items);
    insert_keys(other, 1000, 1000 + small_items);
    const file_bytes second = write_filter(other);
    const file_bytes& first = small_file(kind().name);
    // Chance decides how many cells a kind needs that is built at once.
    if (!other.filter().can(capability::build)) {
        ASSERT_EQ(first.size(), second.size());
    }
    const std::size_t header = get<std::uint32_t>(first, at_header_bytes);
    file_bytes spliced(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(header));
    spliced.insert(spliced.end(), second.begin() + static_cast<std::ptrdiff_t>(header), second.end());
    expect_damaged(read_filter(spliced), "a header before another file's sections");
}

// Not for every kind: the pages of a section are the format's business, not the kind's.
TEST(damaged_pages, the_sentence_names_the_section_and_the_bytes) {
    filter_file made;
    auto built = build({"bloom", {}, {}, {{"bits", "20M"}, {"hashes", "3"}}});
    ASSERT_TRUE(built);
    made.handle = keyed(std::move(*built), any_hasher(hash_id::xxh3, hash_key{}));
    insert_keys(made, 0, 1000);
    file_bytes bytes = write_filter(made);
    const std::size_t header = get<std::uint32_t>(bytes, at_header_bytes);
    ASSERT_GT(bytes.size(), header + 2 * page);
    for (std::size_t index = 0; index * page < bytes.size() - header; ++index) {
        const std::size_t from = header + index * page;
        const std::size_t last = std::min(from + page, bytes.size()) - 1;
        for (const std::size_t at : {from, (from + last) / 2, last}) {
            bytes[at] ^= std::byte{16};
            const auto loaded = read_filter(bytes);
            bytes[at] ^= std::byte{16};
            ASSERT_FALSE(loaded);
            EXPECT_NE(loaded.error().sentence.find("section 0"), std::string::npos) << loaded.error().sentence;
            EXPECT_NE(loaded.error().sentence.find(std::to_string(from) + " and " + std::to_string(last)),
                      std::string::npos)
                << loaded.error().sentence;
        }
    }
}

} // namespace
} // namespace everbloom::hostile
