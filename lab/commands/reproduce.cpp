// reproduce: re-runs the figures and claims of papers, with a verdict for each claim.
#include "frame/flag_values.hpp"
#include "frame/summary.hpp"
#include "gate/packet_source.hpp"
#include "keys/hash_keys.hpp"
#include "lab/commands/lab_commands.hpp"
#include "lab/papers/five_tuples.hpp"
#include "lab/reproduce/archive.hpp"
#include "lab/reproduce/report_files.hpp"
#include "lab/reproduce/report_json.hpp"
#include "lab/reproduce/report_table.hpp"
#include "output/json_output.hpp"
#include "output/message.hpp"
#include "output/progress.hpp"
#include "output/wording.hpp"

#include <everbloom/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace everbloom::cli {
namespace {

using lab::known_papers;
using lab::paper;

struct reproduce_flags {
    std::string key;
    std::string scale = "quick";
    std::string seed = "1";
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    std::string directory;
    std::vector<std::string> only;
    std::string trace;
    std::string topologies;
    bool full = false;
    bool shows_lines = false;
    summary_flags output;
};

std::string list_of_papers() {
    std::string names;
    for (const paper& one : known_papers()) names += (names.empty() ? "" : ", ") + std::string(one.key);
    return names;
}

std::string list_of_experiments() {
    std::string names;
    for (const paper& one : known_papers()) {
        names += (names.empty() ? "" : "; ") + std::string(one.key) + ":";
        for (const lab::experiment& each : one.experiments) names += " " + std::string(each.id);
    }
    return names;
}

result<std::vector<const paper*>> papers_of(const reproduce_flags& flags) {
    std::vector<const paper*> chosen;
    for (const paper& one : known_papers()) {
        if (flags.key.empty() || one.key == flags.key) chosen.push_back(&one);
    }
    if (chosen.empty()) {
        return fail(failure_reason::bad_parameter, "unknown paper '" + flags.key + "'; available: " + list_of_papers());
    }
    // An unknown name would run nothing and look like success.
    for (const std::string& name : flags.only) {
        const bool known = std::any_of(chosen.begin(), chosen.end(),
                                       [&](const paper* one) { return experiments_chosen(*one, {name}) > 0; });
        if (!known) {
            return fail(failure_reason::bad_parameter,
                        "--only: unknown experiment '" + name + "'; available: " + list_of_experiments());
        }
    }
    std::erase_if(chosen, [&](const paper* one) { return experiments_chosen(*one, flags.only) == 0; });
    return chosen;
}

/// Does any chosen experiment satisfy the condition?
template <class Condition>
bool runs_any(const std::vector<const paper*>& papers, const reproduce_flags& flags, Condition condition) {
    for (const paper* one : papers) {
        for (const lab::experiment& each : one->experiments) {
            const bool chosen = flags.only.empty() || std::count(flags.only.begin(), flags.only.end(), each.id) > 0;
            if (chosen && condition(each)) return true;
        }
    }
    return false;
}

/// An input that no chosen experiment reads is an error.
result<void> check_sources(const std::vector<const paper*>& papers, const reproduce_flags& flags) {
    using lab::experiment;
    const bool uses_trace =
        runs_any(papers, flags, [](const experiment& one) { return one.keys == lab::key_source::random_or_trace; });
    if (!flags.trace.empty() && !uses_trace) {
        return fail(
            failure_reason::bad_parameter,
            "--keys: none of these experiments reads keys from a file; fig3 to fig6, fig8a and fig9 of elastic do");
    }
    const bool uses_networks = runs_any(
        papers, flags, [](const experiment& one) { return one.networks == lab::network_source::own_or_given; });
    if (!flags.topologies.empty() && !uses_networks) {
        return fail(failure_reason::bad_parameter,
                    "--topologies: none of these experiments uses networks; fig16 of yesno does");
    }
    return {};
}

/// The keys of the --keys file in order, lines or the five-tuples of captured packets, hashed with MurmurHash3 as in the paper.
result<std::vector<digest>> read_trace(const reproduce_flags& flags, std::uint64_t seed) {
    std::vector<digest> trace;
    if (flags.trace.empty()) return trace;
    cancellation cancel;
    const any_hasher hasher(hash_id::murmur3, hash_key::from_seed(seed));
    // No experiment uses more keys.
    const std::size_t most_keys = std::size_t{1} << (flags.scale == "full" ? 23U : 21U);
    // Standard input cannot be looked at and then read again.
    if (flags.trace != "-" && begins_as_capture(flags.trace, cancel)) {
        return lab::five_tuples_of(flags.trace, hasher, most_keys, cancel);
    }
    auto files = find_key_files({flags.trace}, reading_rules{});
    if (!files) return fail(std::move(files.error()));
    const key_stream stream{std::move(*files), {}, flags.threads, flags.output.progress_mode()};
    auto done = hash_keys(stream, hasher, cancel, [&](const hashed_keys& keys) -> result<void> {
        const std::size_t wanted = std::min(keys.digests.size(), most_keys - trace.size());
        trace.insert(trace.end(), keys.digests.begin(), keys.digests.begin() + static_cast<std::ptrdiff_t>(wanted));
        return {};
    });
    if (!done) return fail(std::move(done.error()));
    if (trace.empty()) return fail(failure_reason::bad_parameter, "--keys: " + flags.trace + " contains no keys");
    return trace;
}

/// Everything that the numbers of a run depend on, besides its experiments.
std::string run_description(const reproduce_flags& flags, std::uint64_t seed) {
    return fmt::format("everbloom {}, scale {}, seed {}, keys {}, topologies {}", version_text, flags.scale, seed,
                       flags.trace.empty() ? "random" : flags.trace,
                       flags.topologies.empty() ? "built in" : flags.topologies);
}

checkpoints checkpoints_of(const paper& wanted, const reproduce_flags& flags, std::uint64_t seed) {
    if (flags.directory.empty()) return {};
    return {flags.directory, wanted.key, run_description(flags, seed)};
}

/// Runs one paper. The number of keys is not known in advance, so progress is reported in experiments.
result<paper_report> reproduce(const paper& wanted, const reproduce_flags& flags, std::uint64_t seed,
                               const std::vector<digest>& trace) {
    const auto scale = std::find_if(lab::scales.begin(), lab::scales.end(),
                                    [&](const lab::scale& one) { return one.name == flags.scale; });
    const std::size_t chosen = experiments_chosen(wanted, flags.only);
    progress shown(flags.output.progress_mode(), chosen);
    lab::laboratory lab(*scale, seed, flags.threads, [&](std::uint64_t keys) { shown.advance(keys, 0); });
    lab.follow(trace);
    lab.travel(flags.topologies);
    std::size_t finished = 0;
    return run_paper(wanted, flags.only, lab, checkpoints_of(wanted, flags, seed), [&](const experiment_done& one) {
        shown.advance(0, 1);
        ++finished;
        if (!flags.shows_lines) return;
        const std::string time = one.from_checkpoint ? "from its checkpoint" : fmt::format("{:.1f} s", one.seconds);
        say("{} {}: {}, {} ({} of {})\n", wanted.key, one.id, counted(one.artefacts, "artefact"), time, finished,
            chosen);
    });
}

result<void> write(const paper_report& report, const reproduce_flags& flags) {
    const auto written = write_report(report, flags.directory, std::span(&flags.trace, flags.trace.empty() ? 0 : 1));
    if (!written) return fail(written.error());
    if (written->gnuplot_is_missing) {
        say_text("everbloom: no gnuplot on this machine, so the report has no figures; install it (apt-get install "
                 "gnuplot-nox) and run this again\n");
    }
    if (flags.output.wants_text()) {
        fmt::print("  wrote {}, {} tables and {} pictures\n", written->page, written->tables, written->pictures);
    }
    return {};
}

/// Text as one word of a command line.
std::string shell_word(const std::string& text) {
    const bool plain = !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                               "0123456789_./+-") == std::string::npos;
    if (plain) return text;
    std::string made = "'";
    for (const char letter : text) made += letter == '\'' ? "'\\''" : std::string(1, letter);
    return made + "'";
}

/// The command that gives the same numbers.
std::string command_again(const reproduce_flags& flags, std::uint64_t seed) {
    std::string made = "everbloom reproduce";
    if (!flags.key.empty()) made += " " + flags.key;
    made += fmt::format(" --scale {} --seed {}", flags.scale, seed);
    if (!flags.only.empty()) made += " --only";
    for (const std::string& name : flags.only) made += " " + shell_word(name);
    if (!flags.trace.empty()) made += " --keys " + shell_word(flags.trace);
    if (!flags.topologies.empty()) made += " --topologies " + shell_word(flags.topologies);
    return made + " --out DIR";
}

result<void> archive(const reproduce_flags& flags, std::uint64_t seed, const std::vector<const paper*>& papers) {
    run_facts facts{command_again(flags, seed), flags.scale, seed, flags.threads, {}, flags.trace, flags.topologies};
    for (const paper* one : papers) facts.papers.emplace_back(one->key);
    return write_archive(flags.directory, facts, std::span(&flags.trace, flags.trace.empty() ? 0 : 1));
}

result<int> run(reproduce_flags flags) {
    if (flags.full) flags.scale = "full";
    const auto seed = size_of_flag("--seed", flags.seed);
    if (!seed) return fail(seed.error());
    const auto papers = papers_of(flags);
    if (!papers) return fail(papers.error());
    if (auto checked = check_sources(*papers, flags); !checked) return fail(std::move(checked.error()));
    const auto trace = read_trace(flags, *seed);
    if (!trace) return fail(trace.error());
    if (!flags.directory.empty()) {
        if (auto made = make_directory(flags.directory); !made) return fail(std::move(made.error()));
    }
    json documents = json::array();
    for (const paper* one : *papers) {
        const auto report = reproduce(*one, flags, *seed, *trace);
        if (!report) return fail(report.error());
        if (flags.output.as_json) documents.push_back(report_document(*report));
        if (flags.output.wants_text()) fmt::print("{}", report_table(*report));
        std::fflush(stdout); // before the next paper's lines on standard error, where both go into one file
        if (!flags.directory.empty()) {
            if (auto done = write(*report, flags); !done) return fail(std::move(done.error()));
            checkpoints_of(*one, flags, *seed).clear(*one);
        }
        if (flags.output.wants_text() && one != papers->back()) fmt::print("\n");
    }
    if (!flags.directory.empty()) {
        if (auto done = archive(flags, *seed, *papers); !done) return fail(std::move(done.error()));
    }
    if (flags.output.as_json) print_document(flags.key.empty() ? documents : documents.front());
    return exit_done;
}

} // namespace

void declare_reproduce(command_line& line) {
    const auto flags = std::make_shared<reproduce_flags>();
    command_flags command = line.add("reproduce", "Re-run a paper's figures and claims, with a verdict for each claim",
                                     "everbloom reproduce dfp --only fig4 --out report\n"
                                     "everbloom reproduce summary --only sizing --json",
                                     [flags] { return run(*flags); });
    std::vector<std::string> papers;
    for (const paper& one : known_papers()) papers.emplace_back(one.key);
    command.add_option("PAPER", flags->key, list_of_papers() + " (default: all of them)")
        ->type_name("")
        ->suggests(papers);
    std::vector<std::string> scale_names;
    scale_names.reserve(lab::scales.size());
    for (const lab::scale& one : lab::scales) scale_names.emplace_back(one.name);
    command
        .add_option("--scale", flags->scale,
                    "glance (seconds), quick (the default, under a minute) or full (as in the paper, half an hour)")
        ->one_of(scale_names)
        ->type_name("SCALE");
    command.add_flag("--full", flags->full, "the same as --scale full");
    command
        .add_option("--out", flags->directory,
                    "write an HTML page, CSV tables, gnuplot scripts and SVG plots to this directory, with versions, "
                    "seed, checksums and a citation; an interrupted run goes on from there")
        ->type_name("DIR");
    command.add_option("--only", flags->only, "run only these experiments; " + list_of_experiments())
        ->type_name("NAME");
    command
        .add_option(
            "--keys", flags->trace,
            "keys instead of random distinct ones, for fig3 to fig6, fig8a and fig9 of elastic: one per line, or "
            "a capture (pcap, pcapng), whose packets are keys by their five-tuples; plain or compressed")
        ->type_name("FILE");
    command
        .add_option("--topologies", flags->topologies,
                    "directory of GraphML networks, such as the Topology Zoo, instead of built-in ones, for fig16 of "
                    "yesno")
        ->type_name("DIR");
    command
        .add_option("--seed", flags->seed,
                    "seed of the random keys; the same seed gives the same results, except speeds (default 1)")
        ->type_name("S");
    command.add_option("--threads", flags->threads, "number of threads (default: one per core)")
        ->within(1, 1024)
        ->type_name("N");
    command.add_flag("--progress", flags->shows_lines,
                     "print a line on standard error for each finished experiment, with its time");
    flags->output.declare(command);
}

} // namespace everbloom::cli
