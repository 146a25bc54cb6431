// Batches of filters that have kernels of their own against the same keys one by one: same outcomes, same cells.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/bloom/bloom.hpp>
#include <everbloom/filter/cells/collision.hpp>
#include <everbloom/filter/cells/counting.hpp>
#include <everbloom/filter/cells/dfp.hpp>
#include <everbloom/filter/cells/dfp_batch.hpp>
#include <everbloom/filter/cells/quaternary.hpp>
#include <everbloom/filter/cells/ternary.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::must;
using support::snapshot_of;

/// Few cells, so that positions repeat and counters saturate, and many, so that they do not.
constexpr std::uint64_t cell_counts[] = {1, 7, 40, 1000, 30'000};
/// So many bytes that their words are sent for before they are needed.
constexpr std::uint64_t far_bits = 32 * 1024 * 1024;

template <class Filter>
void compare_with_single_keys(Filter batches, Filter singles, std::uint64_t seed) {
    support::dice random(seed);
    std::vector<digest> pool(200);
    for (digest& item : pool) item = {random.word(), random.word()};
    for (const std::size_t count : {1, 31, 32, 33, 100, 300}) {
        std::vector<digest> items(count); // of the pool, some twice, and some keys that are nowhere
        for (digest& item : items) {
            item = random.one_in(4) ? digest{random.word(), random.word()} : pool[random.below(pool.size())];
        }
        std::vector<insert_outcome> inserted(count);
        batches.insert(items, inserted);
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(inserted[i], singles.insert(items[i])) << i << " of " << count;
        ASSERT_EQ(snapshot_of(batches), snapshot_of(singles));

        std::vector<digest> asked = pool;
        for (int i = 0; i < 100; ++i) asked.push_back({random.word(), random.word()});
        std::vector<std::uint8_t> answers(asked.size(), 7);
        batches.may_contain(asked, answers);
        for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(answers[i] != 0, singles.may_contain(asked[i])) << i;

        if constexpr (requires { singles.erase(asked[0]); }) {
            std::vector<erase_outcome> erased(asked.size());
            batches.erase(asked, erased);
            for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(erased[i], singles.erase(asked[i])) << i;
            ASSERT_EQ(snapshot_of(batches), snapshot_of(singles));
        }
    }
}

TEST(cell_batches, of_counting_are_those_of_single_keys) {
    for (std::uint64_t hashes = 1; hashes <= 14; ++hashes) {
        for (const std::uint64_t cells : cell_counts) {
            for (const std::uint64_t counter_bits : {2, 3, 4}) { // with the kernels and without
                SCOPED_TRACE(testing::Message() << hashes << " hashes, " << cells << " cells of " << counter_bits);
                const counting_spec spec{cells * counter_bits, hashes, counter_bits};
                compare_with_single_keys(must(make<counting_filter>(spec)), must(make<counting_filter>(spec)), cells);
            }
        }
    }
}

TEST(cell_batches, of_dfp_are_those_of_single_keys) {
    for (std::uint64_t hashes = 1; hashes <= 14; ++hashes) {
        for (const std::uint64_t cells : cell_counts) {
            SCOPED_TRACE(testing::Message() << hashes << " hashes, " << cells << " cells");
            const two_bit_spec spec{cells * 2, hashes};
            compare_with_single_keys(must(make<dfp_filter>(spec)), must(make<dfp_filter>(spec)), cells);
        }
    }
}

TEST(cell_batches, of_bits_with_flags_and_of_pairs_are_those_of_single_keys) {
    for (std::uint64_t hashes = 1; hashes <= 18; ++hashes) {
        for (const std::uint64_t cells : cell_counts) {
            SCOPED_TRACE(testing::Message() << hashes << " hashes, " << cells << " cells");
            const two_bit_spec spec{cells * 2, hashes};
            compare_with_single_keys(must(make<collision_filter>(spec)), must(make<collision_filter>(spec)), cells);
            compare_with_single_keys(must(make<quaternary_filter>(spec)), must(make<quaternary_filter>(spec)), cells);
            const ternary_spec pairs{cells * 2, hashes, static_cast<std::uint64_t>(ternary_cells::twobit)};
            compare_with_single_keys(must(make<ternary_filter>(pairs)), must(make<ternary_filter>(pairs)), cells);
        }
    }
}

// Counters of seven items each on average: many have a neighbour that is half full, and some are stuck.
TEST(cell_batches, of_crowded_counters_are_those_of_single_keys) {
    for (const std::uint64_t hashes : {3, 4, 5, 6, 7, 9}) {
        SCOPED_TRACE(testing::Message() << hashes << " hashes");
        const counting_spec spec{std::uint64_t{4} * 5000, hashes};
        counting_filter batches = must(make<counting_filter>(spec));
        counting_filter singles = must(make<counting_filter>(spec));
        support::dice random(hashes);
        std::vector<digest> items(std::size_t{5000} * 8 / hashes);
        for (digest& item : items) item = {random.word(), random.word()};
        std::vector<insert_outcome> inserted(items.size());
        batches.insert(items, inserted);
        for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(inserted[i], singles.insert(items[i])) << i;
        ASSERT_EQ(snapshot_of(batches), snapshot_of(singles));
        for (std::size_t i = 0; i < items.size(); i += 4) items[i] = {random.word(), random.word()};
        std::vector<erase_outcome> erased(items.size());
        batches.erase(items, erased);
        for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(erased[i], singles.erase(items[i])) << i;
        ASSERT_EQ(snapshot_of(batches), snapshot_of(singles));
    }
}

// Many absent keys in a row change how the keys behind them are looked at.
TEST(cell_batches, of_removals_with_runs_of_absent_keys_are_those_of_single_keys) {
    for (const std::uint64_t hashes : {3, 7, 9}) {
        SCOPED_TRACE(testing::Message() << hashes << " hashes");
        const counting_spec spec{std::uint64_t{4} * 5000, hashes};
        counting_filter batches = must(make<counting_filter>(spec));
        counting_filter singles = must(make<counting_filter>(spec));
        support::dice random(hashes);
        std::vector<digest> items(1000);
        for (digest& item : items) item = {random.word(), random.word()};
        std::vector<insert_outcome> inserted(items.size());
        batches.insert(items, inserted);
        for (const digest& item : items) (void)singles.insert(item);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i / 70 % 2 == 0) items[i] = {random.word(), random.word()};
        }
        std::vector<erase_outcome> erased(items.size());
        batches.erase(items, erased);
        for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(erased[i], singles.erase(items[i])) << i;
        ASSERT_EQ(snapshot_of(batches), snapshot_of(singles));
    }
}

TEST(cell_batches, of_bloom_are_those_of_single_keys) {
    for (std::uint64_t hashes = 1; hashes <= 18; ++hashes) {
        for (const std::uint64_t bits : cell_counts) {
            for (const std::uint64_t scheme : {0, 1, 2}) {
                SCOPED_TRACE(testing::Message() << hashes << " hashes, " << bits << " bits, scheme " << scheme);
                const bloom_spec spec{bits, hashes, scheme};
                compare_with_single_keys(must(make<bloom_filter>(spec)), must(make<bloom_filter>(spec)), bits);
            }
        }
    }
}

TEST(cell_batches, of_large_filters_are_those_of_single_keys) {
    for (const std::uint64_t hashes : {3, 4, 5, 7, 10}) {
        SCOPED_TRACE(testing::Message() << hashes << " hashes");
        const bloom_spec bloom{far_bits, hashes};
        compare_with_single_keys(must(make<bloom_filter>(bloom)), must(make<bloom_filter>(bloom)), 1);
        const two_bit_spec dfp{far_bits, hashes};
        compare_with_single_keys(must(make<dfp_filter>(dfp)), must(make<dfp_filter>(dfp)), 2);
        compare_with_single_keys(must(make<collision_filter>(dfp)), must(make<collision_filter>(dfp)), 2);
        compare_with_single_keys(must(make<quaternary_filter>(dfp)), must(make<quaternary_filter>(dfp)), 2);
        const counting_spec counting{far_bits, hashes};
        compare_with_single_keys(must(make<counting_filter>(counting)), must(make<counting_filter>(counting)), 3);
    }
}

/// Queries in more bytes than any cache holds.
template <class Filter>
void compare_far_queries(const typename Filter::spec_type& spec) {
    SCOPED_TRACE(testing::Message() << Filter::kind_name << ", " << spec.hashes << " hashes");
    Filter filter = must(make<Filter>(spec));
    support::dice random(spec.hashes);
    std::vector<digest> items(1000);
    for (digest& item : items) item = {random.word(), random.word()};
    std::vector<insert_outcome> inserted(items.size());
    filter.insert(items, inserted);
    for (std::size_t i = 0; i < items.size(); i += 3) items[i] = {random.word(), random.word()};
    for (const std::size_t count : {1, 31, 32, 33, 64, 65, 100, 1000}) {
        const std::span<const digest> some = std::span(items).first(count);
        std::vector<std::uint8_t> answers(count, 7);
        filter.may_contain(some, answers);
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(answers[i], filter.may_contain(some[i]) ? 1 : 0) << i << " of " << count;
        }
    }
}

TEST(cell_batches, far_queries_are_those_of_single_keys) {
    constexpr std::uint64_t bits = std::uint64_t{150'000'000};
    for (const std::uint64_t hashes : {1, 2, 3, 7, 16}) {
        compare_far_queries<bloom_filter>({bits, hashes});
        compare_far_queries<dfp_filter>({bits, hashes});
        compare_far_queries<counting_filter>({bits, hashes});
    }
}

#if defined(EVERBLOOM_CELL_KERNEL)
/// The kernels for AVX2, which a processor with AVX-512 does not use for most batches.
template <unsigned Fours, class Filter, class Ask, class Insert, class Erase>
void compare_narrow(std::uint64_t range, const typename Filter::spec_type& spec, Ask ask, Insert insert, Erase erase) {
    const probing how{range, static_cast<unsigned>(spec.hashes), probe_scheme::double_hashing};
    Filter batches = must(make<Filter>(spec));
    Filter singles = must(make<Filter>(spec));
    auto* const words = const_cast<std::uint64_t*>(batches.sections()[0].data());
    support::dice random(range + spec.hashes);
    for (int round = 0; round < 20; ++round) { // of few cells many become saturated
        std::vector<digest> items(100);
        for (digest& item : items) item = {random.word(), random.word()};
        std::vector<insert_outcome> inserted(items.size());
        insert(words, items, inserted, how, [&](digest item) noexcept { return batches.insert(item); });
        for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(inserted[i], singles.insert(items[i])) << i;
        ASSERT_EQ(snapshot_of(batches), snapshot_of(singles));
        for (std::size_t i = 0; i < items.size(); i += 2) items[i] = {random.word(), random.word()};
        std::vector<std::uint8_t> answers(items.size(), 7);
        ask(words, items, answers, how);
        for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(answers[i] != 0, singles.may_contain(items[i])) << i;
        items.resize(50);
        std::vector<erase_outcome> erased(items.size());
        erase(words, items, erased, how, [&](digest item) noexcept { return batches.erase(item); });
        for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(erased[i], singles.erase(items[i])) << i;
        ASSERT_EQ(snapshot_of(batches), snapshot_of(singles));
    }
}

template <unsigned Fours>
void compare_all_narrow(std::uint64_t hashes) {
    for (const std::uint64_t cells : cell_counts) {
        SCOPED_TRACE(testing::Message() << hashes << " hashes, " << cells << " cells");
        compare_narrow<Fours, counting_filter>(
            cells, {cells * 4, hashes}, [](auto&&... of) { kernel::ask_counters<Fours>(of...); },
            [](auto&&... of) { kernel::insert_counters<Fours>(of...); },
            [](auto&&... of) { kernel::erase_counters<Fours>(of...); });
        compare_narrow<Fours, dfp_filter>(
            cells, {cells * 2, hashes}, [](auto&&... of) { kernel::ask_fingerprints<Fours>(of...); },
            [](auto&&... of) { kernel::insert_fingerprints<Fours>(of...); },
            [](auto&&... of) { kernel::erase_fingerprints<Fours>(of...); });
    }
}

TEST(cell_batches, of_avx2_are_those_of_single_keys) {
    if (!kernel::is_modern()) GTEST_SKIP() << "this processor has no AVX2";
    for (std::uint64_t hashes = 1; hashes <= 4; ++hashes) compare_all_narrow<1>(hashes);
    for (std::uint64_t hashes = 5; hashes <= 8; ++hashes) compare_all_narrow<2>(hashes);
    for (std::uint64_t hashes = 9; hashes <= 12; ++hashes) compare_all_narrow<3>(hashes);
}

template <unsigned Fours>
EVERBLOOM_MODERN void check_places(std::uint64_t range, unsigned hashes, support::dice& random) {
    const probing how{range, hashes, probe_scheme::double_hashing};
    for (int i = 0; i < 200; ++i) {
        const digest item{random.word(), random.word()};
        const position_list all = position_list::all(item, how);
        const position_list different = position_list::distinct(item, how);
        const auto expected = all.get();
        kernel::cell_places<Fours> places;
        kernel::find_places<4>(places, item, range, kernel::lanes_of<Fours>(hashes));
        for (unsigned c = 0; c < 4 * Fours; ++c) {
            const std::uint64_t position = expected[c < hashes ? c : 0];
            const bool is_odd_group = c / 4 + 1 == Fours && Fours % 2 == 1;
            const unsigned lane = c % 4 * 2 + (is_odd_group ? 0 : c / 4 % 2);
            const std::uint32_t index = places.index[c / 8][lane];
            const std::uint32_t shift = places.shift[c / 8][lane];
            ASSERT_EQ(index, position / 8) << c << " of " << hashes << " below " << range;
            ASSERT_EQ(shift, position % 8 * 4) << c << " of " << hashes << " below " << range;
        }
        ASSERT_TRUE(places.may_repeat || different.get().size() == hashes);
    }
}

TEST(cell_batches, have_the_positions_of_the_usual_walk) {
    if (!kernel::is_modern()) GTEST_SKIP() << "this processor has no AVX2";
    support::dice random(1);
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{9}, std::uint64_t{100},
                                      std::uint64_t{1} << 20, (std::uint64_t{1} << 32) - 1}) {
        for (unsigned hashes = 1; hashes <= 4; ++hashes) check_places<1>(range, hashes, random);
        for (unsigned hashes = 5; hashes <= 8; ++hashes) check_places<2>(range, hashes, random);
        for (unsigned hashes = 9; hashes <= 12; ++hashes) check_places<3>(range, hashes, random);
    }
    EXPECT_FALSE(kernel::takes_cells({std::uint64_t{1} << 32, 4, probe_scheme::double_hashing}));
    EXPECT_FALSE(kernel::takes_cells({1000, 13, probe_scheme::double_hashing}));
    EXPECT_FALSE(kernel::takes_cells({1000, 4, probe_scheme::independent}));
}
#endif

} // namespace
} // namespace everbloom
