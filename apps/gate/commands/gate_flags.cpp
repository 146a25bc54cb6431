#include "gate/commands/gate_flags.hpp"

#include "filters/kind_names.hpp"
#include "filters/output_file.hpp"
#include "frame/flag_values.hpp"
#include "output/message.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>
#include <everbloom/runtime/quantity.hpp>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>

namespace everbloom::cli {
namespace {

result<double> seconds_of_flag(const std::string& flag, const std::string& text) {
    const auto value = parse_number(text);
    if (!value || *value <= 0) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: '{}' is not a positive number of seconds", flag, printable(text)));
    }
    return *value;
}

/// Do both names mean one file? It need not exist yet.
bool is_one_output(const std::string& one, const std::string& other) {
    return std::filesystem::path(one).lexically_normal() == std::filesystem::path(other).lexically_normal() ||
           is_same_file(one, other);
}

} // namespace

std::vector<std::string> gate_flags::inputs() const {
    std::vector<std::string> named;
    for (const auto& one : {blacklist, patterns, packets, query}) {
        if (one) named.push_back(*one);
    }
    return named;
}

bool gate_flags::watched() const { return (watch || interface) && messages_are_on_terminal() && output.wants_text(); }

result<void> gate_flags::check() const {
    if (!packets && !interface && !query && !state) {
        return fail(failure_reason::bad_parameter,
                    "no packets given; use --packets FILE or --interface NAME, or --query FILE to look up addresses");
    }
    if ((checkpoint || checkpoint_packets) && (!state || !is_live())) {
        return fail(
            failure_reason::bad_parameter,
            "--checkpoint is for the saved state of live runs; use it with --state DIR and --interface NAME (or "
            "--packets -)");
    }
    if (auto sound = check_outputs(); !sound) return sound;
    return check_set_name(export_name);
}

result<void> gate_flags::check_outputs() const {
    const std::array outputs{std::pair("--verdicts", verdicts), std::pair("--export", exported),
                             std::pair("--events", events), std::pair("--metrics", metrics)};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& [flag, path] = outputs[i];
        if (!path || *path == "-") continue;
        if (auto other = refuse_input_as_output(*path, inputs()); !other) return other;
        for (std::size_t other = 0; other < i; ++other) {
            const auto& [earlier_flag, earlier] = outputs[other];
            if (!earlier || *earlier == "-" || !is_one_output(*earlier, *path)) continue;
            return fail(failure_reason::bad_parameter,
                        fmt::format("{}: named by both {} and {}; use two different files", *path, earlier_flag, flag));
        }
    }
    return {};
}

result<gate_plan> gate_flags::plan() const {
    gate_plan made;
    made.mode = compare ? gate_mode::compare : exact ? gate_mode::exact : gate_mode::filters;
    made.filters.good_kind = good_kind;
    made.filters.bad_kind = bad_kind;
    const auto address_fpr = rate_of_flag("--fpr", fpr);
    const auto data_fpr = rate_of_flag("--pattern-fpr", pattern_fpr);
    const auto capacity = size_of_flag("--senders", senders);
    const auto most = size_of_flag("--max-senders", most_senders);
    if (!address_fpr) return fail(address_fpr.error());
    if (!data_fpr) return fail(data_fpr.error());
    if (!capacity) return fail(capacity.error());
    if (!most) return fail(most.error());
    const auto flows = size_of_flag("--max-connections", most_flows);
    if (!flows) return fail(flows.error());
    constexpr std::uint64_t most_slots = sender_table::none - 1;
    for (const auto& [flag, wanted] : {std::pair("--max-senders", *most), std::pair("--max-connections", *flows)}) {
        if (wanted != 0 && wanted <= most_slots) continue;
        return fail(failure_reason::bad_parameter, fmt::format("{}: must be from 1 to {}", flag, grouped(most_slots)));
    }
    made.filters.fpr = *address_fpr;
    made.filters.pattern_fpr = *data_fpr;
    made.filters.senders = *capacity;
    made.limits = {static_cast<std::size_t>(*most), static_cast<std::size_t>(*flows)};
    return made;
}

result<run_options> gate_flags::options() const {
    run_options made;
    made.undecodable = undecodable == "pass" ? on_undecodable::pass : on_undecodable::drop;
    if (count) {
        const auto packets_wanted = size_of_flag("--count", *count);
        if (!packets_wanted) return fail(packets_wanted.error());
        made.most_packets = *packets_wanted;
    }
    if (seconds) {
        const auto limit = seconds_of_flag("--seconds", *seconds);
        if (!limit) return fail(limit.error());
        made.most_seconds = *limit;
    }
    if (every || watched() || json_lines() || interface) {
        const auto interval = seconds_of_flag("--every", every.value_or("1"));
        if (!interval) return fail(interval.error());
        made.report_every = *interval;
    }
    if (!watched() && !interface) made.shown = output.progress_mode();
    return made;
}

result<checkpoint_rules> gate_flags::checkpoint_plan() const {
    constexpr double usual_seconds = 60; // on an interface
    checkpoint_rules made;
    if (checkpoint_packets) {
        const auto packets_between = size_of_flag("--checkpoint-packets", *checkpoint_packets);
        if (!packets_between) return fail(packets_between.error());
        if (*packets_between == 0)
            return fail(failure_reason::bad_parameter, "--checkpoint-packets: must be at least 1");
        made.packets = *packets_between;
    }
    if (checkpoint) {
        const auto interval = seconds_of_flag("--checkpoint", *checkpoint);
        if (!interval) return fail(interval.error());
        made.seconds = *interval;
    } else if (interface && !checkpoint_packets) {
        made.seconds = usual_seconds;
    }
    return made;
}

packet_format gate_flags::format_of_packets() const {
    if (format == "raw") return packet_format::raw;
    if (format == "text") return packet_format::text;
    return format == "pcap" ? packet_format::capture : packet_format::automatic;
}

ban_syntax gate_flags::syntax_of_bans() const {
    if (export_syntax == "ipset") return ban_syntax::ipset;
    return export_syntax == "plain" ? ban_syntax::plain : ban_syntax::nft;
}

void gate_flags::declare(command_flags& command) {
    declare_sources(command);
    declare_rules(command);
    declare_results(command);
    hashing.declare(command);
    output.declare(command);
}

void gate_flags::declare_sources(command_flags& command) {
    command
        .add_option("--blacklist", blacklist,
                    "addresses and networks (10.0.0.0/8) to reject, one per line; # starts a comment")
        ->type_name("FILE");
    command
        .add_option("--patterns", patterns,
                    "patterns of bad data, one per line: \"TEXT\", text:TEXT or hex:DIGITS (1 to 256 bytes, ? for any "
                    "digit), found at any byte; or 1 to 64 words of up to 8 hexadecimal digits")
        ->type_name("FILE");
    auto packet_file =
        command.add_option("--packets", packets, "packets to judge; '-' for standard input; may be compressed");
    packet_file->type_name("FILE");
    command
        .add_option("--format", format,
                    "packet format: raw (8 bytes: address, data), text (ADDRESS HEX...) or pcap (also pcapng)")
        ->one_of({"auto", "raw", "text", "pcap"})
        ->capture_default_str();
    command.add_option("--interface", interface, "capture live on this network interface, until interrupted")
        ->type_name("NAME")
        ->excludes(packet_file);
    command.add_option("--query", query, "addresses to look up at the end; prints BAD, GOOD or NEITHER for each")
        ->type_name("FILE");
}

void gate_flags::declare_rules(command_flags& command) {
    auto exact_flag = command.add_flag("--exact", exact, "decide by exact sets instead of filters");
    command.add_flag("--compare", compare, "run filters and exact sets side by side and report the differences")
        ->excludes(exact_flag);
    command.add_option("--fpr", fpr, "target FPR of the address filters")->type_name("P")->capture_default_str();
    command.add_option("--pattern-fpr", pattern_fpr, "target FPR of the pattern filter, per tested window of words")
        ->type_name("P")
        ->capture_default_str();
    command.add_option("--good-kind", good_kind, "filter kind for known senders; must support deletion")
        ->type_name("KIND")
        ->suggests(list_of_kinds())
        ->capture_default_str();
    command.add_option("--bad-kind", bad_kind, "filter kind for banned addresses")
        ->type_name("KIND")
        ->suggests(list_of_kinds())
        ->capture_default_str();
    command.add_option("--senders", senders, "initial capacity for known senders; kinds that can grow exceed it")
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--max-senders", most_senders,
                    "maximum number of senders to track; the least recently seen is evicted")
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--max-connections", most_flows,
                    "maximum number of TCP connections to track; the least recently seen is evicted")
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--on-undecodable", undecodable, "what to do with packets whose sender cannot be decoded")
        ->one_of({"drop", "pass"})
        ->capture_default_str();
    command.add_option("--count", count, "stop after N packets")->type_name("N");
    command.add_option("--seconds", seconds, "stop after this time")->type_name("SECONDS");
}

void gate_flags::declare_results(command_flags& command) {
    command
        .add_option("--state", state, "resume from this directory if it holds a saved gate, and save there at the end")
        ->type_name("DIR");
    command
        .add_option("--checkpoint", checkpoint,
                    "save the state of a live run in this interval, too (default with --interface: 60)")
        ->type_name("SECONDS");
    command
        .add_option("--checkpoint-packets", checkpoint_packets, "save the state of a live run after every N packets")
        ->type_name("N");
    command.add_option("--verdicts", verdicts, "write 'index address ACCEPT|BAD|REJECT' for every packet")
        ->type_name("FILE");
    command.add_option("--export", exported, "write the addresses banned in this run")->type_name("FILE");
    command.add_option("--export-syntax", export_syntax, "commands for nft or ipset, or a plain list of addresses")
        ->one_of({"nft", "ipset", "plain"})
        ->capture_default_str();
    command.add_option("--export-name", export_name, "name of the nft table, or prefix of the ipset sets")
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option("--events", events,
                    "append a line of JSON for every strike and every ban, for fail2ban and log collectors")
        ->type_name("FILE");
    command
        .add_option("--metrics", metrics,
                    "write the counters in Prometheus' text format, at the end and with every live report")
        ->type_name("FILE");
    command.add_flag("--watch", watch,
                     "show live counters and top offenders on a terminal (always on with --interface); q ends the run");
    command.add_option("--every", every, "time between two live views or JSON lines (default: 1)")
        ->type_name("SECONDS");
}

} // namespace everbloom::cli
