// The header of format version 1: what is written is read back, and a changed bit anywhere is noticed.
#include "support/dice.hpp"

#include <everbloom/format/v1.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom::v1 {
namespace {

using words = std::vector<std::uint64_t>;

file_description example() {
    file_description file;
    file.kind = 3;
    file.hash = 2;
    file.key_type = 1;
    for (std::uint8_t i = 0; i < 16; ++i) file.hash_key[i] = static_cast<std::uint8_t>(i * 7);
    file.agreed_items = 1000;
    file.agreed_fpr = 0.01;
    file.parameters = {100, 7, ~std::uint64_t{0}};
    return file;
}

std::vector<word_pieces> spans_of(const std::vector<words>& sections) { return {sections.begin(), sections.end()}; }

std::uint64_t bytes_of(const std::vector<words>& sections) {
    std::uint64_t bytes = 0;
    for (const words& one : sections) bytes += one.size() * 8;
    return bytes;
}

words random_words(std::uint64_t lines, std::uint64_t seed) {
    support::dice random(seed);
    words made(lines * line_words);
    for (std::uint64_t& word : made) word = random.word();
    return made;
}

TEST(format_v1, a_header_is_read_back_as_it_was_written) {
    // The second section has two pages and a bit, the third has nothing.
    const std::vector<words> sections{random_words(3, 1), random_words(2 * (page_bytes / line_bytes) + 1, 2), {}};
    const auto written = header(example(), spans_of(sections));
    EXPECT_EQ(written.size() % line_bytes, 0u);
    const auto read = parse(written, written.size() + bytes_of(sections));
    ASSERT_TRUE(read.has_value()) << read.error().sentence;
    EXPECT_EQ(read->kind, 3u);
    EXPECT_EQ(read->hash, 2u);
    EXPECT_EQ(read->key_type, 1u);
    EXPECT_EQ(read->hash_key, example().hash_key);
    EXPECT_EQ(read->agreed_items, 1000u);
    EXPECT_EQ(read->agreed_fpr, 0.01);
    EXPECT_EQ(read->parameters, example().parameters);
    ASSERT_EQ(read->sections.size(), 3u);
    EXPECT_EQ(read->sections[0].offset, written.size());
    EXPECT_EQ(read->sections[1].offset, written.size() + 3 * line_bytes);
    EXPECT_EQ(read->sections[1].first_page, 1u);
    EXPECT_EQ(read->sections[2].lines, 0u);
    EXPECT_EQ(read->page_checksums.size(), 1u + 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(check_section(*read, i, word_pieces(sections[i])).has_value()) << i;
}

TEST(format_v1, every_flipped_bit_of_a_header_is_refused) {
    const std::vector<words> sections{random_words(2, 3)};
    auto bytes = header(example(), spans_of(sections));
    const std::uint64_t file_bytes = bytes.size() + bytes_of(sections);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        const auto refused = parse(bytes, file_bytes);
        ASSERT_FALSE(refused.has_value()) << "bit " << bit;
        EXPECT_EQ(refused.error().reason, failure_reason::damaged);
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_TRUE(parse(bytes, file_bytes).has_value());
}

TEST(format_v1, damage_in_a_section_is_told_with_its_place) {
    const std::vector<words> sections{random_words(1, 4), random_words(page_bytes / line_bytes + 1, 5)};
    const auto bytes = header(example(), spans_of(sections));
    const auto read = parse(bytes, bytes.size() + bytes_of(sections));
    ASSERT_TRUE(read.has_value());
    words damaged_words = sections[1];
    damaged_words.back() ^= 1; // in the second page of the second section
    const auto refused = check_section(*read, 1, word_pieces(damaged_words));
    ASSERT_FALSE(refused.has_value());
    const std::uint64_t from = read->sections[1].offset + page_bytes;
    EXPECT_NE(refused.error().sentence.find("section 1"), std::string::npos) << refused.error().sentence;
    EXPECT_NE(refused.error().sentence.find(std::to_string(from)), std::string::npos) << refused.error().sentence;
    EXPECT_NE(refused.error().sentence.find(std::to_string(from + 63)), std::string::npos) << refused.error().sentence;
}

TEST(format_v1, a_file_of_another_length_is_refused) {
    const std::vector<words> sections{random_words(2, 6)};
    const auto bytes = header(example(), spans_of(sections));
    const std::uint64_t right = bytes.size() + bytes_of(sections);
    for (const std::uint64_t wrong : {bytes.size(), right - 1, right - 64, right + 1, right + 64, ~std::uint64_t{0}}) {
        EXPECT_FALSE(parse(bytes, wrong).has_value()) << wrong;
    }
}

TEST(format_v1, every_truncation_of_a_header_is_refused) {
    const std::vector<words> sections{random_words(2, 7)};
    const auto bytes = header(example(), spans_of(sections));
    for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
        const std::span<const std::byte> start(bytes.data(), kept);
        ASSERT_FALSE(parse(start, bytes.size() + bytes_of(sections)).has_value()) << kept;
        ASSERT_FALSE(parse(start, kept).has_value()) << kept;
    }
}

TEST(format_v1, an_agreement_of_nothing_has_no_rate) {
    file_description file = example();
    file.agreed_items = 0;
    file.agreed_fpr = 0;
    const std::vector<words> sections{random_words(1, 8)};
    EXPECT_TRUE(parse(header(file, spans_of(sections)), header(file, spans_of(sections)).size() + 64).has_value());
    file.agreed_fpr = 0.5;
    EXPECT_FALSE(parse(header(file, spans_of(sections)), header(file, spans_of(sections)).size() + 64).has_value());
    file.agreed_items = 5;
    for (const double not_a_rate : {0.0, 1.0, -0.5, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
        file.agreed_fpr = not_a_rate;
        const auto bytes = header(file, spans_of(sections));
        EXPECT_FALSE(parse(bytes, bytes.size() + 64).has_value()) << not_a_rate;
    }
}

} // namespace
} // namespace everbloom::v1
