// route: in-packet forwarding. Finds a path in a network, encodes it in a packet header as a Bloom filter and as a yes-no filter, forwards the
// packet hop by hop, and reports the false links.
#include "filters/whole_file.hpp"
#include "frame/flag_values.hpp"
#include "frame/summary.hpp"
#include "lab/commands/lab_commands.hpp"
#include "lab/route/drawing.hpp"
#include "lab/route/example_networks.hpp"
#include "lab/route/graphml.hpp"
#include "lab/route/node_names.hpp"
#include "lab/route/report.hpp"
#include "output/json_output.hpp"
#include "output/picture_file.hpp"
#include "output/progress.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

namespace everbloom::cli {
namespace {

struct route_flags {
    std::string file;
    std::optional<std::string> from;
    std::optional<std::string> to;
    std::string yes_bits = "192";
    std::string no_filters = "2";
    std::string no_bits = "32";
    std::string yes_hashes = "4";
    std::string no_hashes = "3";
    std::string bloom_hashes = "6";
    std::string assign = "search";
    std::string seeds = "1";
    std::string seed = "1";
    std::optional<std::string> header;
    std::string encoding = "yes-no";
    std::string trials = "0";
    std::string picture;
    summary_flags output;
};

result<void> put(std::uint64_t& into, const std::string& flag, const std::string& text) {
    const auto value = size_of_flag(flag, text);
    if (!value) return fail(value.error());
    into = *value;
    return {};
}

result<yes_no_spec> spec_of(const route_flags& flags) {
    yes_no_spec spec;
    for (const auto& [into, flag, text] : {std::tuple{&spec.yes_bits, "--yes-bits", &flags.yes_bits},
                                           {&spec.no_filters, "--no-filters", &flags.no_filters},
                                           {&spec.no_bits, "--no-bits", &flags.no_bits},
                                           {&spec.yes_hashes, "--yes-hashes", &flags.yes_hashes},
                                           {&spec.no_hashes, "--no-hashes", &flags.no_hashes},
                                           {&spec.seeds, "--seeds", &flags.seeds}}) {
        if (auto done = put(*into, flag, *text); !done) return fail(std::move(done.error()));
    }
    const auto word = std::find(yes_no_assignment_words.begin(), yes_no_assignment_words.end(), flags.assign);
    spec.assign = static_cast<std::uint64_t>(word - yes_no_assignment_words.begin());
    return spec;
}

struct both_codes {
    header_code bloom;
    header_code yes_no;
};

result<both_codes> codes_of(const route_flags& flags) {
    const auto spec = spec_of(flags);
    if (!spec) return fail(spec.error());
    const auto yes_no = header_code::yes_no(*spec);
    if (!yes_no) return fail(yes_no.error());
    const auto hashes = size_of_flag("--bloom-hashes", flags.bloom_hashes);
    if (!hashes) return fail(hashes.error());
    const auto bloom = header_code::bloom(spec->structure_bits(), *hashes);
    if (!bloom) return fail(bloom.error());
    return both_codes{*bloom, *yes_no};
}

result<packet_route> way_of(const route_flags& flags, const network& net, const connectivity& connected) {
    if (flags.from.has_value() != flags.to.has_value()) {
        return fail(failure_reason::bad_parameter,
                    flags.from ? "--from: needs --to NODE; without both, the longest shortest path is used"
                               : "--to: needs --from NODE; without both, the longest shortest path is used");
    }
    if (!flags.from) return longest_route(net, connected.largest);
    const auto source = find_node(net, *flags.from, "--from");
    if (!source) return fail(source.error());
    const auto destinations = find_nodes(net, *flags.to, "--to");
    if (!destinations) return fail(destinations.error());
    return route_to(net, *source, *destinations);
}

result<network> network_of(const route_flags& flags) {
    const auto text = read_graphml_text(flags.file);
    if (!text) return fail(text.error());
    return parse_graphml(*text, flags.file == "-" ? "standard input" : flags.file);
}

/// Checked before any work is done.
result<void> check_drawable(const route_flags& flags, const network& net) {
    if (flags.picture.empty() || net.link_count() <= most_drawn_links) return {};
    return fail(failure_reason::no_room, fmt::format("--picture: {} links are over the limit of {} for a picture",
                                                     grouped(net.link_count()), grouped(most_drawn_links)));
}

/// Forwards the given header, or builds one for the path and forwards that.
result<sent_packet> send(const route_flags& flags, const route_report& report, const header_code& code) {
    const std::vector<digest> digests = link_digests(report.net, report.hash_seed);
    auto packet = flags.header ? code.from_hex(*flags.header) : code.encode(report.way, digests);
    if (!packet) return fail(std::move(packet.error()));
    delivery outcome = deliver(report.net, report.way, digests, code, *packet);
    return sent_packet{code, std::move(*packet), std::move(outcome), std::nullopt};
}

result<void> run_trials(const route_flags& flags, route_report& report) {
    if (report.trials == 0) return {};
    progress shown(flags.output.progress_mode(), 2 * report.trials);
    const std::uint64_t links = report.way.members.size() + report.way.others.size();
    for (std::optional<sent_packet>* sent : {&report.bloom, &report.yes_no}) {
        auto expected = mean_false_positives(report.net, report.way, (*sent)->code, report.hash_seed, report.trials,
                                             [&] { shown.advance(links, 1); });
        if (!expected) return fail(std::move(expected.error()));
        (*sent)->expected = *expected;
    }
    return {};
}

result<route_report> examine(const route_flags& flags) {
    route_report report;
    if (auto done = put(report.hash_seed, "--seed", flags.seed); !done) return fail(std::move(done.error()));
    const auto trials = size_of_flag("--trials", flags.trials, 0, most_route_trials);
    if (!trials) return fail(trials.error());
    report.trials = *trials;
    const auto codes = codes_of(flags);
    if (!codes) return fail(codes.error());
    auto net = network_of(flags);
    if (!net) return fail(std::move(net.error()));
    report.net = std::move(*net);
    if (auto checked = check_drawable(flags, report.net); !checked) return fail(std::move(checked.error()));
    report.connected = connectivity_of(report.net);
    report.choice = flags.from ? way_choice::asked : way_choice::longest;
    report.origin = flags.header ? header_origin::given : header_origin::built;
    auto way = way_of(flags, report.net, report.connected);
    if (!way) return fail(flags.from || flags.to ? std::move(way.error()) : in(flags.file, std::move(way.error())));
    report.way = std::move(*way);
    if (!flags.header || flags.encoding == "bloom") {
        auto sent = send(flags, report, codes->bloom);
        if (!sent) return fail(std::move(sent.error()));
        report.bloom = std::move(*sent);
    }
    if (!flags.header || flags.encoding == "yes-no") {
        auto sent = send(flags, report, codes->yes_no);
        if (!sent) return fail(std::move(sent.error()));
        report.yes_no = std::move(*sent);
    }
    if (auto done = run_trials(flags, report); !done) return fail(std::move(done.error()));
    return report;
}

result<int> run_route(const route_flags& flags) {
    if (!flags.picture.empty()) {
        if (auto checked = check_picture_file(flags.picture, flags.file); !checked)
            return fail(std::move(checked.error()));
    }
    const auto report = examine(flags);
    if (!report) return fail(report.error());
    if (!flags.picture.empty()) {
        if (auto saved = write_whole_file(flags.picture, bytes_of(draw_route(*report)), std::span(&flags.file, 1));
            !saved)
            return fail(std::move(saved.error()));
    }
    if (flags.output.as_json) print_document(route_document(*report));
    if (flags.output.wants_text()) fmt::print("{}", route_text(*report));
    return report->missed_somebody() ? exit_nothing : exit_done;
}

} // namespace

void declare_route(command_line& line) {
    const auto flags = std::make_shared<route_flags>();
    command_flags command =
        line.add("route", "Forward a packet by the filter in its header, hop by hop through a network",
                 "everbloom route backbone --from Osthaven --to Corvale,Ravensby\n"
                 "everbloom route backbone --trials 1000 --picture backbone.svg",
                 [flags] { return run_route(*flags); });
    std::vector<std::string> examples;
    for (const example_network& one : example_networks()) examples.emplace_back(one.name);
    command
        .add_option("FILE", flags->file,
                    "the network: a GraphML file, '-' for standard input, or a built-in one: " + names_of_examples())
        ->required()
        ->type_name("")
        ->suggests(examples);
    command
        .add_option("--from", flags->from, "source node, by id or label (default: the longest shortest path, in hops)")
        ->type_name("NODE");
    command
        .add_option("--to", flags->to, "destination node; several, separated by commas, make a tree of shortest paths")
        ->type_name("NODE,...");
    const auto number = [&](const char* name, std::string& into, const char* meaning) {
        command.add_option(name, into, meaning)->type_name("N")->group("Header")->capture_default_str();
    };
    number("--yes-bits", flags->yes_bits, "bits of the yes-filter");
    number("--no-filters", flags->no_filters, "number of no-filters");
    number("--no-bits", flags->no_bits, "bits of each no-filter");
    number("--yes-hashes", flags->yes_hashes, "hash functions of the yes-filter");
    number("--no-hashes", flags->no_hashes, "hash functions of the no-filters");
    number("--bloom-hashes", flags->bloom_hashes,
           "hash functions of the Bloom header, which has the same total number of bits");
    command
        .add_option("--assign", flags->assign,
                    "how false positives are assigned to no-filters: first-fit (as in the paper), best or search")
        ->one_of({yes_no_assignment_words.begin(), yes_no_assignment_words.end()})
        ->type_name("HOW")
        ->group("Header")
        ->capture_default_str();
    number("--seeds", flags->seeds,
           "sets of hash functions to try, the best is used; if more than 1, the header starts with its number");
    number("--seed", flags->seed, "hash seed for the link names");
    command.add_option("--header", flags->header, "forward this header instead of building one")
        ->type_name("HEX")
        ->group("Header");
    command.add_option("--encoding", flags->encoding, "type of the given header: yes-no or bloom")
        ->one_of({"yes-no", "bloom"})
        ->type_name("KIND")
        ->group("Header")
        ->capture_default_str();
    command.add_option("--trials", flags->trials, "average the false positives over N sets of hash functions")
        ->type_name("N")
        ->excludes("--header");
    command.add_option("--picture", flags->picture, "draw the network, the path, false links and header bits as SVG")
        ->type_name("X.svg");
    flags->output.declare(command);
    command.before_examples("\nExit code 1: the packet missed a destination.\n");
}

} // namespace everbloom::cli
