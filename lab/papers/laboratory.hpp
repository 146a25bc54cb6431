// laboratory: runs the measurements of experiments at a given scale, and caches them: several figures use the same filters.
#pragma once

#include "lab/papers/artefact.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/simulation/simulation.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::lab {

/// Effort of a run. Filters with few items get more trials, until `items_wanted` are inserted in total. Queries are spread over the
/// trials; there are enough of them to see `hits_wanted` false positives, within limits.
struct scale {
    std::string_view name;
    std::uint64_t least_trials;
    std::uint64_t items_wanted;
    double hits_wanted;
    double least_queries;
    double most_queries;
    std::size_t places; // points on an axis; 0: all of the paper
};

/// Seconds; under a minute; as in the papers. At full scale an FPR has a 95 % interval of 2 % of it on either side (10,000 false
/// positives), where it is above 2.5e-4, and a share of the members one of 0.0013 at most (600,000 members); the claims allow 2 % and 0.005.
inline constexpr std::array<scale, 3> scales{{{"glance", 4, 40'000, 1e3, 4e4, 1e6, 4},
                                              {"quick", 6, 300'000, 4e3, 2e5, 6e6, 6},
                                              {"full", 20, 600'000, 1e4, 1e6, 4e7, 0}}};

/// A filter without its size: kind and parameters.
struct structure {
    std::string label;
    std::string kind;
    std::vector<parameter_text> parameters;
    look drawn;
};

/// A filter with its size and workload.
struct condition {
    structure filter;
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t items = 0;
    double removed_share = 0;
    double churn_rounds = 0;
    double effort = 1; // factor for the queries and trials of the scale
};

/// What to measure: without the FPR it is faster.
enum class precision { rates, deletability_only };

enum class quantity { fpr, deletability };

struct sample {
    condition under;
    simulation_report report;

    [[nodiscard]] estimate measured(quantity wanted) const {
        return wanted == quantity::fpr ? report.fpr : report.deletability.value_or(estimate{});
    }
    [[nodiscard]] std::optional<double> modelled(quantity wanted) const {
        return wanted == quantity::fpr ? report.model.fpr : report.model.deletability;
    }
    /// The sample as a point of a curve.
    [[nodiscard]] point at(double x, quantity wanted) const;
};

class laboratory {
public:
    /// Callback with the number of keys inserted or queried.
    using reporter = std::function<void(std::uint64_t keys)>;

    laboratory(const scale& thorough, std::uint64_t seed, unsigned threads, reporter progress = {})
        : scale_(thorough), seed_(seed), threads_(threads), progress_(std::move(progress)) {}

    [[nodiscard]] const scale& thoroughness() const noexcept { return scale_; }
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
    [[nodiscard]] unsigned threads() const noexcept { return threads_; }

    /// Keys of a trace in order, for experiments that can use them; empty: random keys.
    [[nodiscard]] std::span<const digest> trace() const noexcept { return trace_; }
    void follow(std::vector<digest> trace) noexcept { trace_ = std::move(trace); }

    /// A directory of GraphML networks, for experiments that use networks; empty: built-in and generated ones.
    [[nodiscard]] const std::string& topologies() const noexcept { return topologies_; }
    void travel(std::string topologies) noexcept { topologies_ = std::move(topologies); }

    [[nodiscard]] result<std::vector<sample>> measure(std::span<const condition> conditions,
                                                      precision wanted = precision::rates);
    /// Reports progress, for experiments that measure by themselves.
    void report(std::uint64_t keys) const {
        if (progress_) progress_(keys);
    }

    /// Number of trials for a filter of `items` items.
    [[nodiscard]] std::uint64_t trials_for(std::uint64_t items, double effort = 1) const;

    /// Calls `operation(trial)` for 0, 1, ... trials - 1 on several threads; it must not throw.
    void in_parallel(std::uint64_t trials, const std::function<void(std::uint64_t trial)>& operation) const;

    /// An evenly spread subset with the first and the last; all of them at full scale.
    [[nodiscard]] std::vector<std::uint64_t> thinned(std::vector<std::uint64_t> places) const;

private:
    [[nodiscard]] result<sample> measure_one(const condition& wanted, precision how) const;

    scale scale_;
    std::uint64_t seed_;
    unsigned threads_;
    reporter progress_;
    std::vector<digest> trace_;
    std::string topologies_;
    std::map<std::string, sample> rates_;
    std::map<std::string, sample> deletabilities_;
};

/// The model of such a filter over the load (items per bit).
[[nodiscard]] result<fine_curve> model_over_load(const condition& like, quantity wanted, double from, double to);

/// An empty filter of this size, with independent hash functions as the papers assume.
[[nodiscard]] result<any_filter> filter_for(const condition& wanted);

/// Total number of queries that shows as many false positives as the scale wants.
[[nodiscard]] std::uint64_t queries_for(const scale& thorough, std::optional<double> rate, double effort = 1);

} // namespace everbloom::lab
