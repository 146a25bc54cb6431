// The pattern of a key in one 64-byte line: which bits it uses. Scalar form.
//
// A line is two halves of eight 32-bit units. Lane l consists of unit l of both halves: 64 bits. Six bits of the hash choose
// one bit in each lane, the first of them the half, the others the bit of the unit, so that one vector of eight units
// describes the whole pattern:
//
//   hash, high 32 bits   | lane 1 : 6 | lane 3 : 6 | lane 5 : 6 | lane 7 : 6 | 8 unused          |
//   hash, low 32 bits    | lane 0 : 6 | lane 2 : 6 | lane 4 : 6 | lane 6 : 6 | ..... | start : 3 |
//
//   line   | unit 0 | unit 1 | ... | unit 7 |   first half: lanes 0 .. 7
//          | unit 8 | unit 9 | ... | unit 15|   second half: lanes 0 .. 7
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
inline constexpr unsigned lane_bits = 64;
inline constexpr unsigned unit_bits = 32;
inline constexpr unsigned max_line_hashes = 2 * lanes;

using line_mask = std::array<std::uint64_t, line_words>;

/// lane_runs[count][start]: all ones in the units of `count` lanes from `start`
/// on, cyclic.
struct alignas(32) lane_choice {
    std::array<std::uint32_t, lanes> unit;
};
using run_table = std::array<std::array<lane_choice, lanes>, lanes + 1>;

inline constexpr run_table lane_runs = [] {
    run_table table{};
    for (unsigned count = 0; count <= lanes; ++count) {
        for (unsigned start = 0; start < lanes; ++start) {
            for (unsigned i = 0; i < count; ++i) table[count][start].unit[(start + i) % lanes] = ~std::uint32_t{0};
        }
    }
    return table;
}();

[[nodiscard]] constexpr unsigned run_start(std::uint64_t hash) noexcept { return hash % lanes; }

/// The hash behind the second run of a pattern with more than eight bits.
[[nodiscard]] constexpr std::uint64_t second_hash(std::uint64_t hash) noexcept { return mix(hash); }

/// The six bits of the hash that choose in a lane: two patterns share its bit if these are equal.
[[nodiscard]] constexpr std::uint32_t six_bits(std::uint64_t hash, unsigned lane) noexcept {
    const auto half_of_hash = static_cast<std::uint32_t>(lane % 2 == 0 ? hash : hash >> 32);
    return (half_of_hash << (6 * (lane / 2))) >> 26;
}

/// The bit of the line that the hash chooses in a lane.
[[nodiscard]] constexpr unsigned bit_in_line(std::uint64_t hash, unsigned lane) noexcept {
    const std::uint32_t six = six_bits(hash, lane);
    const unsigned unit = lane + lanes * (six >> 5);
    return unit * unit_bits + six % unit_bits;
}

constexpr void add_run(line_mask& pattern, std::uint64_t hash, unsigned count) noexcept {
    const lane_choice& chosen = lane_runs[count][run_start(hash)];
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const unsigned bit = bit_in_line(hash, lane);
        pattern[bit / word_bits] |= (chosen.unit[lane] & std::uint64_t{1}) << (bit % word_bits);
    }
}

[[nodiscard]] constexpr line_mask line_pattern(std::uint64_t hash, unsigned hashes) noexcept {
    line_mask pattern{};
    add_run(pattern, hash, hashes < lanes ? hashes : lanes);
    if (hashes > lanes) add_run(pattern, second_hash(hash), hashes - lanes);
    return pattern;
}

/// The lanes in which other patterns have the bit of a pattern: all ones there. For patterns of at most eight bits.
struct alignas(32) shared_lanes {
    std::array<std::uint32_t, lanes> unit{};
};

/// The bits of a pattern of at most eight that no other one has.
[[nodiscard]] constexpr line_mask unshared_scalar(std::uint64_t hash, unsigned hashes,
                                                  const shared_lanes& shared) noexcept {
    line_mask bits{};
    const lane_choice& chosen = lane_runs[hashes][run_start(hash)];
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const unsigned bit = bit_in_line(hash, lane);
        bits[bit / word_bits] |= (chosen.unit[lane] & ~shared.unit[lane] & std::uint64_t{1}) << (bit % word_bits);
    }
    return bits;
}

[[nodiscard]] inline bool line_contains(const std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    const line_mask pattern = line_pattern(hash, hashes);
    std::uint64_t missing = 0;
    for (unsigned i = 0; i < line_words; ++i) missing |= pattern[i] & ~line[i];
    return missing == 0;
}

inline void line_insert(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    const line_mask pattern = line_pattern(hash, hashes);
    for (unsigned i = 0; i < line_words; ++i) line[i] |= pattern[i];
}

} // namespace everbloom::kernel
