// What the summary says about hashing and about the structure itself: a 32-bit hash modulo m, MD5, and "their tree structure".
//
// A hash of w bits modulo m does not reach all positions equally often unless m divides 2^w: the first 2^w mod m positions are hit once
// more. With 32 bits that matters from some hundred million bits on. Here w is 16, so that the whole range can be filled.
#include "lab/papers/comparison.hpp"
#include "lab/papers/summary/summary.hpp"

#include <everbloom/simulation/trial_randomness.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

namespace everbloom::lab::summary {
namespace {

constexpr unsigned hash_bits = 16;
constexpr std::uint64_t hash_values = std::uint64_t{1} << hash_bits;
constexpr std::size_t hash_functions = 7;

/// Positions of a key: seven independent hashes of 16 bits, modulo m.
template <class Visit>
void for_each_position(const digest& key, std::uint64_t bits, Visit visit) {
    for (std::size_t i = 0; i < hash_functions; ++i) {
        const std::uint64_t half = i < 4 ? key.low : key.high;
        visit((half >> (hash_bits * (i % 4)) & (hash_values - 1)) % bits);
    }
}

/// The best number of items for seven hash functions.
std::uint64_t items_for(std::uint64_t bits) {
    return static_cast<std::uint64_t>(static_cast<double>(bits) * std::log(2.0) / hash_functions);
}

/// The FPR if a position is hit as often as its number says.
double rate_by_formula(std::uint64_t bits) {
    const std::uint64_t seldom = hash_values / bits; // hashes of each of the last positions; the first have one more
    const auto often = static_cast<double>(seldom + 1);
    const auto first = static_cast<double>(hash_values % bits);
    const double rest = static_cast<double>(bits) - first;
    const auto throws = static_cast<double>(hash_functions * items_for(bits));
    const auto part = [&](double positions, double hashes) {
        const double chance = hashes / static_cast<double>(hash_values);
        return positions * chance * -std::expm1(throws * std::log1p(-chance));
    };
    return std::pow(part(first, often) + part(rest, often - 1), static_cast<double>(hash_functions));
}

double uniform_rate(std::uint64_t bits) {
    const auto throws = static_cast<double>(hash_functions * items_for(bits));
    return std::pow(-std::expm1(throws * std::log1p(-1 / static_cast<double>(bits))),
                    static_cast<double>(hash_functions));
}

estimate measured_rate(const laboratory& lab, std::uint64_t bits) {
    const bool is_full = lab.thoroughness().places == 0;
    const std::uint64_t trials = is_full ? 200 : lab.thoroughness().name == "glance" ? 20 : 60;
    const std::uint64_t queries = is_full ? 400'000 : 60'000;
    std::vector<trial_tally> tallies(trials);
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        const trial_randomness random(lab.seed(), trial);
        std::vector<char> set(bits, 0);
        for (std::uint64_t i = 0; i < items_for(bits); ++i) {
            for_each_position(random(random_stream::members, i), bits, [&](std::uint64_t at) { set[at] = 1; });
        }
        trial_tally& seen = tallies[trial];
        seen.of = queries;
        for (std::uint64_t i = 0; i < queries; ++i) {
            bool all = true;
            for_each_position(random(random_stream::absent, i), bits, [&](std::uint64_t at) { all &= set[at] != 0; });
            seen.hits += all ? 1 : 0;
        }
    });
    lab.report(trials * (items_for(bits) + queries));
    return estimate_share(tallies);
}

} // namespace

result<outcome> hashing(laboratory& lab) {
    artefact figure{"modulo",
                    "FPR of a filter whose positions are a hash modulo m, relative to uniform positions",
                    {"m as a share of the range of the hash", axis_scale::logarithmic},
                    {"FPR relative to uniform positions"}};
    figure.reading =
        "A hash of 16 bits in place of 32. Between 2^w / 2 and 2^w some positions are hit twice as often as "
        "others; a filter of more than 2^w bits cannot use the rest at all.";
    series line{"hash modulo m", {"#2b7bba", 7, 0.7, 1.8}};
    fit agrees(fit::error::relative, 0.02);
    double small_excess = 0;
    double largest = 0;
    for (const double share : {1.0 / 100, 1.0 / 64, 0.1, 0.3, 0.4, 0.55, 0.65, 0.75, 0.9}) {
        const auto bits = static_cast<std::uint64_t>(share * static_cast<double>(hash_values));
        const double uniform = uniform_rate(bits);
        const estimate seen = measured_rate(lab, bits);
        const double said = rate_by_formula(bits) / uniform;
        agrees.note({seen.mean / uniform, seen.low / uniform, seen.high / uniform}, said);
        line.points.push_back(
            {share, std::nullopt, said, estimate{seen.mean / uniform, seen.low / uniform, seen.high / uniform}});
        if (share <= 1.0 / 64) small_excess = std::fmax(small_excess, said - 1);
        largest = std::fmax(largest, said - 1);
    }
    figure.curves.push_back(std::move(line));
    outcome found;
    found.findings = {
        {"modulo", small_excess,
         fmt::format("{:.2g} % more false positives at most for m up to 1/64 of the range (67 million bits for 32 "
                     "bits), {:.0f} % at worst above",
                     100 * small_excess, 100 * largest)},
        {"modulo-formula", agrees.counted(), agrees.words()},
        {"tree-structure", 0.0,
         "a Bloom filter is one array of m bits without nodes: there is no tree, and no child to ask in parallel. A "
         "query "
         "can be split over positions or keys"},
        {"md5", std::numeric_limits<double>::quiet_NaN(),
         "MD5 is not among the hash functions of this program, so neither half was measured. Its collision resistance "
         "has "
         "been broken since 2004"}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::summary
