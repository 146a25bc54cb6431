// Lines with a writer beside readers: the same answers and the same bits as lines of one thread, from scalar and from vector code.
#include "support/dice.hpp"

#include <everbloom/filter/kernel/shared_line.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom::kernel {
namespace {

struct alignas(line_bytes) tested_line {
    line_mask words{};
    friend bool operator==(const tested_line&, const tested_line&) = default;
};

tested_line random_line(support::dice& random, int ones_in_four) {
    tested_line made;
    for (std::uint64_t& word : made.words) {
        word = random.word();
        if (ones_in_four == 1) word &= random.word();
        if (ones_in_four == 3) word |= random.word();
    }
    return made;
}

class shared_line_of : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(hashes, shared_line_of, ::testing::Range(1u, max_line_hashes + 1));

TEST_P(shared_line_of, contains_what_a_plain_line_contains) {
    support::dice random(GetParam());
    for (int i = 0; i < 5000; ++i) {
        tested_line here = random_line(random, 1 + i % 3);
        const std::uint64_t hash = random.word();
        if (i % 2 == 0) line_insert(here.words.data(), hash, GetParam());
        const bool expected = line_contains(here.words.data(), hash, GetParam());
        ASSERT_EQ(shared_contains(here.words.data(), hash, GetParam()), expected);
        ASSERT_EQ(shared_contains_scalar(here.words.data(), hash, GetParam()), expected);
    }
}

TEST_P(shared_line_of, gets_the_bits_that_a_plain_line_gets) {
    support::dice random(100 + GetParam());
    for (int i = 0; i < 5000; ++i) {
        tested_line expected = random_line(random, 1 + i % 3);
        tested_line here = expected;
        const std::uint64_t hash = random.word();
        line_insert(expected.words.data(), hash, GetParam());
        shared_insert(here.words.data(), hash, GetParam());
        ASSERT_EQ(here, expected);
    }
}

TEST(shared_line, unites_with_masks_and_is_replaced_by_them_wherever_they_lie) {
    support::dice random(3);
    for (std::size_t offset = 0; offset < line_words; ++offset) {
        alignas(line_bytes) std::array<std::uint64_t, 2 * line_words> memory{};
        for (std::uint64_t& word : memory) word = random.word();
        const auto& mask = *reinterpret_cast<const line_mask*>(memory.data() + offset);
        const tested_line before = random_line(random, 1);
        tested_line expected = before;
        for (std::size_t i = 0; i < line_words; ++i) expected.words[i] |= mask[i];
        for (const auto unite : {&shared_unite, &shared_unite_scalar}) {
            tested_line here = before;
            unite(here.words.data(), mask);
            ASSERT_EQ(here, expected) << offset;
        }
        for (const auto replace : {&shared_replace, &shared_replace_scalar}) {
            tested_line here = before;
            replace(here.words.data(), mask);
            ASSERT_EQ(here.words, mask) << offset;
        }
    }
}

TEST(shared_line, batches_of_any_length_answer_as_single_queries_do) {
    support::dice random(4);
    constexpr std::uint64_t count = 97;
    std::vector<tested_line> lines(count);
    const line_array<const std::uint64_t> array{lines.front().words.data(), count, lanes};
    std::vector<digest> items(300);
    for (digest& item : items) item = {random.word(), random.word()};
    for (std::size_t i = 0; i < items.size(); i += 2) {
        line_insert(const_cast<std::uint64_t*>(array.line_of(items[i])), items[i].high, lanes);
    }
    for (std::size_t length = 0; length <= items.size(); length += length < 140 ? 1 : 40) {
        std::vector<std::uint8_t> answers(length + 1, 7);
        shared_contains(array, std::span(items).first(length), std::span(answers).first(length));
        for (std::size_t i = 0; i < length; ++i) {
            ASSERT_EQ(answers[i], line_contains(array.line_of(items[i]), items[i].high, lanes)) << i;
        }
        ASSERT_EQ(answers[length], 7) << "behind the end";
    }
}

} // namespace
} // namespace everbloom::kernel
