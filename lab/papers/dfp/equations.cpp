// Eq. 2 and 3 of [Kwon §III.B] against simulation, for all k, m and n of §IV.
//
// The equations are implemented as printed, independent of our models, which must agree with both.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::lab::dfp {
namespace {

double equation_2(double k, double n, double m) { return 1 - std::pow(1 - std::exp(-2 * k * n / m), k); }

double equation_3(double k, double n, double m) {
    const double none = std::exp(-2 * k * n / m);
    return std::pow(1 - none - k * n / m * none, k);
}

/// Colour encodes k, mark encodes m.
look look_of(std::uint64_t hashes, std::size_t size_number) {
    constexpr std::array<std::string_view, 4> colours{"#2b7bba", "#2a9d74", "#e08a1e", "#d1495b"};
    // Nested marks, since the three sizes coincide.
    constexpr std::array<std::pair<int, double>, 3> marks{{{6, 1.5}, {4, 0.9}, {7, 0.4}}};
    const auto [mark, size] = marks[size_number];
    return {std::string(colours[hashes - 2]), mark, size, 1.6};
}

/// The equations on a fine grid of loads, n = m/64 .. m/k.
void add_curves(series& deletability, series& fpr, std::uint64_t hashes) {
    constexpr int steps = 60;
    const auto k = static_cast<double>(hashes);
    const double lowest = 1.0 / load_steps;
    for (int i = 0; i <= steps; ++i) {
        const double load = lowest + (1 / k - lowest) * i / steps;
        deletability.paper_curve.emplace_back(load, equation_2(k, load, 1));
        fpr.paper_curve.emplace_back(load, equation_3(k, load, 1));
    }
    deletability.model_curve = deletability.paper_curve; // identical at this size: drawn once
    fpr.model_curve = fpr.paper_curve;
}

} // namespace

result<outcome> equations(laboratory& lab) {
    artefact deletability{"eq2", "Deletability of D-FP: Eq. 2 against simulation",
                          axis_from_zero("load n/m (items per bit)"),
                          share_axis("share of members that can be deleted")};
    artefact fpr{"eq3", "False positive rate of D-FP: Eq. 3 against simulation",
                 axis_from_zero("load n/m (items per bit)"), rate_axis("false positive rate")};
    deletability.paper_values = "Eq. 2";
    fpr.paper_values = "Eq. 3";
    fpr.reading = deletability.reading =
        "Each equation depends only on n/m and k: the three filter sizes share one curve.";

    fit with_2(fit::error::absolute, 0.005);
    fit with_3(fit::error::relative, 0.02);
    constexpr std::array<std::uint64_t, 3> sizes{65536, 131072, 262144};
    for (std::uint64_t hashes = 2; hashes <= 5; ++hashes) {
        for (std::size_t size = 0; size < sizes.size(); ++size) {
            std::vector<condition> conditions;
            for (const std::uint64_t j : load_multiples(lab, hashes)) {
                conditions.push_back({dfp_filter(), sizes[size], hashes, sizes[size] / load_steps * j});
            }
            const auto samples = lab.measure(conditions);
            if (!samples) return fail(samples.error());
            const std::string label = fmt::format("k = {}, m = {}", hashes, sizes[size]);
            deletability.curves.push_back({label, look_of(hashes, size)});
            fpr.curves.push_back({label, look_of(hashes, size)});
            add_curves(deletability.curves.back(), fpr.curves.back(), hashes);
            for (const sample& one : *samples) {
                const auto k = static_cast<double>(hashes);
                const auto n = static_cast<double>(one.under.items);
                const auto m = static_cast<double>(one.under.bits);
                point left = one.at(n / m, quantity::deletability);
                point right = one.at(n / m, quantity::fpr);
                left.paper = equation_2(k, n, m);
                right.paper = equation_3(k, n, m);
                with_2.note(*left.measured, *left.paper);
                with_3.note(*right.measured, *right.paper);
                deletability.curves.back().points.push_back(std::move(left));
                fpr.curves.back().points.push_back(std::move(right));
            }
        }
    }
    outcome found;
    found.findings = {{"eq2", with_2.counted(), with_2.words()}, {"eq3", with_3.counted(), with_3.words()}};
    found.artefacts = {std::move(deletability), std::move(fpr)};
    return found;
}

} // namespace everbloom::lab::dfp
