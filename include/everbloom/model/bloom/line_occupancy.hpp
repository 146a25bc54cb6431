// The exact FPR of a block pattern (filter/kernel/line_pattern.hpp): k bits in the eight lanes of one block.
//
// An absent key is a false positive if every bit of its pattern is set. By inclusion and exclusion over the sets S of its bits,
//
//     fpr = sum_S (-1)^|S| P(no key touches S),     P(no key touches S) = (1 - (1 - a_S) / B)^n,
//
// where a_S is the chance that one key of the same block avoids S, averaged over the eight starts of its run, n the number of
// keys, B the number of blocks. Nothing is approximated: the uneven filling of blocks and the correlation of lanes are included.
// Sets with equal a_S are added up once per k; what remains are a few hundred exponentials. Derivation: docs/models/blocked.md.
#pragma once

#include <everbloom/filter/kernel/line_pattern.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace everbloom {

class line_occupancy {
public:
    explicit line_occupancy(unsigned hashes) : hashes_(hashes) {
        by_start none_yet;
        none_yet.fill(1);
        collect(0, 1.0, none_yet);
        std::sort(terms_.begin(), terms_.end());
        std::size_t kept = 0;
        for (std::size_t i = 1; i < terms_.size(); ++i) {
            if (terms_[i].touched - terms_[kept].touched < 1e-14) {
                terms_[kept].weight += terms_[i].weight;
            } else {
                terms_[++kept] = terms_[i];
            }
        }
        terms_.resize(kept + 1);
    }

    /// Made once per k, when it is first asked for: a plan asks for each of them many times.
    [[nodiscard]] static const line_occupancy& of(std::uint64_t hashes) {
        return one_of(hashes, std::make_index_sequence<kernel::max_line_hashes + 1>());
    }

    [[nodiscard]] double fpr(double items, double lines) const noexcept {
        // The lowest FPRs are differences of large terms: below 1e-12 only rounding error is left.
        long double sum = 0;
        for (const term& set : terms_) sum += set.weight * std::exp(items * std::log1p(-set.touched / lines));
        return static_cast<double>(std::clamp(sum, 0.0L, 1.0L));
    }

    /// Chance that one key sets a given bit of its own block.
    [[nodiscard]] static double bit_touched(unsigned hashes) noexcept {
        const double first = std::min(hashes, kernel::lanes) / static_cast<double>(line_bits);
        const double second = (hashes - std::min(hashes, kernel::lanes)) / static_cast<double>(line_bits);
        return 1 - (1 - first) * (1 - second);
    }

private:
    template <std::size_t Hashes>
    [[nodiscard]] static const line_occupancy& made_for() {
        static const line_occupancy made(Hashes);
        return made;
    }
    template <std::size_t... Hashes>
    [[nodiscard]] static const line_occupancy& one_of(std::uint64_t hashes, std::index_sequence<Hashes...>) {
        static constexpr std::array makers{&made_for<Hashes>...};
        return makers[hashes]();
    }

    struct term {
        double touched; // 1 - a_S
        long double weight;
        friend bool operator<(const term& a, const term& b) noexcept { return a.touched < b.touched; }
    };

    // Bits that a pattern whose (last) run starts at `start` has in `lane`.
    [[nodiscard]] unsigned bits_in_lane(unsigned start, unsigned lane) const noexcept {
        const unsigned in_run = (lane + kernel::lanes - start) % kernel::lanes;
        if (hashes_ <= kernel::lanes) return in_run < hashes_ ? 1 : 0;
        return in_run < hashes_ - kernel::lanes ? 2 : 1;
    }

    /// For each start of a run, the chance that a key avoids what has been chosen of S so far.
    using by_start = std::array<double, kernel::lanes>;

    // Lane by lane: how many different bits of this lane are in S. By symmetry the queried key's run starts at lane 0.
    void collect(unsigned lane, long double weight, const by_start& avoiding) {
        if (lane == kernel::lanes) {
            double avoids = 0;
            for (const double one : avoiding) avoids += one / kernel::lanes;
            terms_.push_back({1 - avoids, weight});
            return;
        }
        const unsigned own = bits_in_lane(0, lane);
        // Two bits in one lane are the same one with chance 1/64.
        const std::array<std::array<long double, 3>, 3> weights{{{1, 0, 0}, {1, -1, 0}, {1, -127.0L / 64, 63.0L / 64}}};
        for (unsigned different = 0; different <= own; ++different) {
            const double miss = 1 - different / 64.0;
            by_start further = avoiding;
            for (unsigned start = 0; start < kernel::lanes; ++start) {
                for (unsigned bit = 0; bit < bits_in_lane(start, lane); ++bit) further[start] *= miss;
            }
            collect(lane + 1, weight * weights[own][different], further);
        }
    }

    unsigned hashes_;
    std::vector<term> terms_;
};

} // namespace everbloom
