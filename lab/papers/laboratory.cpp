#include "lab/papers/laboratory.hpp"

#include <everbloom/core/joined_threads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>

namespace everbloom::lab {
namespace {

std::string name_of(const condition& one) {
    std::string parameters;
    for (const parameter_text& each : one.filter.parameters) parameters += fmt::format(" {}={}", each.name, each.value);
    return fmt::format("{}{} {} {} {} {} {} {}", one.filter.kind, parameters, one.bits, one.hashes, one.items,
                       one.removed_share, one.churn_rounds, one.effort);
}

} // namespace

point sample::at(double x, quantity wanted) const {
    point made{x, std::nullopt, modelled(wanted), measured(wanted)};
    made.setting = {{"bits", static_cast<double>(under.bits)},
                    {"hashes", static_cast<double>(under.hashes)},
                    {"items", static_cast<double>(under.items)}};
    if (under.removed_share > 0) made.setting.emplace_back("removed", under.removed_share);
    return made;
}

result<any_filter> filter_for(const condition& wanted) {
    build_request request;
    request.kind = wanted.filter.kind;
    request.parameters = wanted.filter.parameters;
    request.parameters.push_back({"bits", std::to_string(wanted.bits)});
    request.parameters.push_back({"hashes", std::to_string(wanted.hashes)});
    request.parameters.push_back({"probe", "independent"});
    return build(request);
}

result<fine_curve> model_over_load(const condition& like, quantity wanted, double from, double to) {
    const auto empty = filter_for(like);
    if (!empty) return fail(empty.error());
    constexpr int steps = 60;
    const auto bits = static_cast<double>(like.bits);
    fine_curve made;
    for (int i = 0; i <= steps; ++i) {
        const double load = from + (to - from) * i / steps;
        const lifetime lived{static_cast<std::uint64_t>(std::llround(load * bits)), like.removed_share,
                             like.churn_rounds};
        const prediction said = empty->predict(lived);
        const auto value = wanted == quantity::fpr ? said.fpr : said.deletability;
        if (value) made.emplace_back(load, *value);
    }
    return made;
}

std::uint64_t queries_for(const scale& thorough, std::optional<double> rate, double effort) {
    const double wanted = thorough.hits_wanted / std::max(rate.value_or(1), 1e-12);
    return static_cast<std::uint64_t>(effort * std::clamp(wanted, thorough.least_queries, thorough.most_queries));
}

std::uint64_t laboratory::trials_for(std::uint64_t items, double effort) const {
    const std::uint64_t wanted = scale_.items_wanted / std::max<std::uint64_t>(items, 1);
    return static_cast<std::uint64_t>(effort *
                                      std::max(static_cast<double>(wanted), static_cast<double>(scale_.least_trials)));
}

result<sample> laboratory::measure_one(const condition& wanted, precision how) const {
    const auto empty = filter_for(wanted);
    if (!empty) return fail(empty.error());
    simulation_request request;
    request.items = wanted.items;
    request.removed_share = wanted.removed_share;
    request.churn_steps =
        static_cast<std::uint64_t>(std::llround(wanted.churn_rounds * static_cast<double>(wanted.items)));
    request.trials = trials_for(wanted.items, wanted.effort);
    request.seed = seed_;
    request.threads = threads_;
    const lifetime lived{wanted.items, wanted.removed_share, wanted.churn_rounds};
    const std::uint64_t queries =
        how == precision::rates ? queries_for(scale_, empty->predict(lived).fpr, wanted.effort) : 1;
    request.queries = std::max<std::uint64_t>(1, queries / request.trials);

    auto report = simulate(*empty, request);
    if (!report) return fail(std::move(report.error()));
    const trial_plan& plan = report->plan;
    this->report(request.trials * (plan.items + 2 * plan.removed + 2 * plan.churn_steps + plan.queries));
    return sample{wanted, std::move(*report)};
}

result<std::vector<sample>> laboratory::measure(std::span<const condition> conditions, precision wanted) {
    std::vector<sample> samples;
    samples.reserve(conditions.size());
    for (const condition& one : conditions) {
        const std::string name = name_of(one);
        const auto known = rates_.find(name);
        if (known != rates_.end()) {
            samples.push_back(known->second);
            continue;
        }
        auto& kept = wanted == precision::rates ? rates_ : deletabilities_;
        auto found = kept.find(name);
        if (found == kept.end()) {
            auto measured = measure_one(one, wanted);
            if (!measured) return fail(std::move(measured.error()));
            found = kept.emplace(name, std::move(*measured)).first;
        }
        samples.push_back(found->second);
    }
    // The look is part of the figure, not of the measurement.
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i].under = conditions[i];
    return samples;
}

void laboratory::in_parallel(std::uint64_t trials, const std::function<void(std::uint64_t trial)>& operation) const {
    std::atomic<std::uint64_t> next = 0;
    std::mutex failing;
    std::exception_ptr thrown; // rethrown after the threads have ended
    const auto work = [&] {
        try {
            for (std::uint64_t trial = next++; trial < trials; trial = next++) operation(trial);
        } catch (...) {
            next = trials;
            const std::lock_guard lock(failing);
            thrown = std::current_exception();
        }
    };
    {
        joined_threads hands;
        try {
            const std::uint64_t useful = std::min<std::uint64_t>(threads_, trials);
            hands.reserve(useful);
            for (std::uint64_t i = 1; i < useful; ++i) hands.start(work);
        } catch (const std::exception&) {
            // No more threads, or no memory for them: the existing threads do the work.
        }
        work();
    }
    if (thrown) std::rethrow_exception(thrown);
}

std::vector<std::uint64_t> laboratory::thinned(std::vector<std::uint64_t> places) const {
    if (scale_.places == 0 || places.size() <= scale_.places) return places;
    std::vector<std::uint64_t> kept;
    for (std::size_t i = 0; i < scale_.places; ++i) {
        kept.push_back(places[i * (places.size() - 1) / (scale_.places - 1)]);
    }
    return kept;
}

} // namespace everbloom::lab
