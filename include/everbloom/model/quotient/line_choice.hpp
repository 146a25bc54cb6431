// Which line a quotient filter should have: how many buckets, and how many bits of extension when the planned number of keys is reached.
//
// For a fixed size it is the one with the most slots. A filter that grows has lines of many widths with the same number of buckets, and
// what suits narrow items may be far too many buckets for the wide ones of the beginning. So a slot less at the end is accepted if the
// largest share of bits that is lost on the way is smaller. A share of what? Of the bits of a full cuckoo filter with the same FPR.
#pragma once

#include <everbloom/filter/quotient/quotient_spec.hpp>

#include <cmath>
#include <optional>

namespace everbloom {

class quotient_line_choice {
public:
    /// `load` is that of the lines when the FPR is to be met. No line if the FPR is too low for all.
    quotient_line_choice(double fpr, double load, unsigned given_buckets) noexcept
        : fpr_(fpr), load_(load), least_(given_buckets != 0 ? given_buckets : quotient_spec::least_buckets),
          most_(given_buckets != 0 ? given_buckets : quotient_spec::most_buckets) {}

    [[nodiscard]] std::optional<line_shape> with_most_slots() const noexcept {
        std::optional<line_shape> best;
        for_each([&](const line_shape& line) {
            const bool is_better = !best || line.slots > best->slots ||
                                   (line.slots == best->slots && fpr_of(line, load_) < fpr_of(*best, load_));
            if (is_better) best = line;
        });
        return best;
    }
    /// For a table that doubles several times before the FPR is to be met. How often does not matter: filters that are planned for one FPR
    /// should be able to be merged.
    [[nodiscard]] std::optional<line_shape> for_growth() const noexcept {
        std::optional<line_shape> best = with_most_slots();
        if (!best || least_ == most_) return best;
        const unsigned least_slots = best->slots - 1;
        double least_bits = relative_bits(*best);
        for_each([&](const line_shape& line) {
            if (line.slots < least_slots) return;
            const double bits = relative_bits(line);
            if (bits >= least_bits) return;
            least_bits = bits;
            best = line;
        });
        return best;
    }

    /// FPR of a line with that load: both lines of a key, and in each the items of its bucket.
    [[nodiscard]] static double fpr_of(const line_shape& line, double load) noexcept {
        return 2 * load * line.slots / line.buckets * std::exp2(-8.0 - line.extension_bits);
    }
    /// Bits per key of a table with these lines in its last doublings, at most, as a multiple of those of a full cuckoo filter with the
    /// same FPR.
    [[nodiscard]] static double relative_bits(const line_shape& last) noexcept {
        constexpr double load = static_cast<double>(quotient_spec::growing_load) / 1e6;
        constexpr unsigned doublings = 6;
        constexpr unsigned steps = 16; // of a doubling
        double most = 0;
        for (unsigned before = 1; before <= doublings; ++before) {
            const unsigned bits = last.extension_bits + before;
            if (bits > quotient_spec::most_extension_bits) break;
            const unsigned wide = line_shape::slots_of(last.buckets, bits);
            const unsigned narrow = line_shape::slots_of(last.buckets, bits - 1);
            for (unsigned step = 0; step <= steps; ++step) {
                const double split = static_cast<double>(step) / steps;               // of the lines
                const double keys = load * ((1 - split) * wide + 2 * split * narrow); // per line before the doubling
                const double fpr = 2 * keys / (last.buckets * std::exp2(8.0 + bits));
                most = std::fmax(most, line_bits * (1 + split) / keys / (full_cuckoo_filter_bits - std::log2(fpr)));
            }
        }
        return most;
    }
    /// Bits per key above log2(1 / FPR) of a cuckoo filter with cells of 12 bits that is filled to 95 %.
    static constexpr double full_cuckoo_filter_bits = 3.55;

private:
    /// All lines whose FPR is low enough.
    template <class Visit>
    void for_each(Visit visit) const noexcept {
        for (unsigned bits = 0; bits <= quotient_spec::most_extension_bits; ++bits) {
            for (unsigned buckets = least_; buckets <= most_; ++buckets) {
                const line_shape line(buckets, bits);
                if (fpr_of(line, load_) <= fpr_) visit(line);
            }
        }
    }

    double fpr_;
    double load_;
    unsigned least_;
    unsigned most_;
};

} // namespace everbloom
