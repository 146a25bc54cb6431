#include <everbloom/jobs/shard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace everbloom {
namespace {

// Made with xxhsum -H3 (docs/cluster.md has them as well): other clients follow the same rule, so it never changes.
TEST(shard, is_xxh3_modulo_the_number_of_shards) {
    struct vector_of_rule {
        std::string key;
        std::uint32_t of_12;
        std::uint32_t of_64;
        std::uint32_t of_1000;
    };
    const std::array<vector_of_rule, 6> vectors{{
        {"", 10, 2, 138},
        {"a", 7, 31, 719},
        {"anna", 9, 57, 889},
        {"zo\xC3\xA9", 8, 32, 800},
        {"192.0.2.7", 5, 61, 901},
        {std::string(300, 'x'), 8, 20, 492},
    }};
    for (const vector_of_rule& one : vectors) {
        EXPECT_EQ(shard_of(one.key, 12), one.of_12) << one.key;
        EXPECT_EQ(shard_of(one.key, 64), one.of_64) << one.key;
        EXPECT_EQ(shard_of(one.key, 1000), one.of_1000) << one.key;
        EXPECT_EQ(shard_of(one.key, 1), 0U) << one.key;
    }
}

TEST(shard, spreads_keys_evenly) {
    constexpr std::uint32_t shards = 48;
    constexpr std::uint32_t keys = 480'000;
    std::vector<std::uint32_t> count(shards);
    for (std::uint32_t i = 0; i < keys; ++i) ++count[shard_of("user:" + std::to_string(i), shards)];
    double chi_square = 0;
    for (const std::uint32_t one : count) {
        const double off = one - static_cast<double>(keys) / shards;
        chi_square += off * off / (static_cast<double>(keys) / shards);
    }
    EXPECT_LT(chi_square, 47 + 5 * 9.7); // 47 degrees of freedom, five standard deviations
}

} // namespace
} // namespace everbloom
