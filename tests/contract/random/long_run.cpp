// Promise 1: a million random operations on each kind, three times, beside the exact truth, with a sweep over all members every
// hundred thousand. FN = 0.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/multiset_oracle.hpp"
#include "support/rounds.hpp"
#include "support/subject.hpp"

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class long_run : public ::testing::TestWithParam<kind_pointer> {
protected:
    static constexpr std::uint64_t planned = 10'000;
    static constexpr std::uint64_t universe = 4 * planned;

    void live(std::uint64_t seed, std::uint64_t operations) {
        const key_family keys(seed);
        for (std::uint64_t key = 0; key < universe; ++key) digests_.push_back(keys[key]);
        dice random(seed);
        const std::uint64_t sweep_every = std::max<std::uint64_t>(operations / 10, 1);
        for (std::uint64_t done = 1; done <= operations; ++done) {
            operate(random);
            if (done % sweep_every == 0) sweep();
            if (HasFatalFailure()) {
                FAIL() << "operation " << done << ", seed " << seed;
            }
        }
        // A filter that shrinks on its way holds fewer at its fullest.
        const std::uint64_t expected = kind_.can(capability::shrink) ? planned / 5 : planned / 3;
        EXPECT_GT(most_members_, std::min(operations / 5, expected)) << "the filter was hardly used";
    }

private:
    void operate(dice& random) {
        const std::uint64_t roll = random.below(100'000);
        if (roll < 3) return rebuild();
        if (roll < 6) return resize(random);
        if (roll < 8 || truth_.members().size() > 2 * planned) return clear();
        // Around the planned number of members: more come below it, more leave above it.
        const std::uint64_t coming = truth_.members().size() < planned ? 55'000 : 40'000;
        if (roll < coming) return insert(random.one_in(5) ? member(random) : random.below(universe));
        if (roll < 90'000 && erases_) return erase(member(random));
        if (roll < 95'000 && erases_) return erase(random.below(universe));
        const std::uint64_t key = member(random);
        ASSERT_TRUE(!truth_.has(key) || filter_->may_contain(digests_[key])) << "key " << key;
    }

    /// A random member, or any key if there is none.
    std::uint64_t member(dice& random) const {
        if (truth_.members().empty()) return random.below(universe);
        return truth_.members()[random.below(truth_.members().size())];
    }

    void insert(std::uint64_t key) {
        if (succeeded(filter_->insert(digests_[key]))) truth_.add(key);
        most_members_ = std::max<std::uint64_t>(most_members_, truth_.members().size());
        ASSERT_TRUE(!truth_.has(key) || filter_->may_contain(digests_[key])) << "key " << key;
    }

    /// Members leave if they can; strangers are tried only where the judgement refuses them.
    void erase(std::uint64_t key) {
        const erase_outcome judged = filter_->can_erase(digests_[key]);
        ASSERT_TRUE(filter_->may_contain(digests_[key]) || judged == erase_outcome::not_present);
        ASSERT_TRUE(!truth_.has(key) || judged != erase_outcome::not_present) << "key " << key;
        if (!truth_.has(key) && succeeded(judged)) return;
        ASSERT_EQ(filter_->erase(digests_[key]), judged);
        if (succeeded(judged)) truth_.remove(key);
        ASSERT_TRUE(!truth_.has(key) || filter_->may_contain(digests_[key])) << "key " << key;
    }

    void clear() {
        filter_->clear();
        truth_.clear();
    }

    void rebuild() {
        filter_ = filter_->reassembled();
        sweep();
    }

    /// What only grows must not fill the machine.
    void resize(dice& random) {
        constexpr std::uint64_t most_words = std::uint64_t{1} << 20;
        std::uint64_t words = 0;
        for (const std::uint64_t section : filter_->section_words()) words += section;
        if (kind_.can(capability::grow) && random.one_in(2) && words < most_words) (void)filter_->grow();
        if (kind_.can(capability::shrink) && random.one_in(2)) (void)filter_->shrink();
        sweep();
    }

    void sweep() {
        for (const std::uint64_t key : truth_.members()) {
            ASSERT_TRUE(filter_->may_contain(digests_[key])) << "key " << key << " of " << truth_.members().size();
        }
    }

    const subject_kind& kind_ = *GetParam();
    const bool erases_ = kind_.can(capability::erase) && kind_.keeps_members;
    std::unique_ptr<subject> filter_ = make_planned(kind_, planned, 0.01);
    multiset_oracle truth_{universe};
    std::vector<digest> digests_;
    std::uint64_t most_members_ = 0;
};

INSTANTIATE_TEST_SUITE_P(kinds, long_run, ::testing::ValuesIn(subjects_that_can(capability::insert)), subject_name);

TEST_P(long_run, has_no_false_negative_with_the_first_seed) { live(1, rounds(1'000'000)); }
TEST_P(long_run, has_no_false_negative_with_the_second_seed) { live(2, rounds(1'000'000)); }
TEST_P(long_run, has_no_false_negative_with_the_third_seed) { live(3, rounds(1'000'000)); }

} // namespace
} // namespace everbloom
