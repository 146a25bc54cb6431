// Model of the blocked Bloom filter: exact FPR, and the smallest geometry for
// a target FPR. Derivation: docs/models/blocked.md.
#pragma once

#include <everbloom/filter/bloom/blocked.hpp>
#include <everbloom/model/bloom/line_occupancy.hpp>
#include <everbloom/model/bloom/line_rate.hpp>
#include <everbloom/model/workload.hpp>

#include <cmath>

namespace everbloom {

struct blocked_model {
    /// The fewest blocks over all k; eight hashes, the fastest, if they need no
    /// more than 2 % above that. A preset k stays.
    [[nodiscard]] static result<blocked_spec> plan(const workload& wanted, blocked_spec preset = {.hashes = 0}) {
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        constexpr double lowest_rate = 1e-8;
        if (wanted.fpr < lowest_rate) {
            return fail(failure_reason::bad_parameter, "a blocked filter cannot be sized for an FPR below 1e-8; "
                                                       "use --kind bloom for a lower FPR");
        }
        std::uint64_t fewest = 0;
        std::uint64_t with_eight = 0;
        unsigned best = 0;
        for (unsigned hashes = 1; hashes <= kernel::max_line_hashes; ++hashes) {
            if (preset.hashes != 0 && preset.hashes != hashes) continue;
            const std::uint64_t lines = fewest_lines(wanted, hashes);
            if (lines == 0) continue;
            if (hashes == kernel::lanes) with_eight = lines;
            if (best == 0 || lines < fewest) {
                fewest = lines;
                best = hashes;
            }
            // With more and more hashes the lines become fewer, then more; those with many hashes take long to work out.
            if (hashes > kernel::lanes && lines > fewest + fewest / 4) break;
        }
        if (best == 0) {
            return fail(failure_reason::bad_parameter, std::to_string(wanted.items) +
                                                           " items at that FPR need more than 2^56 bits; ask for "
                                                           "fewer items");
        }
        if (with_eight != 0 && static_cast<double>(with_eight) <= static_cast<double>(fewest) * 1.02) {
            return blocked_spec{with_eight * line_bits, kernel::lanes};
        }
        return blocked_spec{fewest * line_bits, best};
    }

    [[nodiscard]] static blocked_spec with_best_hashes(blocked_spec spec, std::uint64_t items) {
        double lowest = 2;
        for (unsigned hashes = 1; hashes <= kernel::max_line_hashes; ++hashes) {
            const double rate =
                line_occupancy::of(hashes).fpr(static_cast<double>(items), static_cast<double>(spec.lines()));
            if (rate < lowest) {
                lowest = rate;
                spec.hashes = hashes;
            }
        }
        return spec;
    }

    [[nodiscard]] static prediction predict(const blocked_spec& spec, const lifetime& lived) {
        if (lived.removed_share > 0 || lived.churn_rounds > 0) return {};
        const line_occupancy& occupancy = line_occupancy::of(spec.hashes);
        return {occupancy.fpr(static_cast<double>(lived.items), static_cast<double>(spec.lines())), std::nullopt};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_blocked_filter<Store>& filter) noexcept {
        const auto hashes = static_cast<unsigned>(filter.spec().hashes);
        double rates = 0;
        std::uint64_t ones = 0;
        for (std::uint64_t i = 0; i < filter.lines(); ++i) {
            const line_rate line(filter.line(i), hashes);
            ones += line.ones;
            rates += line.rate;
        }
        const auto lines = static_cast<double>(filter.lines());
        const double bits = lines * line_bits;
        const double zero_share = (bits - std::fmin(static_cast<double>(ones), bits - 1)) / bits;
        return {rates / lines, std::log(zero_share) / std::log1p(-line_occupancy::bit_touched(hashes) / lines),
                std::nullopt};
    }

private:
    // The smallest number of blocks that keeps the FPR, by bisection; 0 if none
    // up to the largest structure does.
    [[nodiscard]] static std::uint64_t fewest_lines(const workload& wanted, unsigned hashes) {
        const line_occupancy& occupancy = line_occupancy::of(hashes);
        const auto holds = [&](std::uint64_t lines) {
            return occupancy.fpr(static_cast<double>(wanted.items), static_cast<double>(lines)) <= wanted.fpr;
        };
        constexpr std::uint64_t most = max_structure_bits / line_bits;
        std::uint64_t enough = std::max<std::uint64_t>(1, wanted.items / line_bits);
        while (!holds(enough)) {
            if (enough > most / 2) return 0;
            enough *= 2;
        }
        std::uint64_t too_few = 0;
        while (enough - too_few > 1) {
            const std::uint64_t middle = too_few + (enough - too_few) / 2;
            (holds(middle) ? enough : too_few) = middle;
        }
        return enough;
    }
};

} // namespace everbloom
