// The FP-CBF of [Kwon §II.C]: what a fingerprint beside each counter gains, and what it costs.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

namespace everbloom::lab::dfp {
namespace {

constexpr std::uint64_t counter_width = 4;
constexpr std::uint64_t counters_compared = figure_bits / counter_width;

structure counting_filter() { return {"counting", "counting", {}, {"#777777", 13, 0.6, 1.6}}; }
structure with_fingerprints(std::uint64_t bits) {
    const std::string_view colour = bits == 1 ? "#9ecae1" : bits == 2 ? "#4292c6" : "#08519c";
    return {fmt::format("FP-CBF, fingerprints of {} bit{}", bits, bits == 1 ? "" : "s"),
            "fingerprint_counting",
            {{"fingerprint_bits", std::to_string(bits)}},
            {std::string(colour), 7, 0.6, 1.6}};
}

/// Samples over the loads of a filter of `bits` bits.
result<std::vector<sample>> over_loads(laboratory& lab, const structure& filter, std::uint64_t bits) {
    std::vector<condition> conditions;
    for (const std::uint64_t j : load_multiples(lab, figure_hashes)) {
        conditions.push_back({filter, bits, figure_hashes, counters_compared / load_steps * j});
    }
    return lab.measure(conditions);
}

} // namespace

result<outcome> fingerprint_counting(laboratory& lab) {
    artefact figure{"fpcbf",
                    fmt::format("False positive rate of {} counters of four bits, with and without fingerprints, k = 4",
                                counters_compared),
                    axis_from_zero("load (items per counter)"), rate_axis("false positive rate")};
    figure.reading = "The same number of counters, so the filters with fingerprints have more bits.";
    const auto plain = over_loads(lab, counting_filter(), counters_compared * counter_width);
    if (!plain) return fail(plain.error());
    const auto add_curve = [&](const structure& filter, const std::vector<sample>& samples) {
        series line{filter.label, filter.drawn};
        for (const sample& one : samples) {
            const double load = static_cast<double>(one.under.items) / static_cast<double>(counters_compared);
            line.points.push_back(one.at(load, quantity::fpr));
        }
        figure.curves.push_back(std::move(line));
    };
    add_curve(counting_filter(), *plain);
    place_count lower;
    place_count lower_in_same_bits;
    std::string gains;
    double least_bits = 0; // relative, for half of the FPR at the lowest load
    for (const std::uint64_t bits : {1, 2, 4}) {
        const structure filter = with_fingerprints(bits);
        const auto same_counters = over_loads(lab, filter, counters_compared * (counter_width + bits));
        if (!same_counters) return fail(same_counters.error());
        const auto same_bits = over_loads(lab, filter, counters_compared * counter_width);
        if (!same_bits) return fail(same_bits.error());
        add_curve(filter, *same_counters);
        for (std::size_t i = 0; i < plain->size(); ++i) {
            lower.note_less((*same_counters)[i].measured(quantity::fpr), (*plain)[i].measured(quantity::fpr));
            lower_in_same_bits.note_less((*same_bits)[i].measured(quantity::fpr), (*plain)[i].measured(quantity::fpr));
        }
        const double gain =
            plain->back().measured(quantity::fpr).mean / same_counters->back().measured(quantity::fpr).mean;
        const double size = static_cast<double>(counter_width + bits) / static_cast<double>(counter_width);
        if (least_bits == 0 && gain >= 2) least_bits = size;
        gains += fmt::format("{}a factor of {:.2g} for {:.2f} times the bits", gains.empty() ? "" : ", ", gain, size);
    }
    gains += fmt::format(" at the highest load of {:.2g} items per counter",
                         static_cast<double>(plain->back().under.items) / static_cast<double>(counters_compared));
    outcome found;
    found.findings = {{"fpcbf-lower-fpr", lower.counted(), fmt::format("lower {}; {}", lower.words(), gains)},
                      {"fpcbf-memory", least_bits, gains},
                      {"fpcbf-same-bits", lower_in_same_bits.counted(),
                       fmt::format("lower {} in the same number of bits", lower_in_same_bits.words())}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::dfp
