// The chance that a random pattern is covered by a given block of 512 bits: the FPR that one actual block contributes.
#pragma once

#include <everbloom/filter/kernel/line_pattern.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace everbloom {

struct line_rate {
    std::uint64_t ones = 0;
    double rate = 0;

    line_rate(std::span<const std::uint64_t, line_words> line, unsigned hashes) noexcept {
        std::array<double, kernel::lanes> fill{};
        for (unsigned lane = 0; lane < kernel::lanes; ++lane) {
            const int set = std::popcount(unit(line, lane)) + std::popcount(unit(line, lane + kernel::lanes));
            ones += static_cast<std::uint64_t>(set);
            fill[lane] = set / static_cast<double>(kernel::lane_bits);
        }
        rate = covered(fill, hashes);
    }

private:
    [[nodiscard]] static std::uint32_t unit(std::span<const std::uint64_t, line_words> line, unsigned index) noexcept {
        return static_cast<std::uint32_t>(line[index / 2] >> (kernel::unit_bits * (index % 2)));
    }

    // Chance that a random pattern is covered by a block whose lanes are filled as given.
    [[nodiscard]] static double covered(const std::array<double, kernel::lanes>& fill, unsigned hashes) noexcept {
        double all = 1;
        for (const double lane : fill) all *= lane;
        if (hashes == kernel::lanes) return all;
        const unsigned run = hashes < kernel::lanes ? hashes : hashes - kernel::lanes;
        double runs = 0;
        for (unsigned start = 0; start < kernel::lanes; ++start) {
            double one = 1;
            for (unsigned i = 0; i < run; ++i) one *= fill[(start + i) % kernel::lanes];
            runs += one / kernel::lanes;
        }
        return hashes < kernel::lanes ? runs : all * runs;
    }
};

} // namespace everbloom
