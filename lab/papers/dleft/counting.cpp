// Counting filter of [Bonomi06 §5.1] for comparison: 13.5 four-bit counters per key, nine hash functions, the same churn.
#include "lab/papers/dleft/dleft.hpp"
#include "lab/papers/dleft/tables.hpp"
#include "output/wording.hpp"

#include <everbloom/model/poisson.hpp>

#include <fmt/format.h>

#include <cmath>

namespace everbloom::lab::dleft {
namespace {

constexpr std::uint64_t counters = 27 * items_at_6 / 2;
constexpr std::uint64_t counting_bits = 4 * counters;

} // namespace

result<outcome> counting_filter(laboratory& lab) {
    const auto counting = build({"counting",
                                 std::nullopt,
                                 std::nullopt,
                                 {{"bits", std::to_string(counting_bits)}, {"hashes", "9"}, {"probe", "independent"}}});
    if (!counting) return fail(counting.error());
    const auto table = build_table(papers_table());
    if (!table) return fail(table.error());
    const std::uint64_t trials = trials_of(lab, 6, 100);
    const auto report = live(lab, *counting, items_at_6, trials, 500'000);
    if (!report) return fail(report.error());

    const double ratio = static_cast<double>(counting_bits) / static_cast<double>(papers_table().bits());
    const double full = poisson_chance(std::log(2.0), 16);
    // A counter reaches a value when a key comes to it that finds one less: nine counters of every key.
    const double load = 9.0 * static_cast<double>(items_at_6) / static_cast<double>(counters);
    const auto trials_reaching = [&](double value) {
        const double insertions = static_cast<double>(churn_steps) + static_cast<double>(items_at_6) / value;
        return papers_trials * -std::expm1(-9 * insertions * poisson_chance(load, value - 1));
    };
    outcome found;
    found.findings = {
        {"counting-size", ratio,
         fmt::format("{} bits against {}: {:.3f} times", grouped(counting_bits), grouped(papers_table().bits()),
                     ratio)},
        {"counting-rate", report->fpr.mean,
         fmt::format("{:.6f} ({:.6f} .. {:.6f}); model {:.6f}", report->fpr.mean, report->fpr.low, report->fpr.high,
                     report->model.fpr.value_or(0))},
        {"counting-overflow", static_cast<double>(report->inserts.of(insert_outcome::inserted_saturated)),
         fmt::format("{} insertions saturated a counter in {} trials; a counter reaches 16 with probability {:.3g}",
                     report->inserts.of(insert_outcome::inserted_saturated), trials, full)},
        {"counters-of-12", trials_reaching(12),
         fmt::format("9 x 2^20 counters are incremented in a trial, and one of them finds 11 keys with probability "
                     "{:.3g}: {:.1f} of 10,000 trials",
                     poisson_chance(load, 11), trials_reaching(12))},
        {"counters-of-13", trials_reaching(13),
         fmt::format("the same for 12 keys, {:.3g}: {:.2f} of 10,000 trials", poisson_chance(load, 12),
                     trials_reaching(13))},
        {"sixteen-in-a-counter", full, fmt::format("e^(-ln 2) (ln 2)^16 / 16! = {:.3g}", full)},
        {"ten-bits-per-key", std::pow(-std::expm1(-0.7), 7),
         fmt::format("(1 - e^(-0.7))^7 = {:.5f}", std::pow(-std::expm1(-0.7), 7))}};
    return found;
}

} // namespace everbloom::lab::dleft
