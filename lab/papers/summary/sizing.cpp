// Sizing formulas m = -n ln P / (ln 2)^2, k = m/n ln 2 and the FPR P "guaranteed" by them, against measurements.
#include "lab/papers/comparison.hpp"
#include "lab/papers/summary/summary.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace everbloom::lab::summary {
namespace {

constexpr std::array<double, 5> wanted_rates{0.2, 0.1, 0.05, 0.01, 0.001};
constexpr std::array<std::string_view, 5> colours{"#d1495b", "#e08a1e", "#2a9d74", "#2b7bba", "#8f5bb5"};
constexpr std::uint64_t many_items = 1000; // from here on the variance of the fill hardly matters

constexpr double effort = 3; // the excess over P is small

result<condition> sized(std::uint64_t items, double rate) {
    const auto planned = build({"bloom", items, rate, {}});
    if (!planned) return fail(planned.error());
    return condition{{"Bloom filter", "bloom", {}, {}},
                     planned->geometry("bits").value_or(0),
                     planned->geometry("hashes").value_or(0),
                     items,
                     0,
                     0,
                     effort};
}

/// P = (1 - [1 - 1/m]^(kn))^k, as the summary prints it.
double printed_rate(const condition& one) {
    const auto m = static_cast<double>(one.bits);
    const auto k = static_cast<double>(one.hashes);
    return std::pow(1 - std::pow(1 - 1 / m, k * static_cast<double>(one.items)), k);
}

estimate in_units_of(const estimate& rate, double unit) {
    return {rate.mean / unit, rate.low / unit, rate.high / unit};
}

/// The largest significant excess: at the lower end of the 95 % interval.
struct excess {
    double size = -std::numeric_limits<double>::infinity();
    double rate = 0;
    std::uint64_t items = 0;

    void consider(double factor, double wanted, std::uint64_t with_items) {
        if (factor - 1 > size) *this = {factor - 1, wanted, with_items};
    }
    [[nodiscard]] std::string words() const {
        return fmt::format("at least {:.1f} % more than P = {} for n = {}", size * 100, rate, grouped(items));
    }
};

result<artefact> space_artefact(double& growth) {
    artefact figure{"space",
                    "Bits of a Bloom filter over the number of items",
                    {"items n", axis_scale::logarithmic},
                    {"bits m", axis_scale::logarithmic}};
    figure.paper_values = "m = -n ln P / (ln 2)^2";
    figure.reading = "Ten times as many items need ten times as many bits.";
    for (std::size_t i = 0; i < wanted_rates.size(); ++i) {
        const double rate = wanted_rates[i];
        series line{fmt::format("P = {}", rate), {std::string(colours[i])}};
        for (const std::uint64_t items : {1000, 10'000, 100'000, 1'000'000}) {
            const auto planned = build({"bloom", items, rate, {}});
            if (!planned) return fail(planned.error());
            const auto n = static_cast<double>(items);
            const auto bits = static_cast<double>(planned->geometry("bits").value_or(0));
            const double formula = -n * std::log(rate) / (std::numbers::ln2 * std::numbers::ln2);
            line.points.push_back({n, formula, std::nullopt, estimate{bits, bits, bits}});
        }
        const auto& points = line.points;
        growth = points.back().measured->mean / points[points.size() - 2].measured->mean;
        figure.curves.push_back(std::move(line));
    }
    return figure;
}

} // namespace

result<outcome> sizing(laboratory& lab) {
    artefact figure{"sizing",
                    "Measured FPR of filters sized for P, divided by P",
                    {"items n", axis_scale::logarithmic},
                    {"false positive rate / P"}};
    figure.paper_values = "P = (1 - [1 - 1/m]^kn)^k";
    figure.reference = 1;
    figure.reading =
        "The line at 1 is the target. Rounding k costs up to 1 %; for small filters the printed formula itself is too "
        "low, because the share of set bits varies between filters.";

    fit rule(fit::error::relative, 0.02);
    std::size_t broken = 0;
    std::size_t settings = 0;
    excess largest;
    excess largest_of_many;
    excess formula_error;
    excess formula_error_of_many;
    for (std::size_t i = 0; i < wanted_rates.size(); ++i) {
        const double rate = wanted_rates[i];
        series line{fmt::format("P = {}", rate), {std::string(colours[i])}};
        for (const std::uint64_t items : {10, 20, 50, 100, 1000, 10'000, 100'000}) {
            const auto one = sized(items, rate);
            if (!one) return fail(one.error());
            const auto samples = lab.measure(std::span(&*one, 1));
            if (!samples) return fail(samples.error());
            const sample& seen = samples->front();
            const estimate measured = seen.measured(quantity::fpr);
            formula_error.consider(measured.low / printed_rate(*one), rate, items);
            if (items >= many_items) formula_error_of_many.consider(measured.low / printed_rate(*one), rate, items);
            if (items >= many_items) rule.note(measured, rate);
            ++settings;
            if (measured.low > rate) {
                ++broken;
                largest.consider(measured.low / rate, rate, items);
                if (items >= many_items) largest_of_many.consider(measured.low / rate, rate, items);
            }
            point here = seen.at(static_cast<double>(items), quantity::fpr);
            here.paper = printed_rate(*one) / rate;
            here.model = seen.modelled(quantity::fpr).value_or(0) / rate;
            here.measured = in_units_of(measured, rate);
            line.points.push_back(std::move(here));
        }
        figure.curves.push_back(std::move(line));
    }
    double growth = 0;
    auto space = space_artefact(growth);
    if (!space) return fail(std::move(space.error()));

    std::string broken_words = fmt::format("significantly exceeded in {} of {} settings", broken, settings);
    if (broken > 0) broken_words += "; largest: " + largest.words();
    if (largest_of_many.items > 0) broken_words += "; with 1,000 items or more: " + largest_of_many.words();
    outcome found;
    found.findings = {
        {"sizing-rule", rule.counted(), rule.words()},
        {"rate-formula", std::max(formula_error.size, 0.0),
         fmt::format(
             "at least {:.1f} % above the formula for n = {}, P = {}, and {:.1f} % (significant) from n = 1,000 on",
             formula_error.size * 100, grouped(formula_error.items), formula_error.rate,
             std::max(formula_error_of_many.size, 0.0) * 100)},
        {"rate-guaranteed", static_cast<double>(broken), std::move(broken_words)},
        {"constant-space", growth,
         fmt::format("from 100,000 to 1,000,000 items the bits grow by a factor of {:.3f}", growth)},
    };
    found.artefacts = {std::move(figure), std::move(*space)};
    return found;
}

} // namespace everbloom::lab::summary
