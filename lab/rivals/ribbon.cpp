#include "lab/rivals/ribbon.hpp"

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace everbloom::lab::rivals {
namespace {

/// With 64 coefficients the overhead that is needed grows with the logarithm of the number of keys. Found by trying: with these, fewer
/// than half of the seeds fail for 1,000 to 10,000,000 keys.
double usual_rows_per_key(std::uint64_t keys) {
    const auto n = static_cast<double>(std::max<std::uint64_t>(keys, 2));
    return 1 + std::max(0.0, 0.0040 * (std::log2(n) - 3)) + 0.003;
}

} // namespace

ribbon_filter::equation ribbon_filter::equation_of(digest item) const noexcept {
    const std::uint64_t hash = mix(item.low + seed_) ^ item.high;
    return {reduce(hash, rows_.size() - width + 1), mix(hash + seed_) | 1,
            mix(hash ^ golden_ratio_bits) & low_mask(rows_.cell_bits())};
}

built_rival ribbon_filter::build(std::span<const digest> members, unsigned fingerprint_bits, unsigned seeds,
                                 double rows_per_key) {
    const double each = rows_per_key > 0 ? rows_per_key : usual_rows_per_key(members.size());
    const auto rows = static_cast<std::uint64_t>(std::ceil(static_cast<double>(members.size()) * each)) + width;
    for (unsigned attempt = 1; attempt <= seeds; ++attempt) {
        std::unique_ptr<ribbon_filter> made(
            new ribbon_filter(rows, fingerprint_bits, mix(attempt * golden_ratio_bits)));
        if (made->solve(members)) return std::unique_ptr<rival>(std::move(made));
    }
    return fail(failure_reason::bad_parameter, "ribbon: no solution for " + std::to_string(members.size()) +
                                                   " keys in " + std::to_string(rows) + " rows with any of " +
                                                   std::to_string(seeds) + " seeds");
}

bool ribbon_filter::is_solvable(std::span<const digest> members, std::uint64_t rows, unsigned fingerprint_bits,
                                std::uint64_t seed) {
    return ribbon_filter(rows, fingerprint_bits, mix(seed * golden_ratio_bits)).solve(members);
}

bool ribbon_filter::solve(std::span<const digest> members) {
    // pivots[i] has its lowest coefficient in row i; 0: no equation yet.
    std::vector<std::uint64_t> pivots(rows_.size());
    std::vector<std::uint32_t> sides(rows_.size());
    for (const digest& member : members) {
        auto [row, coefficients, side] = equation_of(member);
        for (;;) {
            if (pivots[row] == 0) {
                pivots[row] = coefficients;
                sides[row] = static_cast<std::uint32_t>(side);
                break;
            }
            coefficients ^= pivots[row];
            side ^= sides[row];
            if (coefficients == 0) {
                if (side != 0) return false; // contradicts the others
                break;                       // follows from them
            }
            const int leading = std::countr_zero(coefficients);
            coefficients >>= leading;
            row += static_cast<std::uint64_t>(leading);
        }
    }
    for (std::uint64_t row = rows_.size(); row-- > 0;) {
        if (pivots[row] == 0) continue; // a free row stays 0
        std::uint64_t value = sides[row];
        for (std::uint64_t left = pivots[row] & ~std::uint64_t{1}; left != 0; left &= left - 1) {
            value ^= rows_.get(row + static_cast<std::uint64_t>(std::countr_zero(left)));
        }
        rows_.set(row, value);
    }
    return true;
}

bool ribbon_filter::contains(digest item, line_log* log) const {
    const equation asked = equation_of(item);
    if (log != nullptr) log->note_bits(0, asked.start * rows_.cell_bits(), width * rows_.cell_bits());
    std::uint64_t value = asked.fingerprint;
    for (std::uint64_t left = asked.coefficients; left != 0; left &= left - 1) {
        value ^= rows_.get(asked.start + static_cast<std::uint64_t>(std::countr_zero(left)));
    }
    return value == 0;
}

} // namespace everbloom::lab::rivals
