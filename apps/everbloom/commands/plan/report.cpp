#include "commands/plan/report.hpp"

#include "commands/plan/words.hpp"
#include "output/simulation_report.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::cli {
namespace {

double bits_per_item(const planned_kind& planned) {
    return 8 * static_cast<double>(planned.bytes) / static_cast<double>(planned.lived.items);
}

json workload_json(const planning_request& wanted) {
    return {{"items", wanted.wanted.items},
            {"fpr", wanted.wanted.fpr},
            {"life_is_known", wanted.lifetime != any_lifetime},
            {"remove", wanted.lifetime.removed_share},
            {"churn", wanted.lifetime.churn_rounds},
            {"growth", wanted.lifetime.growth},
            {"deletable", wanted.deletable},
            {"negatives", wanted.negatives},
            {"memory", wanted.memory_bytes ? json(*wanted.memory_bytes) : json(nullptr)}};
}

json candidate_json(const planned_kind& planned, const planning_request& wanted) {
    json made{{"kind", planned.kind->name},
              {"bytes", planned.bytes},
              {"bytes_at_first", planned.first_bytes},
              {"slow_bytes", planned.slow_bytes},
              {"bits_per_item", bits_per_item(planned)},
              {"fpr", to_json(planned.predicted.fpr)},
              {"deletability", to_json(planned.predicted.deletability)},
              {"hashes", planned.hashes ? json(*planned.hashes) : json(nullptr)},
              {"query_lines", planned.query_lines},
              {"cost", planned.cost},
              {"why", why_chosen(planned, wanted)},
              {"command", create_command(planned, wanted)}};
    if (wanted.negatives > 0) made["protect_command"] = protect_command(planned);
    return made;
}

/// The deviation of a measured number from the predicted one.
std::string off_text(double measured, double predicted) {
    if (predicted == 0) return measured == 0 ? "as predicted" : "predicted: 0";
    return fmt::format("{:+.2g} %", (measured / predicted - 1) * 100);
}

std::string compared(std::string_view what, const estimate& found, const std::optional<double>& predicted) {
    return fmt::format("    {:<18}{:<14}{:<36}{}\n", what, predicted ? rate_text(*predicted) : "-",
                       fmt::format("{} ({} .. {})", rate_text(found.mean), rate_text(found.low), rate_text(found.high)),
                       predicted ? off_text(found.mean, *predicted) : "");
}

std::string run_text(const trial_run& run) {
    const simulation_report& found = run.found;
    std::string text = fmt::format("  {}: {} with {}", run.planned.kind->name, counted(run.wanted.trials, "filter"),
                                   counted(found.plan.items, "key"));
    if (run.smaller > 1)
        text += fmt::format(" (scaled down: the workload with {} times as many takes too long)", grouped(run.smaller));
    text += fmt::format(", {} queries for absent keys each\n", grouped(run.wanted.queries));
    text += fmt::format("    {:<18}{:<14}{:<36}{}\n", "", "predicted", "measured (95 % interval)", "deviation");
    text += compared("FPR", found.fpr, found.model.fpr);
    if (found.deletability) text += compared("removable", *found.deletability, found.model.deletability);
    if (found.growth) {
        const double bytes = (found.growth->fast_bits + found.growth->slow_bits) / 8;
        text += fmt::format("    {:<18}{:<14}{:<36}{}\n", "size", bytes_text(run.planned.bytes),
                            bytes_text(static_cast<std::uint64_t>(bytes)),
                            off_text(bytes, static_cast<double>(run.planned.bytes - run.planned.guard_bytes)));
    }
    if (found.false_negatives > 0) text += fmt::format("    {}\n", counted(found.false_negatives, "false negative"));
    if (const std::uint64_t refused = found.inserts.all() - found.inserts.successes(); refused > 0) {
        text += fmt::format("    {} refused\n", counted(refused, "key"));
    }
    return text;
}

std::string candidates_table(const ranking& kinds, const planning_request& wanted) {
    std::string text = fmt::format("      {:<22}{:>11}{:>10}{:>13}{:>11}  {}\n", "kind", "size", "bits/key", "FPR",
                                   "removable", "why");
    std::size_t rank = 0;
    for (const planned_kind& one : kinds.candidates) {
        const bool removable = wanted.lifetime.removes() && one.predicted.deletability;
        text += fmt::format("{:>4}  {:<22}{:>11}{:>10.1f}{:>13}{:>11}  {}\n", ++rank, one.kind->name,
                            bytes_text(one.bytes), bits_per_item(one), rate_text(one.predicted.fpr.value_or(1)),
                            removable ? rate_text(*one.predicted.deletability) : "-", why_chosen(one, wanted));
    }
    return text;
}

std::string commands_text(const planned_kind& best, const planning_request& wanted) {
    std::string text = create_command(best, wanted) + "\n";
    if (wanted.negatives > 0) text += protect_command(best) + "\n";
    return text;
}

} // namespace

json plan_document(const plan_report& report) {
    json made;
    made["workload"] = workload_json(report.wanted);
    made["candidates"] = json::array();
    for (std::size_t i = 0; i < report.kinds.candidates.size(); ++i) {
        made["candidates"].push_back(candidate_json(report.kinds.candidates[i], report.wanted));
        if (i >= report.runs.size()) continue;
        const trial_run& run = report.runs[i];
        made["candidates"].back()["simulation"] = simulation_document(run.empty, run.wanted, run.found);
    }
    made["dropped"] = json::array();
    for (const dropped_kind& one : report.kinds.dropped) {
        made["dropped"].push_back({{"kind", one.kind->name}, {"why", why_dropped(one, report.wanted)}});
    }
    if (report.instead) {
        planning_request wanted = report.wanted;
        wanted.wanted.fpr = report.instead->fpr;
        made["lowest_affordable"] = candidate_json(report.instead->kinds.candidates.front(), wanted);
    }
    return made;
}

std::string plan_table(const plan_report& report) {
    const planning_request& wanted = report.wanted;
    std::string text = workload_words(wanted) + "\n\n";
    if (!report.kinds.candidates.empty()) text += candidates_table(report.kinds, wanted);
    if (!report.kinds.dropped.empty())
        text += fmt::format("{}Ruled out:\n", report.kinds.candidates.empty() ? "" : "\n");
    for (const dropped_kind& one : report.kinds.dropped) {
        text += fmt::format("      {:<22}{}\n", one.kind->name, why_dropped(one, wanted));
    }
    if (!report.runs.empty()) text += "\nSimulated:\n";
    for (const trial_run& run : report.runs) text += run_text(run);
    text += "\n";
    if (!report.kinds.candidates.empty()) return text + commands_text(report.kinds.candidates.front(), wanted);
    if (!report.instead) return text + "No kind supports this workload.\n";
    planning_request possible = wanted;
    possible.wanted.fpr = report.instead->fpr;
    const planned_kind& best = report.instead->kinds.candidates.front();
    return text +
           fmt::format("No kind reaches that FPR in {}. The lowest FPR in that memory is {}, with {}:\n",
                       bytes_text(wanted.memory_bytes.value_or(0)), rate_text(report.instead->fpr), best.kind->name) +
           commands_text(best, possible);
}

} // namespace everbloom::cli
