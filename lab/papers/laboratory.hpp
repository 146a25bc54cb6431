// The laboratory: where experiments get their measurements. It knows how thorough to be, and never measures the same thing twice:
// several figures look at the same filters.
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

/// How thorough. Filters with few items get more trials, until `items_wanted` were inserted in all. Queries are spread over the
/// trials; there are enough of them to see `hits_wanted` false positives, within limits.
struct scale {
    std::string_view name;
    std::uint64_t least_trials;
    std::uint64_t items_wanted;
    double hits_wanted;
    double least_queries;
    double most_queries;
    std::size_t places; // on an axis; 0: all that the paper has
};

/// A first look in seconds; under a minute; as in the papers.
inline constexpr std::array<scale, 3> scales{{{"glance", 4, 40'000, 1e3, 4e4, 1e6, 4},
                                              {"quick", 6, 300'000, 4e3, 2e5, 6e6, 6},
                                              {"full", 20, 3'000'000, 4e4, 4e6, 2e8, 0}}};

/// A filter without its size: kind and what else makes it what it is.
struct structure {
    std::string label;
    std::string kind;
    std::vector<parameter_text> parameters;
    look drawn;
};

/// A filter of a size, and its life.
struct condition {
    structure filter;
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t items = 0;
    double removed_share = 0;
    double turnovers = 0;
    double effort = 1; // so many times the queries and trials of the scale
};

/// Whoever does not look at the false positive rate need not wait for it.
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
    /// `notice` hears of the keys that were put in or asked about.
    using notice = std::function<void(std::uint64_t keys)>;

    laboratory(const scale& thorough, std::uint64_t seed, unsigned threads, notice heard = {})
        : scale_(thorough), seed_(seed), threads_(threads), notice_(std::move(heard)) {}

    [[nodiscard]] const scale& thoroughness() const noexcept { return scale_; }
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
    [[nodiscard]] unsigned threads() const noexcept { return threads_; }

    /// Keys of a real trace in the order in which they came, for experiments that can use them; empty: they make their own.
    [[nodiscard]] std::span<const digest> trace() const noexcept { return trace_; }
    void follow(std::vector<digest> trace) noexcept { trace_ = std::move(trace); }

    /// A directory of networks in GraphML, for experiments that send packets through some; empty: they make their own.
    [[nodiscard]] const std::string& topologies() const noexcept { return topologies_; }
    void travel(std::string topologies) noexcept { topologies_ = std::move(topologies); }

    [[nodiscard]] result<std::vector<sample>> measure(std::span<const condition> conditions,
                                                      precision wanted = precision::rates);
    /// Tells `notice`, for experiments that do their own measuring.
    void tell(std::uint64_t keys) const {
        if (notice_) notice_(keys);
    }

    /// How many filters of so many items are enough.
    [[nodiscard]] std::uint64_t trials_for(std::uint64_t items, double effort = 1) const;

    /// Calls `deed(trial)` for 0, 1, ... trials - 1, on several threads; `deed` must not throw.
    void in_parallel(std::uint64_t trials, const std::function<void(std::uint64_t trial)>& deed) const;

    /// Some of these, evenly spread, first and last included: all of them at full scale.
    [[nodiscard]] std::vector<std::uint64_t> thinned(std::vector<std::uint64_t> places) const;

private:
    [[nodiscard]] result<sample> measure_one(const condition& wanted, precision how) const;

    scale scale_;
    std::uint64_t seed_;
    unsigned threads_;
    notice notice_;
    std::vector<digest> trace_;
    std::string topologies_;
    std::map<std::string, sample> rates_;
    std::map<std::string, sample> deletabilities_;
};

/// What the model says of such a filter with other numbers of items, over items per bit.
[[nodiscard]] result<fine_curve> model_over_load(const condition& like, quantity wanted, double from, double to);

/// An empty filter of this size, with independent hash functions as the papers assume them.
[[nodiscard]] result<any_filter> filter_for(const condition& wanted);

/// How many queries in all show as many false positives as the scale wants.
[[nodiscard]] std::uint64_t queries_for(const scale& thorough, std::optional<double> rate, double effort = 1);

} // namespace everbloom::lab
