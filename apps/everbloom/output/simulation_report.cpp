#include "output/simulation_report.hpp"

#include "output/wording.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::cli {
namespace {

json number_or_null(const std::optional<std::uint64_t>& value) { return value ? json(*value) : json(nullptr); }

json interval_or_null(const std::optional<estimate>& found) {
    if (!found) return nullptr;
    return {{"mean", found->mean}, {"low", found->low}, {"high", found->high}};
}

template <class Outcome, std::size_t Count>
std::string tally_text(const outcome_tally<Outcome, Count>& tally) {
    std::string text;
    for (std::size_t i = 0; i < Count; ++i) {
        const auto outcome = static_cast<Outcome>(i);
        if (tally.of(outcome) == 0) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(tally.of(outcome)), name_of(outcome));
    }
    return text.empty() ? "none" : text;
}

void add_buckets(json& made, const bucket_report& buckets) {
    made["bucket_load_at_least"] = buckets.load_at_least;
    made["fluid_limit"] = buckets.fluid_limit;
    made["overflow_trials"] = buckets.overflow_trials;
    made["potential_overflows"] = {{"mean", buckets.mean_potential_overflows},
                                   {"min", buckets.fewest_potential_overflows},
                                   {"max", buckets.most_potential_overflows}};
    made["max_counter"] = buckets.largest_count;
}

std::string bucket_table(const bucket_report& buckets, std::uint64_t trials) {
    std::string text = fmt::format("\n{:<16}{:<16}{}\n", "bucket load", "share", "fluid limit");
    for (std::size_t load = 1; load < buckets.load_at_least.size(); ++load) {
        text += fmt::format("  at least {:<5}{:<16.4f}{:.4g}\n", load, buckets.load_at_least[load],
                            load < buckets.fluid_limit.size() ? buckets.fluid_limit[load] : 0);
    }
    text += fmt::format("{:<16}{} of {}\n", "overflow", buckets.overflow_trials, counted(trials, "trial"));
    text += fmt::format("{:<16}{:.4g} per trial ({} .. {}): all candidate buckets full\n", "full buckets",
                        buckets.mean_potential_overflows, buckets.fewest_potential_overflows,
                        buckets.most_potential_overflows);
    text += fmt::format("{:<16}{}\n", "largest count", buckets.largest_count);
    return text;
}

std::uint64_t keys_inserted(const trial_plan& plan) { return plan.items + plan.removed + plan.churn_steps; }

std::string table_row(std::string_view what, const estimate& found, const std::optional<double>& model) {
    const std::string measured = fmt::format("{:.5g} ({:.5g} .. {:.5g})", found.mean, found.low, found.high);
    if (!model) return fmt::format("{:<16}{:<40}{:<12}{:<8}no model for this workload\n", what, measured, "-", "-");
    const std::string ratio = *model > 0 ? fmt::format("{:.4f}", found.mean / *model) : "-";
    std::string verdict = "model within the interval";
    if (!found.contains(*model)) {
        verdict = *model > 0 ? fmt::format("off by {:.2g} %", std::abs(found.mean / *model - 1) * 100) : "off";
    }
    return fmt::format("{:<16}{:<40}{:<12.5g}{:<8}{}\n", what, measured, *model, ratio, verdict);
}

} // namespace

json simulation_document(const any_filter& simulated, const simulation_request& wanted,
                         const simulation_report& found) {
    const bool erases = simulated.can(capability::erase);
    json made;
    made["kind"] = simulated.kind();
    made["bits"] = simulated.structure_bits();
    made["cells"] = simulated.cells();
    made["hashes"] = number_or_null(simulated.geometry("hashes"));
    made["items"] = found.plan.items;
    made["inserted"] = keys_inserted(found.plan);
    made["removed"] = wanted.removed_share;
    made["trials"] = wanted.trials;
    made["queries"] = wanted.queries;
    made["seed"] = wanted.seed;
    made["fpr"] = interval_or_null(found.fpr);
    made["fpr_model"] = to_json(found.model.fpr);
    made["deletability"] = interval_or_null(found.deletability);
    made["deletability_model"] = to_json(found.model.deletability);
    made["false_negatives"] = found.false_negatives;
    made["fpr_current"] = found.fpr_current;
    made["churn_steps"] = found.plan.churn_steps;
    made["insert_outcomes"] = to_json(found.inserts);
    made["erase_outcomes"] = erases ? to_json(found.erases) : json(nullptr);
    made["geometry"] = to_json(simulated.geometry());
    if (found.buckets) add_buckets(made, *found.buckets);
    if (found.growth) {
        made["filters"] = found.growth->filters;
        made["expansions"] = found.growth->expansions;
        made["fast_bits"] = found.growth->fast_bits;
        made["slow_bits"] = found.growth->slow_bits;
    }
    if (found.known_negatives) {
        made["negatives"] = found.known_negatives->negatives;
        made["false_positives"] = interval_or_null(found.known_negatives->false_positives);
        made["false_positives_model"] = to_json(found.known_negatives->left_by_first_fit);
        made["bloom_same_bits_false_positives"] = found.known_negatives->bloom_false_positives;
    }
    return made;
}

std::string simulation_table(const any_filter& simulated, const simulation_request& wanted,
                             const simulation_report& found) {
    std::string text = std::string(simulated.kind()) + ":";
    for (const geometry_value& one : simulated.geometry()) {
        text += fmt::format(" {}={}", one.name, value_text(one));
    }
    text +=
        fmt::format("\n{}: {} inserted", counted(wanted.trials, "trial"), counted(keys_inserted(found.plan), "key"));
    if (found.plan.removed > 0) text += fmt::format(", {} removed", grouped(found.plan.removed));
    if (found.plan.churn_steps > 0) {
        text += fmt::format(", {} ({:.3g} churn rounds)", counted(found.plan.churn_steps, "churn step"),
                            static_cast<double>(found.plan.churn_steps) / static_cast<double>(found.plan.items));
    }
    text += fmt::format(", {} left, {} for absent keys (seed {})\n\n", grouped(found.plan.items),
                        wanted.queries == 1 ? "1 query" : grouped(wanted.queries) + " queries", wanted.seed);

    text += fmt::format("{:<16}{:<40}{:<12}{:<8}\n", "", "measured (95 % interval)", "model", "ratio");
    text += table_row("fpr", found.fpr, found.model.fpr);
    if (found.deletability) text += table_row("deletability", *found.deletability, found.model.deletability);
    text += fmt::format("{:<16}{}\n", "false negatives", grouped(found.false_negatives));
    text += fmt::format("{:<16}{}\n", "inserts", tally_text(found.inserts));
    if (simulated.can(capability::erase)) {
        text += fmt::format("{:<16}{}\n", "removals", tally_text(found.erases));
    }
    if (const auto& known = found.known_negatives) {
        const std::optional<double>& model = known->left_by_first_fit;
        text += fmt::format("{:<16}{:.4g} ({:.4g} .. {:.4g}) of {} per trial are false positives{}; {:.4g} in a bloom "
                            "filter of equal size\n",
                            "known negatives", known->false_positives.mean, known->false_positives.low,
                            known->false_positives.high, grouped(known->negatives),
                            model ? fmt::format(", {:.4g} by the model", *model) : "", known->bloom_false_positives);
    }
    if (found.buckets) text += bucket_table(*found.buckets, wanted.trials);
    if (found.growth) {
        const auto items = static_cast<double>(found.plan.items);
        text += fmt::format("{:<16}{:.4g} expansions, {:.4g} filters per query, {:.1f} bits per key for queries{}\n",
                            "growth", found.growth->expansions, found.growth->filters, found.growth->fast_bits / items,
                            found.growth->slow_bits == 0
                                ? ""
                                : fmt::format(", {:.1f} in slow memory", found.growth->slow_bits / items));
    }
    return text;
}

} // namespace everbloom::cli
