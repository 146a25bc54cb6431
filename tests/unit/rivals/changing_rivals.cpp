// Rivals that take keys one by one: no false negatives, the FPR of their formulas, a full table says so and has changed nothing, and
// random operations agree with an exact multiset.
#include "lab/rivals/cuckoo.hpp"
#include "lab/rivals/infini.hpp"
#include "lab/rivals/quotient_filter.hpp"
#include "lab/rivals/taffy_block.hpp"
#include "support/dice.hpp"
#include "support/multiset_oracle.hpp"
#include "support/rounds.hpp"
#include "unit/rivals/rival_keys.hpp"

namespace everbloom::support {
namespace {

using namespace lab::rivals;

std::uint64_t fill(growing_rival& filled, std::span<const digest> keys) {
    std::uint64_t taken = 0;
    for (const digest& one : keys) {
        if (!succeeded(filled.insert(one))) break;
        ++taken;
    }
    return taken;
}

/// Random insertions and removals of members; every member is found at every moment, and every removal of a member succeeds.
void expect_multiset(growing_rival& filter, std::uint64_t most_copies) {
    const std::vector<digest> keys = rival_keys(random_stream::members, 2 * most_copies);
    multiset_oracle truth(keys.size());
    const trial_randomness dice(3, 1);
    std::uint64_t throws = 0;
    std::uint64_t copies = 0; // of all members
    for (std::uint64_t step = 0; step < rounds(4 * most_copies); ++step) {
        const bool adds = truth.members().empty() || (dice.choose(throws++, 5) < 3 && copies < most_copies);
        if (adds) {
            const std::uint64_t key = dice.choose(throws++, keys.size());
            if (truth.count(key) >= 2) continue; // a cuckoo filter has room for eight copies of a key
            ASSERT_TRUE(succeeded(filter.insert(keys[key])));
            truth.add(key);
            ++copies;
        } else {
            const std::uint64_t key = truth.members()[dice.choose(throws++, truth.members().size())];
            ASSERT_TRUE(succeeded(filter.erase(keys[key])));
            truth.remove(key);
            --copies;
        }
        if (step % 97 != 0) continue;
        for (const std::uint64_t key : truth.members()) ASSERT_TRUE(filter.contains(keys[key]));
    }
    while (!truth.members().empty()) {
        const std::uint64_t key = truth.members().back();
        ASSERT_TRUE(succeeded(filter.erase(keys[key])));
        truth.remove(key);
    }
    // Nothing is left: an empty filter has no false positives.
    EXPECT_EQ(positives(filter, keys), 0U);
}

TEST(cuckoo_rival, has_the_rate_of_its_formula_and_no_false_negatives) {
    for (const unsigned bits : {6U, 8U, 12U}) {
        cuckoo_filter filter(11, bits);
        const auto members = rival_keys(random_stream::members, filter.cells() * 9 / 10);
        ASSERT_EQ(fill(filter, members), members.size());
        expect_rates(filter, members, cuckoo_filter::model_fpr(bits, filter.load()));
        EXPECT_EQ(filter.bits(), filter.cells() * bits);
    }
}

TEST(cuckoo_rival, is_full_at_the_load_of_the_paper_and_then_unchanged) {
    cuckoo_filter filter(12, 12);
    const auto members = rival_keys(random_stream::members, filter.cells());
    const std::uint64_t taken = fill(filter, members);
    EXPECT_GT(filter.load(), 0.95) << "the paper: 95 % with buckets of four";
    ASSERT_LT(taken, members.size());
    // The next one may find a way by other moves; the first that does not must leave everything as it was.
    std::vector<digest> inside(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(taken));
    const auto absent = rival_keys(random_stream::absent, 20'000);
    bool refused = false;
    for (std::uint64_t next = taken + 1; !refused && next < members.size(); ++next) {
        const std::uint64_t before = positives(filter, absent);
        const insert_outcome outcome = filter.insert(members[next]);
        refused = outcome == insert_outcome::full_bucket;
        if (!refused) {
            ASSERT_EQ(outcome, insert_outcome::inserted);
            inside.push_back(members[next]);
            continue;
        }
        EXPECT_EQ(positives(filter, inside), inside.size());
        EXPECT_EQ(positives(filter, absent), before);
    }
    EXPECT_TRUE(refused);
}

TEST(cuckoo_rival, random_operations_lose_no_member) {
    cuckoo_filter filter(8, 12);
    expect_multiset(filter, 800);
}

TEST(cuckoo_rival, reads_two_cache_lines_at_most) {
    cuckoo_filter filter(12, 8);
    line_log log;
    for (const digest& one : rival_keys(random_stream::absent, 1000)) {
        log.clear();
        (void)filter.contains(one, &log);
        EXPECT_GE(log.lines(), 1U);
        EXPECT_LE(log.lines(), 2U);
    }
}

TEST(quotient_rival, has_the_rate_of_its_formula_and_no_false_negatives) {
    for (const unsigned bits : {4U, 7U, 9U}) {
        quotient_filter filter(13, bits, quotient_filter::resizing::never);
        const auto members = rival_keys(random_stream::members, (std::uint64_t{1} << 13) * 89 / 100);
        ASSERT_EQ(fill(filter, members), members.size());
        expect_rates(filter, members, quotient_filter::model_fpr(bits, filter.load()));
    }
}

TEST(quotient_rival, random_operations_lose_no_member) {
    quotient_filter fixed(10, 12, quotient_filter::resizing::never);
    expect_multiset(fixed, 880);
    quotient_filter growing(4, 20, quotient_filter::resizing::doubles);
    expect_multiset(growing, 900);
}

TEST(quotient_rival, doubles_until_one_bit_is_left_and_then_refuses) {
    quotient_filter filter(6, 4, quotient_filter::resizing::doubles);
    const auto members = rival_keys(random_stream::members, 2000);
    const std::uint64_t taken = fill(filter, members);
    EXPECT_EQ(taken, 461U) << "0.9 of 2^9 slots";
    EXPECT_EQ(filter.remainder_bits(), 1U);
    EXPECT_EQ(filter.insert(members[taken]), insert_outcome::growth_refused);
    expect_rates(filter, std::span(members.data(), taken), quotient_filter::model_fpr(1, filter.load()));
}

TEST(quotient_rival, a_table_that_may_not_double_is_full) {
    quotient_filter filter(8, 8, quotient_filter::resizing::never);
    const auto members = rival_keys(random_stream::members, 300);
    EXPECT_EQ(fill(filter, members), 231U);
    EXPECT_EQ(filter.insert(members[250]), insert_outcome::growth_refused);
}

TEST(expandable_rival, the_rate_grows_with_the_expansions_as_its_formula_says) {
    expandable_filter filter(6, 9);
    const auto members = rival_keys(random_stream::members, 50'000);
    std::uint64_t inside = 0;
    for (const std::uint64_t moment : {50U, 700U, 7000U, 50'000U}) {
        inside += fill(filter, std::span(members).subspan(inside, moment - inside));
        ASSERT_EQ(inside, moment);
        SCOPED_TRACE(filter.expansions());
        EXPECT_EQ(positives(filter, std::span(members.data(), inside)), inside);
        // The formula takes loads at which the table doubled for granted; small tables vary. A tenth either way.
        const auto absent = rival_keys(random_stream::absent, 200'000);
        const double measured = static_cast<double>(positives(filter, absent)) / 200'000;
        const double said = expandable_filter::model_fpr(9, filter.expansions(), filter.load());
        if (moment > 700) {
            EXPECT_NEAR(measured / said, 1, 0.1);
        }
    }
    EXPECT_EQ(filter.expansions(), 10U);
}

TEST(expandable_rival, void_entries_are_copied_and_never_lost) {
    expandable_filter filter(4, 3);
    const auto members = rival_keys(random_stream::members, 1000);
    ASSERT_EQ(fill(filter, members), members.size());
    EXPECT_GT(filter.void_entries(), 0U);
    EXPECT_EQ(positives(filter, members), members.size());
    std::uint64_t refused = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const erase_outcome outcome = filter.erase(members[i]);
        ASSERT_NE(outcome, erase_outcome::not_present);
        refused += outcome == erase_outcome::not_deletable ? 1 : 0;
        for (std::size_t j = i + 1; j < members.size(); j += 29) ASSERT_TRUE(filter.contains(members[j]));
    }
    EXPECT_GT(refused, 0U) << "void entries cannot be erased";
}

TEST(expandable_rival, random_operations_lose_no_member) {
    expandable_filter filter(6, 16);
    expect_multiset(filter, 900);
}

TEST(taffy_rival, stays_below_its_target_while_it_grows_a_thousand_times) {
    taffy_block_filter filter(64, 0.01);
    const auto members = rival_keys(random_stream::members, 65'000);
    ASSERT_EQ(fill(filter, members), members.size());
    EXPECT_EQ(filter.filters(), 10U);
    EXPECT_EQ(positives(filter, members), members.size());
    const auto absent = rival_keys(random_stream::absent, 200'000);
    const double measured = static_cast<double>(positives(filter, absent)) / 200'000;
    EXPECT_LT(measured, 0.01);
    EXPECT_GT(measured, 0.003) << "suspiciously good: nine full filters of ten";
    line_log log;
    (void)filter.contains(absent.front(), &log);
    EXPECT_EQ(log.lines(), 10U);
    EXPECT_EQ(filter.erase(members.front()), erase_outcome::unsupported);
}

TEST(taffy_rival, a_full_block_filter_has_the_rate_of_its_formula) {
    constexpr std::uint64_t keys = 20'000;
    taffy_block_filter filter(keys, 0.01);
    const auto members = rival_keys(random_stream::members, keys);
    ASSERT_EQ(fill(filter, members), keys);
    const double fpr = taffy_block_filter::block_fpr(static_cast<double>(filter.bits()) / keys);
    EXPECT_NEAR(fpr, 0.01 * 0.6079, 1e-4); // whole blocks
    const auto absent = rival_keys(random_stream::absent, 200'000);
    EXPECT_NEAR(static_cast<double>(positives(filter, absent)) / 200'000 / fpr, 1, 0.2);
}

} // namespace
} // namespace everbloom::support
