#include <everbloom/filter/yes_no/yes_no_build.hpp>
#include <everbloom/model/sizing.hpp>
#include <everbloom/model/yes_no/yes_no_expectation.hpp>
#include <everbloom/model/yes_no/yes_no_filling.hpp>
#include <everbloom/model/yes_no/yes_no_fit.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace everbloom {
namespace {

struct candidate {
    yes_no_spec spec;
    double left = 0; // known negatives that remain false positives
    double rate = 0; // share of absent keys that pass the yes-filter
};

/// Everything that may be tried. Large filters have less to gain from an odd geometry, and each of their candidates costs more.
struct search_space {
    std::vector<double> no_shares; // of the bits
    std::uint64_t most_no_filters;
    std::uint64_t least_no_hashes;
    std::uint64_t most_no_hashes;
    std::uint64_t no_hashes_step;

    static search_space of(std::uint64_t bits) {
        constexpr std::uint64_t small = 8192;
        if (bits <= small) return {{0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.5625}, 6, 2, 10, 1};
        return {{0.01, 0.02, 0.04, 0.08, 0.16, 0.25}, 3, 6, 14, 2};
    }
};

class fitting {
public:
    fitting(std::uint64_t bits, double members, double negatives, const yes_no_spec& preset)
        : bits_(bits), members_(members), negatives_(negatives), preset_(preset) {}

    [[nodiscard]] yes_no_spec best() const {
        std::vector<candidate> tried = candidates();
        rank(tried);
        // Large filters are as the model says, and where many come back, no assignment changes the order of the candidates.
        constexpr std::uint64_t most_bits_to_try = 4096;
        if (bits_ > most_bits_to_try || negatives_ > 20 * static_cast<double>(bits_)) return tried.front().spec;
        if (tried.front().left > 1) return better_than_plain(tried);
        for (const auto& [finalists, trials] : {std::pair{16, 50}, std::pair{4, 400}}) {
            tried.resize(std::min(tried.size(), static_cast<std::size_t>(finalists)));
            for (candidate& one : tried) one.left = left_in_trials(one.spec, trials);
            rank(tried);
        }
        return tried.front().spec;
    }

private:
    /// The first candidate, unless a plain Bloom filter leaves less: here the model is a few per cent off, and no-filters that gain less
    /// than that are not worth their bits.
    [[nodiscard]] yes_no_spec better_than_plain(std::vector<candidate>& tried) const {
        const auto plain =
            std::find_if(tried.begin(), tried.end(), [](const candidate& one) { return one.spec.no_filters == 0; });
        if (plain == tried.end() || plain == tried.begin()) return tried.front().spec;
        constexpr int trials = 40;
        const double with = left_in_trials(tried.front().spec, trials);
        return with <= left_in_trials(plain->spec, trials) ? tried.front().spec : plain->spec;
    }

    /// Candidates that leave next to nothing are ranked by their FPR.
    static void rank(std::vector<candidate>& tried) {
        constexpr double next_to_nothing = 1e-4;
        std::stable_sort(tried.begin(), tried.end(), [](const candidate& a, const candidate& b) {
            if (a.left < next_to_nothing && b.left < next_to_nothing) return a.rate < b.rate;
            return a.left < b.left;
        });
    }

    [[nodiscard]] std::vector<candidate> candidates() const {
        std::vector<candidate> made;
        yes_no_spec tried = preset_;
        tried.no_filters = 0;
        tried.no_bits = tried.no_hashes = 1;
        add_with_yes_hashes(made, tried);
        if (preset_.no_filters == 0) return made;
        const search_space space = search_space::of(bits_);
        for (const double share : space.no_shares) {
            for (tried.no_filters = 1; tried.no_filters <= space.most_no_filters; ++tried.no_filters) {
                tried.no_bits = static_cast<std::uint64_t>(static_cast<double>(bits_) * share) / tried.no_filters;
                constexpr std::uint64_t least_no_bits = 8;
                if (tried.no_bits < least_no_bits) continue;
                if (preset_.no_hashes != 0) {
                    tried.no_hashes = preset_.no_hashes;
                    add_with_yes_hashes(made, tried);
                    continue;
                }
                for (tried.no_hashes = space.least_no_hashes; tried.no_hashes <= space.most_no_hashes;
                     tried.no_hashes += space.no_hashes_step) {
                    add_with_yes_hashes(made, tried);
                }
            }
        }
        return made;
    }

    /// The best number of hash functions for the yes-filter, and fewer: they leave more to the no-filters.
    void add_with_yes_hashes(std::vector<candidate>& made, yes_no_spec tried) const {
        tried.yes_bits = bits_ - tried.no_filters * tried.no_bits;
        const auto members = static_cast<std::uint64_t>(std::fmax(1.0, std::round(members_)));
        const std::uint64_t best = preset_.yes_hashes != 0 ? preset_.yes_hashes : best_hashes(tried.yes_bits, members);
        const std::uint64_t fewest = preset_.yes_hashes != 0 ? best : best - std::min<std::uint64_t>(best - 1, 2);
        for (tried.yes_hashes = fewest; tried.yes_hashes <= best; ++tried.yes_hashes) {
            const double rate =
                all_occupied(static_cast<double>(tried.yes_bits), static_cast<double>(tried.yes_hashes), members_);
            made.push_back({tried, expected_left(tried, rate), rate});
        }
    }

    [[nodiscard]] double expected_left(const yes_no_spec& spec, double rate) const {
        const double false_positives = rate * negatives_;
        // More than the no-filters have bits: no place for them, and no use in following each.
        if (spec.no_filters == 0 || false_positives > static_cast<double>(spec.no_filters * spec.no_bits)) {
            return false_positives;
        }
        const auto members = static_cast<std::uint64_t>(std::llround(members_));
        const double hopeless = false_positives * yes_no_expectation::hopeless_share(spec, members);
        const double first_fit = std::fmax(hopeless, yes_no_filling(spec, members_, false_positives).left);
        if (spec.assignment() != yes_no_assignment::search) return first_fit;
        // A search leaves a tenth of what first-fit leaves besides the hopeless ones, but more where the no-filters are full: measured from
        // 0.2 to 40 that are left (docs/models/yes_no.md).
        const double share = std::fmin(1.0, 0.1 + 1.3 * first_fit / false_positives);
        return hopeless + (first_fit - hopeless) * share;
    }

    /// The mean over `trials` filters with different keys; all candidates see the same keys.
    [[nodiscard]] double left_in_trials(const yes_no_spec& spec, int trials) const {
        yes_no_spec one = spec;
        one.seeds = 1;
        std::vector<digest> members(static_cast<std::size_t>(std::llround(members_)));
        std::vector<digest> negatives(static_cast<std::size_t>(std::llround(negatives_)));
        std::uint64_t number = 0;
        std::uint64_t left = 0;
        for (int trial = 0; trial < trials; ++trial) {
            for (std::vector<digest>* keys : {&members, &negatives}) {
                for (digest& key : *keys) {
                    ++number;
                    key = {mix(number * golden_ratio_bits), mix(number * root_of_two_bits)};
                }
            }
            const auto built = build_yes_no(one, members, negatives);
            if (!built) return negatives_; // no memory for it: not this one
            left += built->report.false_positives_after;
        }
        return static_cast<double>(left) / trials;
    }

    std::uint64_t bits_;
    double members_;
    double negatives_;
    yes_no_spec preset_;
};

} // namespace

yes_no_spec fit_yes_no(std::uint64_t bits, double members, double negatives, const yes_no_spec& preset) {
    return fitting(bits, members, negatives, preset).best();
}

} // namespace everbloom
