// Operations on both buckets of a fingerprint in registers: the same answers and cells as plain operations, in tables with nothing around them.
#include "support/dice.hpp"
#include "support/fenced_words.hpp"
#include "support/plain_dleft_layout.hpp"

#include <everbloom/filter/dleft/dleft_operations.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#if defined(EVERBLOOM_PACKED_KERNEL)

namespace everbloom {
namespace {

/// A table of exactly as many words as its cells take, and a twin that is changed cell by cell.
class fenced_table {
public:
    fenced_table(const dleft_spec& spec, support::fenced_words& memory, support::fenced_words::side at)
        : layout_(spec), plain_layout_(support::plain_dleft_layout(spec)), plain_words_(spec.bits() / word_bits),
          words_(memory.put(plain_words_, at)), plain_(plain_layout_, plain_words_.data()) {}

    [[nodiscard]] bool is_possible() const { return layout_.pair.calls.hold != nullptr; }

    void operate(std::uint64_t low, bool removes) {
        const dleft_operations plain(plain_);
        const std::uint64_t fingerprint = layout_.places.fingerprint({low, 0});
        const std::uint64_t copies = plain.count(fingerprint);
        ASSERT_EQ(layout_.pair.calls.hold(layout_, words_, low),
                  copies != 0 ? packed_answer::holds : packed_answer::lacks);
        if (removes) {
            if (!layout_.pair.calls.erase_lone(layout_, words_, low)) {
                const dleft_table<std::uint64_t> table(plain_layout_, words_);
                ASSERT_EQ(dleft_operations(table).erase(fingerprint), plain.erase(fingerprint));
            } else {
                ++done_here_;
                ASSERT_EQ(plain.erase(fingerprint), erase_outcome::removed);
            }
        } else {
            if (!layout_.pair.calls.insert_lone(layout_, words_, low)) {
                const dleft_table<std::uint64_t> table(plain_layout_, words_);
                dleft_history history;
                dleft_history plain_history;
                ASSERT_EQ(dleft_operations(table).insert(fingerprint, 1, 0, history),
                          plain.insert(fingerprint, 1, 0, plain_history));
            } else {
                ++done_here_;
                dleft_history history;
                ASSERT_EQ(plain.insert(fingerprint, 1, 0, history), insert_outcome::inserted);
                ASSERT_EQ(copies, 0u);
            }
        }
    }
    [[nodiscard]] bool equals_its_twin() const { return std::equal(plain_words_.begin(), plain_words_.end(), words_); }
    void ask(const std::vector<digest>& items) const {
        std::vector<std::uint8_t> answers(items.size() + 1, 7);
        layout_.pair.calls.hold_all(layout_, words_, items, answers.data());
        const dleft_operations plain(plain_);
        for (std::size_t i = 0; i < items.size(); ++i) {
            ASSERT_EQ(answers[i], plain.count(layout_.places.fingerprint(items[i])) != 0 ? 1 : 0);
        }
        ASSERT_EQ(answers.back(), 7);
    }
    [[nodiscard]] std::uint64_t done_here() const { return done_here_; }

private:
    dleft_layout layout_;
    dleft_layout plain_layout_;
    std::vector<std::uint64_t> plain_words_;
    std::uint64_t* words_;
    dleft_table<std::uint64_t> plain_;
    std::uint64_t done_here_ = 0;
};

TEST(dleft_pair, operations_make_the_same_cells_as_plain_ones_at_both_ends_of_memory) {
    support::dice random(33);
    support::fenced_words memory(std::size_t{8} * 32);
    unsigned shapes = 0;
    for (std::uint64_t remainder = 4; remainder <= 31; ++remainder) {
        for (std::uint64_t counter = 1; remainder + counter <= 32 && counter <= 3; ++counter) {
            for (const std::uint64_t buckets : {1, 2, 8}) {
                const dleft_spec spec{2, buckets, 32, remainder, counter, 0};
                for (const auto at : {support::fenced_words::side::front, support::fenced_words::side::back}) {
                    fenced_table table(spec, memory, at);
                    if (!table.is_possible()) continue;
                    ++shapes;
                    const std::uint64_t some = 2 * spec.cells(); // so that keys come again, and buckets become full
                    std::vector<digest> items(40);
                    for (std::uint64_t round = 0; round < 2 * spec.cells(); ++round) {
                        std::uint64_t low = random.below(some) * 0x9e3779b97f4a7c15;
                        if (random.one_in(30)) low = low << remainder; // remainder 0
                        ASSERT_NO_FATAL_FAILURE(table.operate(low, random.one_in(3)))
                            << remainder << " + " << counter << ", " << buckets;
                        items[round % items.size()] = {low, 0};
                        if (round % 32 != 0) continue;
                        ASSERT_TRUE(table.equals_its_twin()) << remainder << " + " << counter;
                    }
                    ASSERT_TRUE(table.equals_its_twin()) << remainder << " + " << counter;
                    ASSERT_NO_FATAL_FAILURE(table.ask(items));
                    ASSERT_NO_FATAL_FAILURE(table.ask({}));
                    if (buckets == 8) {
                        EXPECT_GT(table.done_here(), spec.cells() / 4);
                    }
                }
            }
        }
    }
    if (shapes == 0) GTEST_SKIP() << "this processor has no AVX-512 VBMI";
}

TEST(dleft_pair, is_only_for_two_subtables_of_buckets_of_32_cells) {
    for (const dleft_spec& spec : {dleft_spec{4, 8, 8, 14, 2, 0},
                                   {3, 8, 32, 14, 2, 0},
                                   {4, 8, 8, 12, 2, 0},
                                   {3, 8, 32, 12, 2, 0},
                                   {2, 8, 16, 12, 2, 0},
                                   {2, 8, 32, 30, 1, 0},
                                   {2, 8, 32, 32, 1, 0},
                                   {2, 8, 32, 32, 16, 0}}) {
        EXPECT_EQ(dleft_layout(spec).pair.calls.hold, nullptr) << spec.remainder_bits << " + " << spec.counter_bits;
    }
}

} // namespace
} // namespace everbloom
#endif
