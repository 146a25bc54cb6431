#include "first_fit_left.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/core/checked.hpp>
#include <everbloom/core/joined_threads.hpp>
#include <everbloom/model/bloom/bloom.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/simulation/simulation.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <new>
#include <system_error>
#include <vector>

namespace everbloom {
namespace {

constexpr std::uint64_t most_trials = 1'000'000;

result<trial_plan> plan_of(const any_filter& empty, const simulation_request& wanted) {
    if (wanted.items == 0) return fail(failure_reason::bad_parameter, "items is 0; simulate at least 1");
    if (wanted.queries == 0) return fail(failure_reason::bad_parameter, "queries is 0; ask at least 1");
    if (wanted.trials == 0 || wanted.trials > most_trials) {
        return fail(failure_reason::bad_parameter,
                    "trials is " + std::to_string(wanted.trials) + "; it must be between 1 and 1000000");
    }
    const double removed = std::round(wanted.removed_share * static_cast<double>(wanted.items));
    const bool countable = removed >= 0 && removed < static_cast<double>(stream_numbers);
    const auto leaving = countable ? checked_add(static_cast<std::uint64_t>(removed), wanted.churn_steps)
                                   : std::optional<std::uint64_t>{};
    const auto keys = leaving ? checked_add(*leaving, wanted.items) : leaving;
    if (!keys || *keys > stream_numbers || wanted.queries > stream_numbers) {
        return fail(failure_reason::bad_parameter,
                    "a simulation is limited to 2^62 keys; ask for fewer items, steps or queries");
    }
    if (*leaving > 0 && !empty.can(capability::erase)) {
        return fail(failure_reason::unsupported, with_article(empty.kind()) +
                                                     " filter cannot remove keys; simulate it without removals or "
                                                     "churn, or choose a kind that removes");
    }
    const std::uint64_t negatives = empty.can(capability::protect) ? empty.geometry("negatives").value_or(0) : 0;
    return trial_plan{wanted.items, static_cast<std::uint64_t>(removed), wanted.churn_steps, wanted.queries, negatives};
}

/// All trials, in the order of their numbers; each thread takes the next one that is free.
std::vector<result<trial_result>> run_trials(const any_filter& empty, const simulation_request& wanted,
                                             const trial_plan& plan,
                                             const std::function<void(std::uint64_t)>& trial_done) {
    std::vector<result<trial_result>> results(wanted.trials);
    std::atomic<std::uint64_t> next = 0;
    std::mutex reporting;
    const auto run_one = [&](std::uint64_t number) -> result<trial_result> {
        try {
            auto filter = build_like(empty);
            if (!filter) return fail(std::move(filter.error()));
            return run_trial(std::move(*filter), plan, trial_randomness(wanted.seed, number));
        } catch (const std::bad_alloc&) {
            return fail(failure_reason::out_of_memory, "out of memory"); // an exception must not leave the thread
        }
    };
    const auto work = [&] {
        for (std::uint64_t number = next++; number < wanted.trials; number = next++) {
            results[number] = run_one(number);
            if (!results[number]) next = wanted.trials; // the others would fail too
            if (!trial_done) continue;
            const std::lock_guard one_at_a_time(reporting);
            trial_done(plan.items + plan.removed + plan.churn_steps + plan.queries + plan.negatives);
        }
    };
    {
        joined_threads helpers;
        const std::uint64_t hands = std::clamp<std::uint64_t>(wanted.threads, 1, wanted.trials);
        try {
            helpers.reserve(static_cast<std::size_t>(hands));
            for (std::uint64_t i = 1; i < hands; ++i) helpers.start(work);
        } catch (const std::exception&) {
            // The system gives no more threads, or no memory for them: those there are do the same work.
        }
        work();
    }
    return results;
}

/// Adds the buckets of one trial to the report.
void add_buckets(std::optional<bucket_report>& all, const trial_result& trial, std::uint64_t trials) {
    if (!trial.buckets) return;
    const bucket_statistics& seen = *trial.buckets;
    if (!all) {
        all.emplace();
        all->load_at_least.assign(seen.load_at_least.size(), 0);
        all->fewest_potential_overflows = seen.potential_overflows;
    }
    const auto share = 1 / static_cast<double>(trials);
    for (std::size_t load = 0; load < seen.load_at_least.size(); ++load) {
        all->load_at_least[load] += share * seen.load_at_least[load];
    }
    all->overflow_trials += trial.inserts.of(insert_outcome::full_bucket) != 0 ? 1 : 0;
    all->mean_potential_overflows += share * static_cast<double>(seen.potential_overflows);
    all->fewest_potential_overflows = std::min(all->fewest_potential_overflows, seen.potential_overflows);
    all->most_potential_overflows = std::max(all->most_potential_overflows, seen.potential_overflows);
    all->largest_count = std::max(all->largest_count, seen.largest_count);
}

void add_growth(std::optional<growth_report>& all, const trial_result& trial, std::uint64_t trials) {
    if (!trial.growth) return;
    if (!all) all.emplace();
    const auto share = 1 / static_cast<double>(trials);
    all->filters += share * static_cast<double>(trial.growth->filters);
    all->expansions += share * static_cast<double>(trial.growth->expansions);
    all->fast_bits += share * static_cast<double>(trial.growth->fast_bits);
    all->slow_bits += share * static_cast<double>(trial.growth->slow_bits);
}

known_negatives_report account_of_negatives(const any_filter& empty, const trial_plan& plan,
                                            const std::vector<trial_tally>& trials) {
    const auto negatives = static_cast<double>(plan.negatives);
    const bloom_spec same_size = bloom_model::with_best_hashes({.bits = empty.structure_bits()}, plan.items);
    return {plan.negatives, estimate_share(trials) * negatives,
            bloom_model::predict(same_size, {plan.items}).fpr.value_or(0) * negatives,
            left_by_first_fit(empty, plan.items, plan.negatives)};
}

} // namespace

build_request as_in_paper(build_request wanted) {
    const bool is_open = std::none_of(wanted.parameters.begin(), wanted.parameters.end(),
                                      [](const parameter_text& one) { return one.name == "assign"; });
    if (wanted.kind == "yes_no" && is_open) wanted.parameters.push_back({"assign", "first-fit"});
    return wanted;
}

result<simulation_report> simulate(const any_filter& empty, const simulation_request& wanted,
                                   const std::function<void(std::uint64_t)>& trial_done) {
    const auto plan = plan_of(empty, wanted);
    if (!plan) return fail(plan.error());

    simulation_report report;
    report.plan = *plan;
    std::vector<trial_tally> absent;
    std::vector<trial_tally> members;
    std::vector<trial_tally> negatives;
    for (const auto& trial : run_trials(empty, wanted, *plan, trial_done)) {
        if (!trial) return fail(trial.error());
        absent.push_back(trial->false_positives);
        if (trial->deletable) members.push_back(*trial->deletable);
        if (trial->known_negatives) negatives.push_back(*trial->known_negatives);
        report.false_negatives += trial->false_negatives;
        report.fpr_current += trial->fpr_current / static_cast<double>(wanted.trials);
        report.inserts.add(trial->inserts);
        report.erases.add(trial->erases);
        add_buckets(report.buckets, *trial, wanted.trials);
        add_growth(report.growth, *trial, wanted.trials);
    }
    report.fpr = estimate_share(absent);
    if (!members.empty()) report.deletability = estimate_share(members);
    if (!negatives.empty()) report.known_negatives = account_of_negatives(empty, *plan, negatives);
    const auto items = static_cast<double>(plan->items);
    const lifetime lived{plan->items, static_cast<double>(plan->removed) / items,
                         static_cast<double>(plan->churn_steps) / items, static_cast<double>(plan->negatives)};
    report.model = empty.predict(lived);
    if (report.buckets) report.buckets->fluid_limit = empty.predict_buckets(lived);
    return report;
}

} // namespace everbloom
