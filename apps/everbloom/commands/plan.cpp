// plan: ranks the kinds of filters for a workload, with size, FPR and the reason for each.
#include "commands/commands.hpp"
#include "commands/plan/lifetime_flags.hpp"
#include "commands/plan/report.hpp"
#include "commands/plan/trial_run.hpp"
#include "filters/geometry_flags.hpp"
#include "frame/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

namespace everbloom::cli {
namespace {

struct plan_flags {
    geometry_flags size;
    lifetime_flags lifetime;
    std::optional<std::string> negatives;
    std::optional<std::string> memory;
    bool simulated = false;
    unsigned top = 1;
    std::string seed = "1";
    summary_flags output;
};

result<planning_request> request_of(const plan_flags& flags) {
    planning_request wanted;
    const auto asked = flags.size.workload_request();
    const auto lifetime = flags.lifetime.expected();
    const auto deletable = flags.lifetime.deletable();
    if (!asked) return fail(asked.error());
    if (!lifetime) return fail(lifetime.error());
    if (!deletable) return fail(deletable.error());
    if (!asked->items) {
        return fail(failure_reason::bad_parameter,
                    "the number of keys is missing; use --capacity N, for example --capacity 1M");
    }
    wanted.wanted = {*asked->items, asked->fpr.value_or(workload{}.fpr)};
    wanted.lifetime = lifetime->value_or(any_lifetime);
    wanted.deletable = *deletable;
    if (flags.negatives) {
        const auto negatives = size_of_flag("--negatives", *flags.negatives);
        if (!negatives) return fail(negatives.error());
        wanted.negatives = *negatives;
    }
    if (flags.memory) {
        const auto memory = size_of_flag("--memory", *flags.memory);
        if (!memory) return fail(memory.error());
        if (*memory == 0)
            return fail(failure_reason::bad_parameter, "--memory: '0' is too small; no filter fits into 0 bytes");
        wanted.memory_bytes = *memory;
    }
    return wanted;
}

result<int> run(const plan_flags& flags) {
    plan_report report;
    auto wanted = request_of(flags);
    if (!wanted) return fail(std::move(wanted.error()));
    report.wanted = *wanted;
    const auto seed = size_of_flag("--seed", flags.seed);
    if (!seed) return fail(seed.error());
    auto ranked = rank_kinds(report.wanted);
    if (!ranked) return fail(std::move(ranked.error()));
    report.kinds = std::move(*ranked);
    if (report.kinds.candidates.empty() && report.wanted.memory_bytes) {
        auto instead = lowest_affordable_rate(report.wanted);
        if (!instead) return fail(std::move(instead.error()));
        report.instead = std::move(*instead);
    }
    const trial_run_options options{*seed, std::max(1u, std::thread::hardware_concurrency()),
                                    flags.output.progress_mode()};
    const std::size_t runs = flags.simulated ? std::min<std::size_t>(flags.top, report.kinds.candidates.size()) : 0;
    for (std::size_t i = 0; i < runs; ++i) {
        auto ran = run_planned(report.kinds.candidates[i], report.wanted, options);
        if (!ran) return fail(in("--simulate", std::move(ran.error())));
        report.runs.push_back(std::move(*ran));
    }
    if (flags.output.as_json) print_document(plan_document(report));
    if (flags.output.wants_text()) fmt::print("{}", plan_table(report));
    return report.kinds.candidates.empty() ? exit_nothing : exit_done;
}

} // namespace

void declare_plan(command_line& line) {
    const auto flags = std::make_shared<plan_flags>();
    command_flags command = line.add("plan", "Choose a kind of filter for a workload, with size, FPR and reasons",
                                     "everbloom plan --capacity 1M --fpr 0.1% --remove 30% --growth 16x\n"
                                     "everbloom plan --capacity 10k --fpr 1% --churn 3 --simulate --top 2",
                                     [flags] { return run(*flags); });
    flags->size.declare_workload(command);
    command.add_option("--memory", flags->memory, "memory limit (64MiB, ...)")->type_name("BYTES")->group("Size");
    flags->lifetime.declare(command);
    flags->lifetime.declare_growth(command);
    command.add_option("--negatives", flags->negatives, "number of known negatives to exclude (see 'protect')")
        ->type_name("N")
        ->group("Workload");
    command.add_flag("--simulate", flags->simulated,
                     "run the workload on real filters and compare with the prediction");
    command.add_option("--top", flags->top, "number of kinds to simulate, best first (default: 1)")
        ->within(1, 100)
        ->type_name("N");
    command.add_option("--seed", flags->seed, "seed of the simulation (default: 1)")->type_name("S");
    flags->output.declare(command);
    command.before_examples("\nHow kinds are ranked:\n"
                            "  Each kind gets the smallest size that holds the target FPR to the end of the workload. "
                            "Fewer bytes rank higher. Each\n"
                            "  cache line after the first that a query may read counts as 25 % more bytes. Kinds that "
                            "could not remove one member in\n"
                            "  a thousand come last. If the set may grow, the bytes are the geometric mean of the "
                            "initial and the final size. Without\n"
                            "  any flag of the workload, all of it may happen: removals, churn, growth. With at least "
                            "one, only what the flags say.\n"
                            "  See docs/choosing.md.\n");
}

} // namespace everbloom::cli
