// Sparse Bloom filters with double hashing: members that share start and step with an absent key matter more than chance. The model and
// the FPR that `show` states know of them.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/model/bloom/bloom.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

struct sparse_setting {
    std::uint64_t bits;
    std::uint64_t hashes;
    std::uint64_t items;
};

TEST(sparse_bloom_filter, has_the_fpr_that_model_and_cells_say) {
    constexpr std::uint64_t filters = 600;
    constexpr std::uint64_t queries = 40'000;
    for (const auto& [bits, hashes, items] : {sparse_setting{64, 4, 2}, {128, 4, 3}, {256, 5, 5}}) {
        const bloom_spec spec{.bits = bits, .hashes = hashes};
        double found = 0;
        double said_by_cells = 0;
        for (std::uint64_t i = 0; i < filters; ++i) {
            auto filter = must(make<bloom_filter>(spec));
            const key_family members(2 * i);
            const key_family others(2 * i + 1);
            for (std::uint64_t key = 0; key < items; ++key) filter.insert(members[key]);
            for (std::uint64_t key = 0; key < queries; ++key) found += filter.may_contain(others[key]) ? 1 : 0;
            said_by_cells += bloom_model::measure(filter).fpr / filters;
        }
        const double measured = found / (filters * queries);
        // 450 false positives in the last setting: 15 % are three standard deviations. Independent positions would have half of them.
        EXPECT_NEAR(*bloom_model::predict(spec, {items}).fpr / measured, 1, 0.15) << bits;
        EXPECT_NEAR(said_by_cells / measured, 1, 0.15) << bits;
    }
}

} // namespace
} // namespace everbloom
