// check: prints the keys that may be in a filter, as grep prints lines that match.
#include "commands/commands.hpp"
#include "filters/filter_argument.hpp"
#include "filters/kind_names.hpp"
#include "frame/interruption.hpp"
#include "keys/check_keys.hpp"
#include "keys/key_flags.hpp"
#include "output/json_output.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace everbloom::cli {
namespace {

struct check_flags {
    std::vector<std::string> arguments; // filters, then key files
    bool invert = false;
    bool count = false;
    bool quiet = false;
    bool tag = false;
    bool as_json = false;
    bool confirm = false;
    bool no_confirm = false;
    key_flags keys;
};

struct split_arguments {
    std::vector<std::string> filters;
    std::vector<std::string> key_files;
};

/// The first argument is a filter. The others are filters if they have the magic number, unless they come after `--`.
split_arguments split(const std::vector<std::string>& arguments, std::size_t behind_marker) {
    split_arguments made;
    const std::size_t open_to_both = arguments.size() - std::min(behind_marker, arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool is_filter = i == 0 || (i < open_to_both && looks_like_filter(arguments[i]));
        (is_filter ? made.filters : made.key_files).push_back(arguments[i]);
    }
    return made;
}

result<std::vector<named_filter>> map_all(const std::vector<std::string>& names) {
    std::vector<named_filter> filters;
    for (const std::string& name : names) {
        auto file = map_filter_argument(name);
        if (!file) return fail(std::move(file.error()));
        if (!filters.empty() && filters.front().file.keys != file->keys) {
            return fail(failure_reason::mismatch,
                        fmt::format("{} has keys of type {}, and {} of type {}; check them one at a time",
                                    filters.front().name, name_of(filters.front().file.keys), name,
                                    name_of(file->keys)));
        }
        filters.push_back({name, std::move(*file)});
    }
    return filters;
}

answer_style style_of(const check_flags& flags) {
    if (flags.quiet) return answer_style::first_only;
    if (flags.count) return answer_style::count;
    if (flags.as_json) return answer_style::json_lines;
    return flags.tag ? answer_style::tagged : answer_style::lines;
}

void print_counts(const check_flags& flags, const check_request& request, const check_result& sum) {
    if (flags.as_json) {
        json by_filter = json::object();
        for (std::size_t f = 0; f < request.filters.size(); ++f) by_filter[request.filters[f].name] = sum.found_in[f];
        print_document({{"keys", sum.keys}, {"count", sum.found}, {"in", by_filter}});
    } else if (flags.tag) {
        for (std::size_t f = 0; f < request.filters.size(); ++f) {
            fmt::print("{}\t{}\n", request.filters[f].name, sum.found_in[f]);
        }
    } else {
        fmt::print("{}\n", sum.found);
    }
}

result<int> run_check(const check_flags& flags, std::size_t behind_marker) {
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    const split_arguments named = split(flags.arguments, behind_marker);
    check_request request;
    request.wanted = flags.invert ? wanted_keys::in_no_filter : wanted_keys::in_any_filter;
    request.style = style_of(flags);
    if (named.filters.size() == 2 && named.key_files.empty()) {
        auto order = refuse_swapped("check", named.filters.front(), std::span(named.filters).subspan(1));
        if (!order) return fail(std::move(order.error()));
    }
    auto filters = map_all(named.filters);
    if (!filters) return fail(std::move(filters.error()));
    request.filters = std::move(*filters);
    if (flags.no_confirm) request.sure = certainty::usual;
    if (flags.confirm) {
        request.sure = certainty::confirmed;
        for (const named_filter& one : request.filters) {
            if (one.file.filter().can(capability::confirm)) continue;
            return fail(failure_reason::unsupported,
                        fmt::format("{}: {} filter keeps no hashes to verify its answers with; kinds that do: {}",
                                    one.name, with_article(one.file.filter().kind()),
                                    names_of_kinds_that_can(capability::confirm)));
        }
    }
    const auto format = flags.keys.format_for(request.filters.front().name, request.filters.front().file.keys);
    if (!format) return fail(format.error());
    auto files = find_key_files(named.key_files, flags.keys.rules());
    if (!files) return fail(std::move(files.error()));

    greet_terminal(*files);
    // Keys that scroll by on a terminal need no progress line.
    const bool prints_keys = !flags.quiet && !flags.count;
    const bool silent = flags.quiet || (prints_keys && output_is_terminal());
    const key_stream stream{std::move(*files), *format, *threads,
                            silent ? progress::mode::silent : progress::mode::shown};
    interruption stopper;
    check_result sum;
    auto done = check_keys(request, stream, stopper.cancel(), sum);
    if (!done && interruption::caught() != 0) {
        const std::string how_far = counted(sum.keys, "key") + fmt::format(", {} of them found", grouped(sum.found));
        return fail(interrupted_after(how_far, prints_keys ? sum.found : 0));
    }
    if (!done) return fail(std::move(done.error()));
    if (flags.count && !flags.quiet) print_counts(flags, request, sum);
    return sum.found != 0 ? exit_done : exit_nothing;
}

} // namespace

void declare_check(command_line& line) {
    auto flags = std::make_shared<check_flags>();
    command_flags command = line.add("check", "Print the keys that may be in a filter",
                                     "everbloom create names.eb names.txt\n"
                                     "(echo zoe; cat names.txt) | everbloom check -v names.eb",
                                     [flags, &line] { return run_check(*flags, line.arguments_behind_marker()); });
    command
        .add_option(
            "FILE", flags->arguments,
            "the filter; then more filters, and key files with one key per line (plain or compressed; none or '-': "
            "standard input). After '--' all are key files. An empty line is the empty key")
        ->required()
        ->type_name("");
    command.add_flag("-v,--invert", flags->invert, "print the keys that are surely not in any of the filters");
    command.add_flag("-c,--count", flags->count, "print the number of keys only");
    command.add_flag("-q,--quiet", flags->quiet, "print nothing; stop at the first match with exit code 0");
    auto tag = command.add_flag("--tag", flags->tag, "print the filter's name and a tab before each key");
    command.add_flag("--json", flags->as_json, R"(print a line {"key":..., "filters":[...]} per key)");
    auto confirm = command.add_flag(
        "--confirm", flags->confirm,
        "refuse filters that keep no hashes to verify matches with; those that do (elastic kinds) verify "
        "every match anyway: their FPR is keys * 2^-word_bits ('show' says it)");
    command.add_flag("--no-confirm", flags->no_confirm,
                     "do not verify matches: faster, at the current FPR that 'show' says");
    flags->keys.declare(command);
    tag->excludes("--invert")->excludes("--json");
    confirm->excludes("--no-confirm");
}

} // namespace everbloom::cli
