// simulate: fills filters with random keys, runs a workload, and measures what the model predicts.
#include "filters/geometry_flags.hpp"
#include "frame/summary.hpp"
#include "lab/commands/lab_commands.hpp"
#include "output/json_output.hpp"
#include "output/progress.hpp"
#include "output/simulation_report.hpp"

#include <everbloom/simulation/affordable.hpp>
#include <everbloom/simulation/simulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

namespace everbloom::cli {
namespace {

struct simulate_flags {
    std::string kind;
    geometry_flags geometry;
    std::string removed = "0";
    std::string churn;
    std::string churn_steps;
    std::string queries;
    std::string trials = "10";
    std::string seed = "1";
    std::string threads;
    summary_flags output;
};

result<std::uint64_t> churn_steps(const simulate_flags& flags, std::uint64_t items) {
    if (!flags.churn_steps.empty()) return size_of_flag("--churn-steps", flags.churn_steps);
    if (flags.churn.empty()) return 0;
    const auto rounds = number_of_flag("--churn", flags.churn);
    if (!rounds) return fail(rounds.error());
    const double steps = std::round(*rounds * static_cast<double>(items));
    if (steps >= static_cast<double>(stream_numbers)) {
        return fail(failure_reason::bad_parameter, "--churn: '" + flags.churn + "' is over the limit of 2^62 steps");
    }
    return static_cast<std::uint64_t>(steps);
}

result<unsigned> threads_of(const simulate_flags& flags) {
    constexpr std::uint64_t most = 1024;
    if (flags.threads.empty()) return std::max(1u, std::thread::hardware_concurrency());
    const auto threads = size_of_flag("--threads", flags.threads, 1, most);
    if (!threads) return fail(threads.error());
    return static_cast<unsigned>(*threads);
}

result<simulation_request> simulation_of(const simulate_flags& flags, std::uint64_t items) {
    simulation_request wanted;
    wanted.items = items;
    const auto removed = share_of_flag("--removed", flags.removed);
    if (!removed) return fail(removed.error());
    const auto steps = churn_steps(flags, items);
    if (!steps) return fail(steps.error());
    const auto threads = threads_of(flags);
    if (!threads) return fail(threads.error());
    wanted.removed_share = *removed;
    wanted.churn_steps = *steps;
    wanted.threads = *threads;
    for (const auto& [flag, text, number] :
         {std::tuple{"--trials", &flags.trials, &wanted.trials}, std::tuple{"--seed", &flags.seed, &wanted.seed},
          std::tuple{"--queries", &flags.queries, &wanted.queries}}) {
        if (text->empty()) continue;
        const auto value = size_of_flag(flag, *text);
        if (!value) return fail(value.error());
        *number = *value;
    }
    // At most 1e8 queries over all trials.
    constexpr std::uint64_t queries_in_all = 100'000'000;
    if (flags.queries.empty() && wanted.trials > 0) {
        wanted.queries = std::clamp<std::uint64_t>(queries_in_all / wanted.trials, 1000, wanted.queries);
    }
    return wanted;
}

result<int> run(const simulate_flags& flags) {
    const auto filter_wanted = flags.geometry.request(flags.kind);
    if (!filter_wanted) return fail(filter_wanted.error());
    if (!filter_wanted->items) {
        return fail(failure_reason::bad_parameter,
                    "the number of keys is missing; use --items, for example --items 10k");
    }
    const auto wanted = simulation_of(flags, *filter_wanted->items);
    if (!wanted) return fail(wanted.error());
    const auto empty = build(as_in_paper(*filter_wanted));
    if (!empty) return fail(empty.error());
    if (auto affordable = check_affordable(*empty, *wanted); !affordable) return fail(std::move(affordable.error()));
    // Progress is reported in trials, where other commands report bytes of input.
    progress watched(flags.output.quiet ? progress::mode::silent : progress::mode::shown, wanted->trials);
    const auto found = simulate(*empty, *wanted, [&](std::uint64_t keys) { watched.advance(keys, 1); });
    if (!found) return fail(found.error());
    if (flags.output.as_json) print_document(simulation_document(*empty, *wanted, *found));
    if (flags.output.wants_text()) fmt::print("{}", simulation_table(*empty, *wanted, *found));
    return exit_done;
}

} // namespace

void declare_simulate(command_line& line) {
    const auto flags = std::make_shared<simulate_flags>();
    command_flags command =
        line.add("simulate", "Measure the FPR and deletable share of a filter kind against its model",
                 "everbloom simulate bloom --bits 65536 --hashes 4 --items 4096\n"
                 "everbloom simulate counting --items 10k --fpr 1% --removed 30% --trials 20 --json",
                 [flags] { return run(*flags); });
    command.add_option("KIND", flags->kind, names_of_kinds())->required()->suggests(list_of_kinds());
    flags->geometry.declare(command, key_count::insertions);
    command
        .add_option("--removed", flags->removed,
                    "share of extra keys, relative to --items, that are inserted and deleted again")
        ->type_name("SHARE")
        ->group("Workload");
    auto churn = command.add_option("--churn", flags->churn,
                                    "churn rounds: each replaces as many keys as there are, one at a time");
    churn->type_name("ROUNDS")->group("Workload");
    command
        .add_option("--churn-steps", flags->churn_steps,
                    "number of churn steps: delete a random member, insert a new key")
        ->type_name("N")
        ->group("Workload")
        ->excludes(churn);
    command
        .add_option("--queries", flags->queries, "absent keys to query per trial (default: 1e6, at most 1e8 in total)")
        ->type_name("Q");
    command.add_option("--trials", flags->trials, "number of filters to fill, each with its own keys (default: 10)")
        ->type_name("T");
    command
        .add_option("--seed", flags->seed, "seed of the random keys; the same seed gives the same result (default: 1)")
        ->type_name("S");
    command.add_option("--threads", flags->threads, "number of threads (default: one per core)")->type_name("N");
    flags->output.declare(command);
    command.before_examples(
        "\nA yes_no filter is built by first-fit, as in its paper, unless --assign says otherwise.\n");
}

} // namespace everbloom::cli
