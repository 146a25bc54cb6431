// Why the construction of [Bonomi06 §3] is as it is: the natural one that confuses keys when they are deleted, and low-order bits as
// bucket numbers. And how far the fourth subtable is from being full.
//
// The tables here have buckets without a limit, and are filled and churned as in the paper. The filter itself has neither of the two flaws,
// so the constructions that it does not use are written out here.
#include "lab/papers/dleft/dleft.hpp"
#include "lab/papers/dleft/tables.hpp"
#include "output/wording.hpp"

#include <everbloom/core/odd_constants.hpp>
#include <everbloom/model/dleft/dleft_fluid.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

namespace everbloom::lab::dleft {
namespace {

enum class construction {
    permuted,       // the paper's: bucket and remainder from the high and low bits of a permuted fingerprint
    low_order_bits, // the same, but the low bits are the bucket
    natural,        // d independent buckets and one remainder, section 3.2 before its correction
};

constexpr unsigned bucket_bits = std::countr_zero(buckets);
constexpr std::size_t cells_of_a_bucket = 8;

struct cell {
    std::uint64_t remainder;
    std::uint64_t copies;
};

/// What happened to a table in its whole lifetime.
struct events {
    std::uint64_t deletions = 0;
    std::uint64_t ambiguous = 0;       // deletions that found the remainder in more than one bucket
    std::uint64_t fourth_full = 0;     // insertions that made a bucket of the last subtable hold eight
    std::uint64_t eight_or_more = 0;   // buckets at the end
    std::uint64_t more_than_eight = 0; // buckets at the end
    std::uint64_t trials = 0;

    void add(const events& other) noexcept {
        deletions += other.deletions;
        ambiguous += other.ambiguous;
        fourth_full += other.fourth_full;
        eight_or_more += other.eight_or_more;
        more_than_eight += other.more_than_eight;
        trials += other.trials;
    }
};

class open_table {
public:
    open_table(construction how, unsigned remainder_bits) : how_(how), remainder_bits_(remainder_bits) {}

    void insert(const digest& key) {
        const places at = places_of(key);
        bucket* least = nullptr;
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < subtables; ++i) {
            bucket& here = bucket_at(at, i);
            if (const auto same = find(here, at[i].remainder); same != here.end()) {
                ++same->copies;
                return;
            }
            if (least == nullptr || here.size() < least->size()) {
                least = &here;
                chosen = i;
            }
        }
        least->push_back({at[chosen].remainder, 1});
        if (chosen + 1 == subtables && least->size() >= cells_of_a_bucket) ++seen_.fourth_full;
    }

    /// A key whose remainder is in several of its buckets stays: which of them is its own is unknown.
    void erase(const digest& key) {
        const places at = places_of(key);
        bucket* found = nullptr;
        std::size_t where = 0;
        ++seen_.deletions;
        for (std::size_t i = 0; i < subtables; ++i) {
            bucket& here = bucket_at(at, i);
            if (find(here, at[i].remainder) == here.end()) continue;
            if (found != nullptr) {
                ++seen_.ambiguous;
                return;
            }
            found = &here;
            where = i;
        }
        if (found == nullptr) return;
        const auto own = find(*found, at[where].remainder);
        if (--own->copies > 0) return;
        *own = found->back();
        found->pop_back();
    }

    [[nodiscard]] events seen() const {
        events made = seen_;
        made.trials = 1;
        for (const bucket& one : table_) {
            made.eight_or_more += one.size() >= cells_of_a_bucket ? 1 : 0;
            made.more_than_eight += one.size() > cells_of_a_bucket ? 1 : 0;
        }
        return made;
    }

private:
    struct place {
        std::uint64_t bucket;
        std::uint64_t remainder;
    };
    using places = std::array<place, subtables>;
    using bucket = std::vector<cell>;

    [[nodiscard]] places places_of(const digest& key) const noexcept {
        // Odd numbers without a pattern, as the filter has.
        static constexpr std::array<std::uint64_t, subtables> odd{1, 0x517cc1b727220a95, 0x5e2d58d8b3bcdf1b,
                                                                  golden_ratio_bits};
        const unsigned bits = bucket_bits + remainder_bits_;
        places made{};
        for (std::size_t i = 0; i < subtables; ++i) {
            const std::uint64_t permuted = key.low * odd[i] & low_mask(bits);
            switch (how_) {
            case construction::permuted:
                made[i] = {permuted >> remainder_bits_, permuted & low_mask(remainder_bits_)};
                break;
            case construction::low_order_bits: made[i] = {permuted % buckets, permuted >> bucket_bits}; break;
            case construction::natural:
                made[i] = {key.high >> (i * bucket_bits) & low_mask(bucket_bits), key.low & low_mask(remainder_bits_)};
                break;
            }
        }
        return made;
    }
    [[nodiscard]] bucket& bucket_at(const places& at, std::size_t subtable) noexcept {
        return table_[subtable * buckets + at[subtable].bucket];
    }
    [[nodiscard]] static bucket::iterator find(bucket& in, std::uint64_t remainder) {
        return std::find_if(in.begin(), in.end(), [&](const cell& one) { return one.remainder == remainder; });
    }

    construction how_;
    unsigned remainder_bits_;
    std::vector<bucket> table_{all_buckets};
    events seen_;
};

struct effort {
    std::uint64_t trials;
    std::uint64_t steps;
};

effort effort_of(const laboratory& lab) {
    if (lab.thoroughness().places == 0) return {30, churn_steps};
    return lab.thoroughness().name == "glance" ? effort{2, churn_steps >> 4} : effort{4, churn_steps >> 2};
}

events churned(const laboratory& lab, construction how, unsigned remainder_bits) {
    const effort spent = effort_of(lab);
    events all;
    std::mutex adding;
    lab.in_parallel(spent.trials, [&](std::uint64_t trial) {
        const trial_randomness random(lab.seed(), trial);
        open_table table(how, remainder_bits);
        std::vector<std::uint64_t> members(items_at_6);
        for (std::uint64_t i = 0; i < items_at_6; ++i) table.insert(random(random_stream::members, members[i] = i));
        for (std::uint64_t step = 0; step < spent.steps; ++step) {
            std::uint64_t& place = members[random.choose(step, members.size())];
            table.erase(random(random_stream::members, place));
            table.insert(random(random_stream::members, place = items_at_6 + step));
        }
        const std::lock_guard lock(adding);
        all.add(table.seen());
    });
    lab.report(spent.trials * (items_at_6 + 2 * spent.steps));
    return all;
}

estimate share_with_interval(std::uint64_t hits, std::uint64_t of) {
    const trial_tally tallied{hits, of};
    return estimate_share(std::span(&tallied, 1));
}

} // namespace

result<outcome> constructions(laboratory& lab) {
    artefact figure{"ambiguous",
                    "Deletions that find a key's remainder in more than one of its buckets, at load 6",
                    {"bits of a remainder"},
                    {"share of the deletions", axis_scale::logarithmic}};
    figure.reading =
        "The natural construction draws d buckets and one remainder independently; the model is the chance "
        "that one of the 18 keys in the other three buckets has the same remainder, 18 x 2^-r. With "
        "permutations of one fingerprint it never happens.";
    series natural{"natural construction", {"#e08a1e", 5, 0.7, 1.6}};
    events at_14;
    for (const unsigned bits : {8U, 10U, 12U, 14U}) {
        const events seen = churned(lab, construction::natural, bits);
        if (bits == 14) at_14 = seen;
        natural.points.push_back({static_cast<double>(bits), std::nullopt, 18 * std::exp2(-static_cast<double>(bits)),
                                  share_with_interval(seen.ambiguous, seen.deletions)});
    }
    figure.curves.push_back(std::move(natural));
    const events papers = churned(lab, construction::permuted, 14);
    const events low_order = churned(lab, construction::low_order_bits, 14);
    const auto fluid = dleft_fluid_limit::solve(subtables, 6, 9, dleft_regime::steady_state);
    const auto buckets_seen = static_cast<double>(papers.trials * all_buckets);
    // At least one bucket, so that the ratio is a number.
    const double less_effective = static_cast<double>(low_order.more_than_eight) / buckets_seen;
    outcome found;
    found.findings = {
        {"natural-ambiguous", static_cast<double>(at_14.ambiguous) / static_cast<double>(at_14.trials),
         fmt::format("{} of {} deletions with 14-bit remainders, {:.2g} %; with permutations {}", at_14.ambiguous,
                     grouped(at_14.deletions),
                     100 * static_cast<double>(at_14.ambiguous) / static_cast<double>(at_14.deletions),
                     papers.ambiguous)},
        {"one-remainder", static_cast<double>(papers.ambiguous),
         fmt::format("{} of {} deletions found more than one", papers.ambiguous, grouped(papers.deletions))},
        {"fourth-never-full", static_cast<double>(papers.fourth_full),
         fmt::format("{} insertions in {} trials of {} steps made a bucket of the fourth subtable hold eight keys",
                     papers.fourth_full, papers.trials, grouped(effort_of(lab).steps))},
        {"low-order-less-effective", less_effective - static_cast<double>(papers.more_than_eight) / buckets_seen,
         fmt::format("{:.2g} % of the buckets hold more than eight keys with low-order bits, {:.2g} % with high-order "
                     "ones ({:.1e} by the fluid limit): there are only {} groups of buckets",
                     100 * less_effective, 100 * static_cast<double>(papers.more_than_eight) / buckets_seen,
                     fluid.at_least(9), grouped(buckets))}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::dleft
