// gate: rejects packets of blacklisted senders, finds patterns of bad data across packets, and bans a sender after three of them.
#include "filters/output_file.hpp"
#include "filters/whole_file.hpp"
#include "frame/interruption.hpp"
#include "gate/commands/gate_commands.hpp"
#include "gate/commands/gate_flags.hpp"
#include "gate/metrics.hpp"
#include "gate/quit_key.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <everbloom/hash/checksum.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace everbloom::cli {
namespace {

/// Input that is read before the first packet, so that an error in it is found at once.
struct gate_input {
    blacklist banned;
    std::optional<gate_patterns> patterns;
    std::vector<ip_address> queries;
    std::unique_ptr<packet_source> source; // null: only queries
};

result<gate_input> read_input(const gate_flags& flags, const cancellation& cancel) {
    gate_input input;
    if (flags.blacklist) {
        auto banned = read_blacklist(*flags.blacklist, cancel);
        if (!banned) return fail(std::move(banned.error()));
        input.banned = std::move(*banned);
    }
    if (flags.patterns) {
        auto patterns = read_patterns(*flags.patterns, cancel);
        if (!patterns) return fail(std::move(patterns.error()));
        input.patterns = std::move(*patterns);
    }
    if (flags.query) {
        // All answers are kept for the report; in JSON each is an object.
        constexpr std::uint64_t most_queries = 1'000'000;
        constexpr std::uint64_t most_queries_in_json = 100'000;
        auto queries = read_addresses(*flags.query, flags.output.as_json ? most_queries_in_json : most_queries, cancel);
        if (!queries) return fail(std::move(queries.error()));
        input.queries = std::move(*queries);
    }
    if (!flags.packets && !flags.interface) return input;
    auto source = flags.interface ? open_interface(*flags.interface, cancel)
                                  : open_packet_file(*flags.packets, flags.format_of_packets(), cancel);
    if (!source) return fail(std::move(source.error()));
    input.source = std::move(*source);
    return input;
}

/// Loads the saved gate or makes a new one, and adds the blacklist.
result<saved_gate> prepare(const gate_flags& flags, gate_plan plan, gate_input& input,
                           const std::optional<gate_state>& state) {
    const auto hash = flags.hashing.make();
    if (!hash) return fail(hash.error());
    std::optional<saved_gate> made;
    if (state && state->holds_gate()) {
        auto loaded = state->load(plan.mode, plan.limits, std::move(input.patterns), *hash);
        if (!loaded) return fail(std::move(loaded.error()));
        made.emplace(std::move(*loaded));
    } else {
        plan.filters.bad_addresses =
            std::max<std::uint64_t>(plan.filters.bad_addresses, 2 * input.banned.addresses.size());
        auto fresh = gate::make(plan, *hash, std::move(input.patterns).value_or(gate_patterns{}));
        if (!fresh) return fail(std::move(fresh.error()));
        made.emplace(saved_gate{std::move(*fresh), {}});
    }
    made->state.ban(input.banned.networks);
    const auto& addresses = input.banned.addresses;
    const std::uint64_t sum = checksum(addresses.data(), addresses.size() * sizeof(ip_address));
    if (!addresses.empty() && sum != made->history.blacklist_checksum) {
        for (const ip_address& one : addresses) {
            if (auto banned = made->state.ban(one); !banned) return fail(std::move(banned.error()));
        }
        made->history.blacklist_checksum = sum;
    }
    return std::move(*made);
}

result<void> export_bans(const gate_flags& flags, const gate_run& run) {
    if (!flags.exported) return {};
    const std::string commands = ban_commands(run.banned(), flags.syntax_of_bans(), flags.export_name);
    return write_whole_file(*flags.exported, bytes_of(commands), flags.inputs());
}

result<void> write_metrics(const gate_flags& flags, const gate_report& report) {
    if (!flags.metrics) return {};
    const std::string text = metrics_text(report);
    return write_whole_file(*flags.metrics, bytes_of(text), flags.inputs());
}

json line_of(const gate_report& report, double rate, const char* moment) {
    json line = json_of(report);
    line["moment"] = moment;
    line["packets_per_second_lately"] = rate;
    return line;
}

/// The periodic report: live view, JSON lines, and newly exported bans.
gate_run::reporter reporter_of(const gate_flags& flags, live_view& view, const gate_run& run) {
    return [&flags, &view, &run, exported = std::size_t{0}](const gate_report& report,
                                                            double rate) mutable -> result<void> {
        if (flags.watched()) view.show(report, rate);
        if (run.banned().size() != exported) {
            exported = run.banned().size();
            if (auto written = export_bans(flags, run); !written) return written;
        }
        if (auto written = write_metrics(flags, report); !written) return written;
        return flags.json_lines() ? write_output(json_line(line_of(report, rate, "running"))) : result<void>{};
    };
}

void print(const gate_flags& flags, const gate_report& report) {
    if (flags.json_lines()) {
        fmt::print("{}", json_line(line_of(report, 0, "end")));
    } else if (flags.output.as_json) {
        print_document(json_of(report));
    } else {
        if (flags.output.wants_text()) fmt::print("{}", text_of(report));
        if (flags.output.wants_text() && !report.answers.empty()) fmt::print("\n");
        for (const asked_address& one : report.answers) fmt::print("{}\n", text_of(one));
    }
}

std::vector<asked_address> answer(const gate& judged, const std::vector<ip_address>& queries) {
    std::vector<asked_address> answers;
    answers.reserve(queries.size());
    for (const ip_address& one : queries) answers.push_back({one, judged.ask(one), judged.truth(one)});
    return answers;
}

failure interrupted_gate(const gate_flags& flags, const gate_report& report) {
    std::string sentence = "interrupted after " + counted(report.packets_now, "packet") + "; ";
    // Written while the gate runs.
    std::string written;
    const auto add = [&](std::string_view what, const std::optional<std::string>& path) {
        if (path && *path != "-") written += (written.empty() ? "" : ", ") + std::string(what) + " in " + *path;
    };
    add("earlier bans may be", flags.exported);
    add("earlier events may be", flags.events);
    add("counters may be", flags.metrics);
    if (flags.checkpoint || flags.checkpoint_packets) add("the last checkpoint is", flags.state);
    sentence += written.empty() ? "nothing was changed" : written + "; nothing else was changed";
    return {failure_reason::input_output, std::move(sentence)};
}

result<int> run_gate(const gate_flags& flags) {
    if (auto sound = flags.check(); !sound) return fail(std::move(sound.error()));
    const auto plan = flags.plan();
    const auto options = flags.options();
    if (!plan) return fail(plan.error());
    const auto rules = flags.checkpoint_plan();
    if (!options) return fail(options.error());
    if (!rules) return fail(rules.error());
    interruption stopper;
    auto input = read_input(flags, stopper.cancel());
    if (!input) return fail(std::move(input.error()));
    std::optional<gate_state> state;
    if (flags.state) {
        auto opened = gate_state::open(*flags.state);
        if (!opened) return fail(std::move(opened.error()));
        state.emplace(std::move(*opened));
    }
    auto ready = prepare(flags, *plan, *input, state);
    if (!ready) return fail(std::move(ready.error()));
    std::optional<verdict_file> verdicts;
    if (flags.verdicts) {
        auto begun = verdict_file::begin(*flags.verdicts, flags.inputs());
        if (!begun) return fail(std::move(begun.error()));
        verdicts.emplace(std::move(*begun));
    }

    std::optional<event_log> events;
    if (flags.events) {
        auto begun = event_log::begin(*flags.events, flags.inputs());
        if (!begun) return fail(std::move(begun.error()));
        events.emplace(std::move(*begun));
    }
    for (const auto& path : {flags.exported, flags.metrics}) {
        // Rewritten while the gate runs, so it is not held open; but a file that cannot be written is an error before any work.
        if (!path) continue;
        auto writable = output_file::begin_other(*path, flags.inputs(), readers::by_umask);
        if (!writable) return fail(std::move(writable.error()));
    }

    gate_run run(ready->state, ready->history, std::move(verdicts), std::move(events), *options);
    if (input->source) {
        std::optional<quit_key> quit;
        if (flags.watched()) quit.emplace(stopper.cancel());
        live_view view(flags.interface ? *flags.interface : *flags.packets, quit && quit->active() ? "q: quit" : "");
        checkpoints saves;
        if (state && flags.is_live())
            saves = checkpoints(*rules, [&] { return state->checkpoint(ready->state, ready->history); });
        auto ran = run.run(*input->source, stopper.cancel(), reporter_of(flags, view, run), std::move(saves));
        // On an interface an interruption is the normal end; in the middle of a file it is a cancellation.
        const bool is_cancelled = interruption::caught() != 0 && !flags.interface;
        if (is_cancelled) return fail(interrupted_gate(flags, run.report()));
        if (!ran) return fail(std::move(ran.error()));
    }
    gate_report report = run.report();
    report.answers = answer(ready->state, input->queries);
    if (auto finished = run.finish(); !finished) return fail(std::move(finished.error()));
    if (auto exported = export_bans(flags, run); !exported) return fail(std::move(exported.error()));
    if (auto written = write_metrics(flags, report); !written) return fail(std::move(written.error()));
    if (state) {
        if (auto saved = state->save(ready->state, ready->history); !saved) return fail(std::move(saved.error()));
    }
    print(flags, report);
    return exit_done;
}

} // namespace

void declare_gate(command_line& line) {
    auto flags = std::make_shared<gate_flags>();
    command_flags command = line.add("gate", "Filter packets by sender and content; ban a sender after three strikes",
                                     "everbloom gate generate --packets 100k --senders 2000 --seed 7 --out traffic\n"
                                     "everbloom gate --blacklist traffic/blacklist.txt --patterns traffic/patterns.txt "
                                     "--packets traffic/packets.raw --compare",
                                     [flags] { return run_gate(*flags); });
    flags->declare(command);
}

} // namespace everbloom::cli
