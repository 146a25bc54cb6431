#include "lab/papers/elastic/growing_rates.hpp"

#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/handling.hpp"
#include "lab/papers/elastic/workload_keys.hpp"

#include <algorithm>
#include <new>

namespace everbloom::lab::elastic {
namespace {

constexpr std::uint64_t keys_at_once = 1 << 14;

/// The moments of measurement, and the queries at each.
struct plan {
    std::span<const std::uint64_t> moments;
    std::vector<std::uint64_t> queries; // per trial, at each moment
};

/// Keys are generated in portions: all at once would take too much memory.
template <class Make, class Operation>
result<void> in_portions(std::uint64_t from, std::uint64_t to, Make make, Operation operation) {
    for (std::uint64_t first = from; first < to; first += keys_at_once) {
        const std::vector<digest> portion = make(first, std::min(keys_at_once, to - first));
        if (auto done = operation(portion); !done) return done;
    }
    return {};
}

result<std::vector<trial_tally>> live(any_filter filter, const workload_keys& keys, const plan& wanted) {
    std::vector<trial_tally> tallies(wanted.moments.size());
    std::uint64_t inside = 0;
    std::uint64_t asked = 0;
    for (std::size_t i = 0; i < wanted.moments.size(); ++i) {
        auto filled = in_portions(
            inside, wanted.moments[i],
            [&](std::uint64_t first, std::uint64_t count) { return keys.members(first, count); },
            [&](const std::vector<digest>& portion) { return insert_all(filter, portion); });
        if (!filled) return fail(std::move(filled.error()));
        inside = wanted.moments[i];
        auto questioned = in_portions(
            asked, asked + wanted.queries[i],
            [&](std::uint64_t first, std::uint64_t count) { return keys.absent_keys(first, count); },
            [&](const std::vector<digest>& portion) -> result<void> {
                tallies[i].hits += count_positives(filter, portion);
                tallies[i].of += portion.size();
                return {};
            });
        if (!questioned) return fail(std::move(questioned.error()));
        asked += wanted.queries[i];
    }
    return tallies;
}

} // namespace

result<std::vector<rate_at>> rates_while_growing(const laboratory& lab, const structure& wanted, std::uint64_t bits,
                                                 std::span<const std::uint64_t> moments) {
    const auto empty = build_contender(wanted, bits);
    if (!empty) return fail(empty.error());
    const std::uint64_t trials = std::max<std::uint64_t>(4, lab.thoroughness().least_trials / 2);
    // A chain of counting filters treats a repeated key as new, which its model does not cover.
    const bool modelled = lab.trace().empty() || wanted.kind != "dynamic";
    std::vector<rate_at> made;
    plan questions{moments, {}};
    for (const std::uint64_t moment : moments) {
        const auto said = empty->predict({distinct_keys(lab, moment)}).fpr;
        made.push_back({moment, {}, modelled ? said : std::nullopt});
        questions.queries.push_back(queries_for(lab.thoroughness(), said) / trials);
    }

    std::vector<result<std::vector<trial_tally>>> measured_trials(trials);
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        try {
            auto filter = build_contender(wanted, bits);
            measured_trials[trial] = filter ? live(std::move(*filter), workload_keys(lab, trial), questions)
                                            : fail(std::move(filter.error()));
        } catch (const std::bad_alloc&) {
            measured_trials[trial] =
                fail(failure_reason::out_of_memory, "out of memory for the keys; use fewer --threads");
        }
    });
    for (const auto& one : measured_trials) {
        if (!one) return fail(one.error());
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
        std::vector<trial_tally> tallies;
        tallies.reserve(measured_trials.size());
        for (const auto& one : measured_trials) tallies.push_back((*one)[i]);
        made[i].measured = estimate_share(tallies);
        lab.report(trials * questions.queries[i]);
    }
    lab.report(trials * moments.back());
    return made;
}

} // namespace everbloom::lab::elastic
