// Whatever code a table's shape and the processor choose, the cells are those of the plain operations, to the bit.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/plain_dleft_layout.hpp"

#include <everbloom/core/digests_on_demand.hpp>
#include <everbloom/filter/dleft/dleft.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace everbloom {
namespace {

using support::key_family;
using support::must;

/// A table that is changed cell by cell.
class plain_twin {
public:
    explicit plain_twin(const dleft_spec& spec)
        : spec_(spec), layout_(support::plain_dleft_layout(spec)),
          words_(dleft_filter::section_lines(spec)[0] * line_words) {}

    insert_outcome insert(const digest& item) {
        return operations().insert(fingerprint(item), 1, static_cast<unsigned>(spec_.move), history_);
    }
    erase_outcome erase(const digest& item) { return operations().erase(fingerprint(item)); }
    [[nodiscard]] bool holds(const digest& item) { return operations().count(fingerprint(item)) != 0; }
    [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }

private:
    [[nodiscard]] dleft_operations<dleft_table<std::uint64_t>> operations() {
        table_.emplace(layout_, words_.data());
        return dleft_operations(*table_);
    }
    [[nodiscard]] std::uint64_t fingerprint(const digest& item) const { return layout_.places.fingerprint(item); }

    dleft_spec spec_;
    dleft_layout layout_;
    std::vector<std::uint64_t> words_;
    std::optional<dleft_table<std::uint64_t>> table_;
    dleft_history history_;
};

const std::vector<dleft_spec>& shapes() {
    static const std::vector<dleft_spec> all = [] {
        std::vector<dleft_spec> made{{4, 16, 8, 14, 2, 1},  {2, 8, 32, 15, 1, 3},  {2, 8, 32, 14, 2, 3},
                                     {3, 8, 16, 13, 3, 2},  {2, 16, 24, 14, 2, 2}, {3, 16, 7, 11, 2, 2},
                                     {1, 4, 64, 10, 1, 0},  {8, 4, 8, 9, 2, 2},    {2, 2, 32, 15, 1, 2},
                                     {3, 16, 32, 15, 1, 2}, {5, 8, 40, 6, 3, 2}};
        for (std::uint64_t remainder = 4; remainder <= 30; ++remainder) { // both forms of packed cells, and wider ones
            made.push_back({2, 4, 32, remainder, 1 + remainder % 3, remainder % 2});
            made.push_back({4, 8, 8, remainder, 2, remainder % 2});
        }
        return made;
    }();
    return all;
}

TEST(dleft_code, single_operations_make_the_same_cells_as_plain_code) {
    support::dice random(31);
    for (const dleft_spec& spec : shapes()) {
        auto filter = must(make<dleft_filter>(spec));
        plain_twin twin(spec);
        const key_family keys(spec.remainder_bits);
        const std::uint64_t some = spec.cells(); // so that keys come again, and buckets become full
        for (std::uint64_t round = 0; round < 4 * spec.cells(); ++round) {
            const digest item = random.one_in(50) ? digest{random.below(4) << spec.remainder_bits, 0} // remainder 0
                                                  : keys[random.below(some)];
            ASSERT_EQ(filter.may_contain(item), twin.holds(item));
            if (filter.in_line()) {
                ASSERT_EQ(filter.may_contain_in_line(item), twin.holds(item));
            }
            if (random.one_in(3)) {
                const bool in_line = filter.in_line() && random.one_in(2);
                ASSERT_EQ(in_line ? filter.erase_in_line(item) : filter.erase(item), twin.erase(item));
            } else {
                ASSERT_EQ(filter.insert(item), twin.insert(item));
            }
        }
        ASSERT_TRUE(std::ranges::equal(filter.sections()[0], twin.words())) << spec.remainder_bits;
    }
}

TEST(dleft_code, batches_make_the_same_cells_as_plain_code) {
    support::dice random(32);
    for (const dleft_spec& spec : shapes()) {
        auto filter = must(make<dleft_filter>(spec));
        plain_twin twin(spec);
        const key_family keys(spec.remainder_bits);
        const std::uint64_t some = spec.cells();
        for (int round = 0; round < 12; ++round) {
            std::vector<digest> items(random.below(600));
            for (digest& one : items) one = keys[random.below(some)];
            std::vector<std::uint8_t> answers(items.size());
            std::vector<std::uint8_t> on_demand(items.size());
            filter.may_contain(items, answers);
            filter.may_contain(digests_on_demand(items.size(), [&](std::size_t i) noexcept { return items[i]; }),
                               on_demand);
            for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(answers[i] != 0, twin.holds(items[i]));
            ASSERT_EQ(on_demand, answers);
            if (random.one_in(3)) {
                std::vector<erase_outcome> outcomes(items.size());
                filter.erase(items, outcomes);
                for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(outcomes[i], twin.erase(items[i]));
            } else {
                std::vector<insert_outcome> outcomes(items.size());
                filter.insert(items, outcomes);
                for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(outcomes[i], twin.insert(items[i]));
            }
        }
        ASSERT_TRUE(std::ranges::equal(filter.sections()[0], twin.words())) << spec.remainder_bits;
    }
}

TEST(dleft_code, batches_of_a_table_beyond_the_second_level_cache_answer_as_single_queries_do) {
    for (const std::uint64_t remainder : {15, 12, 20}) {
        auto filter = must(make<dleft_filter>(dleft_spec{2, 8192, 32, remainder, 1, 0}));
        const key_family keys(remainder);
        const std::vector<digest> items = keys.first(5000);
        for (std::size_t i = 0; i < items.size(); i += 2) (void)filter.insert(items[i]);
        for (const std::size_t count : {0, 1, 15, 16, 17, 33, 5000}) {
            std::vector<std::uint8_t> answers(count + 1, 7);
            filter.may_contain(std::span(items).first(count), answers);
            for (std::size_t i = 0; i < count; ++i) {
                ASSERT_EQ(answers[i], filter.may_contain(items[i]) ? 1 : 0);
                ASSERT_TRUE(answers[i] != 0 || i % 2 != 0);
            }
            ASSERT_EQ(answers.back(), 7);
        }
    }
}

} // namespace
} // namespace everbloom
