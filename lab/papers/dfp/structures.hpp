// Filters compared in [Kwon §IV], all with the same number of bits, and the loads of the comparison.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <array>
#include <vector>

namespace everbloom::lab::dfp {

inline constexpr std::uint64_t figure_bits = 262144; // m of all figures
inline constexpr std::uint64_t figure_hashes = 4;    // k of all figures
inline constexpr std::array<std::uint64_t, 3> region_sizes{4, 8, 16};
inline constexpr std::array<double, 4> removed_shares{0.1, 0.2, 0.3, 0.4};
inline constexpr std::uint64_t load_steps = 64; // loads are multiples of 1/64

[[nodiscard]] inline structure dfp_filter() { return {"D-FP", "dfp", {}, {"#d1495b", 7, 0.55, 2.6}}; }
[[nodiscard]] inline structure packed_ternary() {
    return {"TBF, packed (1.6 bits per cell)", "ternary", {{"cells", "packed"}}, {"#2b7bba", 5, 0.5, 1.6}};
}
[[nodiscard]] inline structure two_bit_ternary() {
    return {"TBF, two-bit cells", "ternary", {{"cells", "twobit"}}, {"#7fb4e0", 4, 1.0, 1.6}};
}
[[nodiscard]] inline structure quaternary_filter() { return {"QBF", "quaternary", {}, {"#2a9d74", 9, 0.6, 1.6}}; }
[[nodiscard]] inline structure deletable_filter(std::uint64_t region_bits) {
    const std::string_view colour = region_bits <= 4 ? "#a4520a" : region_bits <= 8 ? "#e08a1e" : "#edbd6b";
    return {"DlBF, regions of " + std::to_string(region_bits),
            "deletable",
            {{"region_bits", std::to_string(region_bits)}},
            {std::string(colour), 11, 0.6, 1.6}};
}

/// All of them. D-FP is last, so that it is drawn on top.
[[nodiscard]] inline std::vector<structure> compared_filters() {
    std::vector<structure> all;
    for (const std::uint64_t region : region_sizes) all.push_back(deletable_filter(region));
    all.insert(all.end(), {quaternary_filter(), packed_ternary(), two_bit_ternary(), dfp_filter()});
    return all;
}

/// The multiples j of m/64 that make the loads: n = m/64 .. m/k.
[[nodiscard]] inline std::vector<std::uint64_t> load_multiples(const laboratory& lab, std::uint64_t hashes) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t j = 1; j <= load_steps / hashes; ++j) all.push_back(j);
    return lab.thinned(all);
}

[[nodiscard]] inline condition at_load(const structure& filter, std::uint64_t multiple, double removed_share = 0,
                                       std::uint64_t hashes = figure_hashes) {
    return {filter, figure_bits, hashes, figure_bits / load_steps * multiple, removed_share};
}

[[nodiscard]] inline double load_of(const sample& one) {
    return static_cast<double>(one.under.items) / static_cast<double>(one.under.bits);
}

/// Samples of one filter over the loads.
struct load_curve {
    structure filter;
    std::vector<sample> samples;

    fine_curve fpr_model;
    fine_curve deletability_model;

    [[nodiscard]] series drawn(quantity wanted) const {
        series made{filter.label, filter.drawn, {}};
        for (const sample& one : samples) made.points.push_back(one.at(load_of(one), wanted));
        made.model_curve = wanted == quantity::fpr ? fpr_model : deletability_model;
        return made;
    }
};

/// Every filter at every load. The order of `filters` is kept.
[[nodiscard]] inline result<std::vector<load_curve>>
measure_over_load(laboratory& lab, const std::vector<structure>& filters, double removed_share = 0,
                  precision wanted = precision::rates, std::uint64_t hashes = figure_hashes, double effort = 1) {
    std::vector<load_curve> curves;
    for (const structure& filter : filters) {
        std::vector<condition> conditions;
        for (const std::uint64_t j : load_multiples(lab, hashes)) {
            conditions.push_back(at_load(filter, j, removed_share, hashes));
            conditions.back().effort = effort;
        }
        auto samples = lab.measure(conditions, wanted);
        if (!samples) return fail(std::move(samples.error()));
        const double lowest = load_of(samples->front());
        const double highest = load_of(samples->back());
        auto rates = model_over_load(conditions.front(), quantity::fpr, lowest, highest);
        if (!rates) return fail(std::move(rates.error()));
        auto shares = model_over_load(conditions.front(), quantity::deletability, lowest, highest);
        if (!shares) return fail(std::move(shares.error()));
        curves.push_back({filter, std::move(*samples), std::move(*rates), std::move(*shares)});
    }
    return curves;
}

/// Finds the curve of a filter.
[[nodiscard]] inline const load_curve& curve_of(const std::vector<load_curve>& curves, const structure& filter) {
    for (const load_curve& one : curves) {
        if (one.filter.label == filter.label) return one;
    }
    return curves.front();
}

} // namespace everbloom::lab::dfp
