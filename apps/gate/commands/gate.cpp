// gate: judges packets: refuses blacklisted senders, finds known bad data across packets, and bans whoever sent it three times.
#include "filters/hasher_flags.hpp"
#include "filters/kind_names.hpp"
#include "filters/output_file.hpp"
#include "filters/whole_file.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "gate/commands/gate_commands.hpp"
#include "gate/run.hpp"
#include "keys/key_text.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <everbloom/hash/checksum.hpp>
#include <everbloom/runtime/quantity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace everbloom::cli {
namespace {

struct gate_flags {
    std::optional<std::string> blacklist;
    std::optional<std::string> patterns;
    std::optional<std::string> packets;
    std::optional<std::string> interface;
    std::optional<std::string> query;
    std::optional<std::string> state;
    std::optional<std::string> verdicts;
    std::optional<std::string> exported;
    std::string format = "auto";
    std::string undecodable = "drop";
    std::string export_syntax = "nft";
    std::string export_name = "everbloom";
    bool exact = false;
    bool compare = false;
    bool watch = false;
    std::string fpr = "0.1%";
    std::string pattern_fpr = "1e-9";
    std::string good_kind = filter_wishes{}.good_kind;
    std::string bad_kind = filter_wishes{}.bad_kind;
    std::string senders = "10k";
    std::string most_senders = "1M";
    std::optional<std::string> count;
    std::optional<std::string> seconds;
    std::optional<std::string> every;
    hasher_flags hashing;
    summary_flags output;

    [[nodiscard]] bool watched() const {
        return (watch || interface) && messages_are_on_terminal() && output.wants_text();
    }
    /// The files it reads.
    [[nodiscard]] std::vector<std::string> inputs() const {
        std::vector<std::string> named;
        for (const auto& one : {blacklist, patterns, packets, query}) {
            if (one) named.push_back(*one);
        }
        return named;
    }
    [[nodiscard]] bool json_lines() const { return output.as_json && (interface || every || watch); }
};

/// Everything that is read before the first packet, so that a mistake in it costs nothing.
struct gate_input {
    std::vector<ip_address> blacklist;
    std::optional<pattern_list> patterns;
    std::vector<ip_address> queries;
    std::unique_ptr<packet_source> source; // none: there are only questions
};

result<double> seconds_of_flag(const std::string& flag, const std::string& text) {
    const auto value = parse_number(text);
    if (!value || *value <= 0) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: '{}' is no number of seconds", flag, printable(text)));
    }
    return *value;
}

result<gate_plan> plan_of(const gate_flags& flags) {
    gate_plan plan;
    plan.mode = flags.compare ? gate_mode::compare : flags.exact ? gate_mode::exact : gate_mode::filters;
    plan.filters.good_kind = flags.good_kind;
    plan.filters.bad_kind = flags.bad_kind;
    const auto fpr = rate_of_flag("--fpr", flags.fpr);
    const auto pattern_fpr = rate_of_flag("--pattern-fpr", flags.pattern_fpr);
    const auto senders = size_of_flag("--senders", flags.senders);
    const auto most = size_of_flag("--max-senders", flags.most_senders);
    if (!fpr) return fail(fpr.error());
    if (!pattern_fpr) return fail(pattern_fpr.error());
    if (!senders) return fail(senders.error());
    if (!most) return fail(most.error());
    constexpr std::uint64_t most_slots = sender_table::nobody - 1;
    if (*most == 0 || *most > most_slots) {
        return fail(failure_reason::bad_parameter, fmt::format("--max-senders: must be from 1 to {}", most_slots));
    }
    plan.filters.fpr = *fpr;
    plan.filters.pattern_fpr = *pattern_fpr;
    plan.filters.senders = *senders;
    plan.most_senders = *most;
    return plan;
}

result<run_wishes> wishes_of(const gate_flags& flags) {
    run_wishes wishes;
    wishes.undecodable = flags.undecodable == "pass" ? on_undecodable::pass : on_undecodable::drop;
    if (flags.count) {
        const auto count = size_of_flag("--count", *flags.count);
        if (!count) return fail(count.error());
        wishes.most_packets = *count;
    }
    if (flags.seconds) {
        const auto seconds = seconds_of_flag("--seconds", *flags.seconds);
        if (!seconds) return fail(seconds.error());
        wishes.most_seconds = *seconds;
    }
    if (flags.every || flags.watched() || flags.json_lines() || flags.interface) {
        const auto every = seconds_of_flag("--every", flags.every.value_or("1"));
        if (!every) return fail(every.error());
        wishes.tell_every = *every;
    }
    if (!flags.watched() && !flags.interface) wishes.shown = flags.output.progress_mode();
    return wishes;
}

packet_format format_of(const std::string& word) {
    if (word == "raw") return packet_format::raw;
    if (word == "text") return packet_format::text;
    return word == "pcap" ? packet_format::capture : packet_format::automatic;
}

ban_syntax syntax_of(const std::string& word) {
    if (word == "ipset") return ban_syntax::ipset;
    return word == "plain" ? ban_syntax::plain : ban_syntax::nft;
}

result<gate_input> read_input(const gate_flags& flags, const cancellation& cancel) {
    gate_input input;
    if (flags.blacklist) {
        auto blacklist = read_address_set(*flags.blacklist, cancel);
        if (!blacklist) return fail(std::move(blacklist.error()));
        input.blacklist = std::move(*blacklist);
    }
    if (flags.patterns) {
        auto patterns = read_patterns(*flags.patterns, cancel);
        if (!patterns) return fail(std::move(patterns.error()));
        input.patterns = std::move(*patterns);
    }
    if (flags.query) {
        // Every answer is kept for the report, in JSON as an object of its own.
        constexpr std::uint64_t most_queries = 1'000'000;
        constexpr std::uint64_t most_queries_in_json = 100'000;
        auto queries = read_addresses(*flags.query, flags.output.as_json ? most_queries_in_json : most_queries, cancel);
        if (!queries) return fail(std::move(queries.error()));
        input.queries = std::move(*queries);
    }
    if (!flags.packets && !flags.interface) return input;
    auto source = flags.interface ? open_interface(*flags.interface, cancel)
                                  : open_packet_file(*flags.packets, format_of(flags.format), cancel);
    if (!source) return fail(std::move(source.error()));
    input.source = std::move(*source);
    return input;
}

/// The saved gate, or a new one; with the blacklist in it.
result<saved_gate> prepare(const gate_flags& flags, gate_plan plan, gate_input& input,
                           const std::optional<gate_state>& state) {
    const auto hash = flags.hashing.make();
    if (!hash) return fail(hash.error());
    std::optional<saved_gate> made;
    if (state && state->holds_gate()) {
        auto loaded = state->load(plan.mode, plan.most_senders, std::move(input.patterns), *hash);
        if (!loaded) return fail(std::move(loaded.error()));
        made.emplace(std::move(*loaded));
    } else {
        plan.filters.bad_addresses = std::max<std::uint64_t>(plan.filters.bad_addresses, 2 * input.blacklist.size());
        auto fresh = gate::make(plan, *hash, std::move(input.patterns).value_or(pattern_list{}));
        if (!fresh) return fail(std::move(fresh.error()));
        made.emplace(saved_gate{std::move(*fresh), {}});
    }
    const std::uint64_t sum = checksum(input.blacklist.data(), input.blacklist.size() * sizeof(ip_address));
    if (!input.blacklist.empty() && sum != made->history.blacklist_checksum) {
        for (const ip_address& one : input.blacklist) {
            if (auto banned = made->state.ban(one); !banned) return fail(std::move(banned.error()));
        }
        made->history.blacklist_checksum = sum;
    }
    return std::move(*made);
}

result<void> export_bans(const gate_flags& flags, const gate_run& run) {
    if (!flags.exported) return {};
    const std::string commands = ban_commands(run.banned(), syntax_of(flags.export_syntax), flags.export_name);
    return write_whole_file(*flags.exported, bytes_of(commands), flags.inputs());
}

json line_of(const gate_report& report, double rate, const char* moment) {
    json line = json_of(report);
    line["moment"] = moment;
    line["packets_per_second_lately"] = rate;
    return line;
}

/// What is told while packets come: a view, JSON lines, bans for those who enforce them.
gate_run::teller teller_of(const gate_flags& flags, live_view& view, const gate_run& run) {
    return [&flags, &view, &run, exported = std::size_t{0}](const gate_report& report,
                                                            double rate) mutable -> result<void> {
        if (flags.watched()) view.show(report, rate);
        if (run.banned().size() != exported) {
            exported = run.banned().size();
            if (auto written = export_bans(flags, run); !written) return written;
        }
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
    for (const ip_address& one : queries) answers.push_back({one, judged.ask(one), judged.truth(one)});
    return answers;
}

result<void> check_flags(const gate_flags& flags) {
    if (!flags.packets && !flags.interface && !flags.query && !flags.state) {
        return fail(failure_reason::bad_parameter,
                    "where are the packets? say --packets FILE or --interface NAME; --query FILE asks about addresses");
    }
    for (const auto& output : {flags.verdicts, flags.exported}) {
        if (!output || *output == "-") continue;
        if (auto other = refuse_input_as_output(*output, flags.inputs()); !other) return other;
    }
    if (flags.verdicts && flags.exported && *flags.verdicts != "-" &&
        (*flags.verdicts == *flags.exported || is_same_file(*flags.verdicts, *flags.exported))) {
        return fail(failure_reason::bad_parameter,
                    *flags.exported + ": is named by --verdicts and by --export; give each a file of its own");
    }
    return check_set_name(flags.export_name);
}

failure interrupted_gate(const gate_flags& flags, const gate_report& report) {
    std::string sentence = "interrupted after " + counted(report.packets_now, "packet") + "; ";
    // Bans are written as they come, for whoever enforces them.
    sentence += flags.exported ? "bans until then may be in " + *flags.exported + ", nothing else was changed"
                               : "nothing was changed";
    return {failure_reason::input_output, std::move(sentence)};
}

result<int> run_gate(const gate_flags& flags) {
    if (auto sound = check_flags(flags); !sound) return fail(std::move(sound.error()));
    const auto plan = plan_of(flags);
    const auto wishes = wishes_of(flags);
    if (!plan) return fail(plan.error());
    if (!wishes) return fail(wishes.error());
    interruption stopper;
    auto input = read_input(flags, stopper.wish());
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

    if (flags.exported) {
        // Written again and again while the gate runs, so not held open; but what cannot be written is refused before any work.
        auto writable = output_file::begin_other(*flags.exported, flags.inputs());
        if (!writable) return fail(std::move(writable.error()));
    }

    gate_run run(ready->state, ready->history, std::move(verdicts), *wishes);
    if (input->source) {
        live_view view(flags.interface ? *flags.interface : *flags.packets);
        auto ran = run.run(*input->source, stopper.wish(), teller_of(flags, view, run));
        // At an interface an interruption is how a run ends; in the middle of a file it is a change of mind.
        const bool is_change_of_mind = interruption::caught() != 0 && !flags.interface;
        if (is_change_of_mind) return fail(interrupted_gate(flags, run.report()));
        if (!ran) return fail(std::move(ran.error()));
    }
    gate_report report = run.report();
    report.answers = answer(ready->state, input->queries);
    if (auto finished = run.finish(); !finished) return fail(std::move(finished.error()));
    if (auto exported = export_bans(flags, run); !exported) return fail(std::move(exported.error()));
    if (state) {
        if (auto saved = state->save(ready->state, ready->history); !saved) return fail(std::move(saved.error()));
    }
    print(flags, report);
    return exit_done;
}

void declare_sources(command_flags& command, gate_flags& flags) {
    command.add_option("--blacklist", flags.blacklist, "addresses to refuse, one per line, # comments")
        ->type_name("FILE");
    command.add_option("--patterns", flags.patterns, "bad data: 1 to 64 words of 8 hexadecimal digits per line")
        ->type_name("FILE");
    auto packets =
        command.add_option("--packets", flags.packets, "the packets; - is standard input; may be compressed");
    packets->type_name("FILE");
    command
        .add_option("--format", flags.format, "raw (8 bytes: address, data), text (ADDRESS HEX...), pcap (also pcapng)")
        ->one_of({"auto", "raw", "text", "pcap"})
        ->capture_default_str();
    command.add_option("--interface", flags.interface, "judge the packets that arrive there, until interrupted")
        ->type_name("NAME")
        ->excludes(packets);
    command.add_option("--query", flags.query, "addresses to ask about at the end: BAD, GOOD or NEITHER")
        ->type_name("FILE");
}

void declare_results(command_flags& command, gate_flags& flags) {
    command
        .add_option("--state", flags.state, "resume from this directory if it holds a gate, and save there at the end")
        ->type_name("DIR");
    command.add_option("--verdicts", flags.verdicts, "write 'index address ACCEPT|BAD|REJECT' for every packet")
        ->type_name("FILE");
    command.add_option("--export", flags.exported, "write the addresses that were banned in this run")
        ->type_name("FILE");
    command.add_option("--export-syntax", flags.export_syntax, "for whom: commands for nft or ipset, or a plain list")
        ->one_of({"nft", "ipset", "plain"})
        ->capture_default_str();
    command.add_option("--export-name", flags.export_name, "name of the nft table, or beginning of the ipset sets")
        ->type_name("NAME")
        ->capture_default_str();
    command.add_flag("--watch", flags.watch,
                     "show counters and offenders while it runs (interfaces: always), on a terminal");
    command.add_option("--every", flags.every, "seconds between two views, or two JSON lines")->type_name("SECONDS");
}

void declare_rules(command_flags& command, gate_flags& flags) {
    auto exact = command.add_flag("--exact", flags.exact, "decide by exact sets: the truth");
    command.add_flag("--compare", flags.compare, "filters and exact sets side by side, and how they differ")
        ->excludes(exact);
    command.add_option("--fpr", flags.fpr, "share of innocent senders that may be taken for bad or good ones")
        ->type_name("P")
        ->capture_default_str();
    command.add_option("--pattern-fpr", flags.pattern_fpr, "share of harmless words that may be taken for bad data")
        ->type_name("P")
        ->capture_default_str();
    command.add_option("--good-kind", flags.good_kind, "kind of filter for senders seen; it must be able to remove")
        ->type_name("KIND")
        ->suggests(list_of_kinds())
        ->capture_default_str();
    command.add_option("--bad-kind", flags.bad_kind, "kind of filter for refused addresses")
        ->type_name("KIND")
        ->suggests(list_of_kinds())
        ->capture_default_str();
    command.add_option("--senders", flags.senders, "senders to make room for at first; kinds that can, grow")
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--max-senders", flags.most_senders,
                    "senders to remember at most; whoever was seen longest ago goes first")
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--on-undecodable", flags.undecodable, "what happens to packets without a sender that can be read")
        ->one_of({"drop", "pass"})
        ->capture_default_str();
    command.add_option("--count", flags.count, "stop after so many packets")->type_name("N");
    command.add_option("--seconds", flags.seconds, "stop after so many seconds")->type_name("SECONDS");
}

} // namespace

void declare_gate(command_line& line) {
    auto flags = std::make_shared<gate_flags>();
    command_flags command = line.add("gate", "Judge packets: blacklists, bad data across packets, three strikes",
                                     "everbloom gate generate --packets 100k --senders 2000 --seed 7 --out traffic\n"
                                     "everbloom gate --blacklist traffic/blacklist.txt --patterns traffic/patterns.txt "
                                     "--packets traffic/packets.raw --compare",
                                     [flags] { return run_gate(*flags); });
    declare_sources(command, *flags);
    declare_rules(command, *flags);
    declare_results(command, *flags);
    flags->hashing.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
