// Batches of counting and dfp filters, which have a kernel of their own, against the same keys one by one: same outcomes, same cells.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/cells/counting.hpp>
#include <everbloom/filter/cells/dfp.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::must;
using support::snapshot_of;

/// Few cells, so that positions repeat and counters saturate, and many, so that they do not.
constexpr std::uint64_t cell_counts[] = {1, 7, 40, 1000, 30'000};

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

        std::vector<erase_outcome> erased(asked.size());
        batches.erase(asked, erased);
        for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(erased[i], singles.erase(asked[i])) << i;
        ASSERT_EQ(snapshot_of(batches), snapshot_of(singles));
    }
}

TEST(cell_batches, of_counting_are_those_of_single_keys) {
    for (std::uint64_t hashes = 1; hashes <= 14; ++hashes) {
        for (const std::uint64_t cells : cell_counts) {
            for (const std::uint64_t counter_bits : {3, 4}) { // with the kernel and without
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

#if defined(EVERBLOOM_CELL_KERNEL)
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
