// The pattern of a key in one 64-byte line: which bits of its eight 64-bit lanes it uses. Scalar form.
//
// Six bits of the hash choose one bit in each lane:
//
//   hash   | start:3 | ........ | 6 | 6 | 6 | 6 | 6 | 6 | 6 | 6 |
//   lane                          7   6   5   4   3   2   1   0
//
// Eight hashes use every lane once. Fewer use a run of lanes (cyclic) that begins at `start`, so that all lanes fill evenly.
// More use every lane once, and a second mix of the hash adds a run.
#pragma once

#include <everbloom/core/units.hpp>
#include <everbloom/probe/mix.hpp>

#include <array>
#include <cstdint>

namespace everbloom::kernel {

inline constexpr unsigned lanes = 8;
inline constexpr unsigned max_line_hashes = 2 * lanes;

using line_mask = std::array<std::uint64_t, lanes>;

/// lane_runs[count][start]: all ones in `count` lanes from `start` on, cyclic.
struct alignas(line_bytes) aligned_line_mask {
    line_mask lane;
};
using run_table = std::array<std::array<aligned_line_mask, lanes>, lanes + 1>;

inline constexpr run_table lane_runs = [] {
    run_table table{};
    for (unsigned count = 0; count <= lanes; ++count) {
        for (unsigned start = 0; start < lanes; ++start) {
            for (unsigned i = 0; i < count; ++i) table[count][start].lane[(start + i) % lanes] = ~std::uint64_t{0};
        }
    }
    return table;
}();

[[nodiscard]] constexpr unsigned run_start(std::uint64_t hash) noexcept { return static_cast<unsigned>(hash >> 61); }

/// The hash behind the second run of a pattern with more than eight bits.
[[nodiscard]] constexpr std::uint64_t second_hash(std::uint64_t hash) noexcept { return mix(hash); }

/// One bit of the lane, chosen by the lane's six bits of the hash.
[[nodiscard]] constexpr std::uint64_t lane_bit(std::uint64_t hash, unsigned lane) noexcept {
    return std::uint64_t{1} << ((hash >> (6 * lane)) & 63);
}

[[nodiscard]] constexpr line_mask line_pattern(std::uint64_t hash, unsigned hashes) noexcept {
    line_mask pattern{};
    const unsigned first_run = hashes < lanes ? hashes : lanes;
    const line_mask& first = lane_runs[first_run][run_start(hash)].lane;
    for (unsigned i = 0; i < lanes; ++i) pattern[i] = lane_bit(hash, i) & first[i];
    if (hashes > lanes) {
        const std::uint64_t again = second_hash(hash);
        const line_mask& second = lane_runs[hashes - lanes][run_start(again)].lane;
        for (unsigned i = 0; i < lanes; ++i) pattern[i] |= lane_bit(again, i) & second[i];
    }
    return pattern;
}

[[nodiscard]] inline bool line_contains(const std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    const line_mask pattern = line_pattern(hash, hashes);
    std::uint64_t missing = 0;
    for (unsigned i = 0; i < lanes; ++i) missing |= pattern[i] & ~line[i];
    return missing == 0;
}

inline void line_insert(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    const line_mask pattern = line_pattern(hash, hashes);
    for (unsigned i = 0; i < lanes; ++i) line[i] |= pattern[i];
}

} // namespace everbloom::kernel
