// check: prints the keys that may be in a filter, or the lines that they are in, as grep prints lines that match.
#include "commands/check/check_flags.hpp"
#include "commands/check/line_hint.hpp"
#include "commands/commands.hpp"
#include "filters/filter_argument.hpp"
#include "filters/foreign_file.hpp"
#include "filters/kind_names.hpp"
#include "frame/interruption.hpp"
#include "keys/check_keys.hpp"
#include "output/json_output.hpp"
#include "output/message.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace everbloom::cli {
namespace {

struct split_arguments {
    std::vector<std::string> filters;
    std::vector<std::string> key_files;
};

/// The first argument is a filter. The others are filters if their content says so, unless they come after `--`.
split_arguments split(const std::vector<std::string>& arguments, std::size_t behind_marker) {
    split_arguments made;
    const std::size_t open_to_both = arguments.size() - std::min(behind_marker, arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool is_filter =
            i == 0 || (i < open_to_both && (looks_like_filter(arguments[i]) || foreign_format_of(arguments[i])));
        (is_filter ? made.filters : made.key_files).push_back(arguments[i]);
    }
    return made;
}

/// A filter of another program does not say its key type: it is the one of --key-type, or text.
result<named_filter> open_foreign(const std::string& name, foreign_format format, key_type type,
                                  const cancellation& cancel) {
    auto read = read_foreign(name, format, cancel);
    if (!read) return fail(std::move(read.error()));
    if (type == key_type::cidr) {
        return fail(failure_reason::unsupported,
                    name + ": is " + std::string(words_of(format)) +
                        ", which does not know the prefix lengths of its networks; key types for it are text, u64, ip, "
                        "hex and domain");
    }
    named_filter made{name, {}, std::make_shared<const foreign_filter>(std::move(*read))};
    made.file.keys = type;
    return made;
}

result<named_filter> open_one(const std::string& name, const check_flags& flags, std::optional<foreign_format> from,
                              const cancellation& cancel) {
    if (!from) from = foreign_format_of(name);
    if (from) {
        const auto wanted = flags.keys.format();
        if (!wanted) return fail(wanted.error());
        return open_foreign(name, *from, wanted->type, cancel);
    }
    // The usual query of a slow filter never reads the disk.
    auto file = map_any_filter_argument(name, flags.confirm ? slow_queries::verified : slow_queries::fast_only);
    if (!file) return fail(std::move(file.error()));
    return named_filter{name, std::move(*file)};
}

result<std::vector<named_filter>> open_all(const std::vector<std::string>& names, const check_flags& flags,
                                           const cancellation& cancel) {
    std::vector<named_filter> filters;
    for (const std::string& name : names) {
        auto one = open_one(name, flags, filters.empty() ? flags.foreign.format() : std::nullopt, cancel);
        if (!one) return fail(std::move(one.error()));
        if (!filters.empty() && filters.front().file.keys != one->file.keys) {
            return fail(failure_reason::mismatch,
                        fmt::format("{} has keys of type {}, and {} of type {}; check them one at a time",
                                    filters.front().name, name_of(filters.front().file.keys), name,
                                    name_of(one->file.keys)));
        }
        filters.push_back(std::move(*one));
    }
    return filters;
}

result<void> require_hashes(const std::vector<named_filter>& filters) {
    for (const named_filter& one : filters) {
        if (one.file.filter().can(capability::confirm)) continue;
        return fail(failure_reason::unsupported,
                    fmt::format("{}: {} keeps no hashes to verify its answers with; kinds that do: {}", one.name,
                                one.foreign ? std::string(words_of(one.foreign->format()))
                                            : with_article(one.file.filter().kind()) + " filter",
                                names_of_kinds_that_can(capability::confirm)));
    }
    return {};
}

/// What the keys of these filters ask for.
result<question> question_for(const check_flags& flags, const std::vector<named_filter>& filters) {
    const key_type type = filters.front().file.keys;
    question made;
    if (flags.subdomains && type != key_type::domain) {
        return fail(failure_reason::mismatch, fmt::format("--subdomains: the keys of {} are of type {}, not domain",
                                                          filters.front().name, name_of(type)));
    }
    if (flags.subdomains) made.what = question::about::parents;
    if (type == key_type::cidr) {
        made.what = question::about::networks;
        for (const named_filter& one : filters) made.lengths.add(lengths_in(one.file));
    }
    if (flags.longest && made.what == question::about::itself) {
        return fail(
            failure_reason::mismatch,
            fmt::format("--longest is for networks (key type cidr) and, with --subdomains, for domains; the keys "
                        "of {} are of type {}",
                        filters.front().name, name_of(type)));
    }
    return made;
}

/// The key files; with -r those in directories, without the ones that cannot be read as keys.
struct found_files {
    key_files files;
    bool has_refused = false;
};

result<found_files> find_logs(const check_flags& flags, const std::vector<std::string>& names) {
    found_files made;
    if (!flags.given.empty()) {
        if (!names.empty()) {
            return fail(failure_reason::bad_parameter,
                        "-e gives the keys, so " + names.front() + " is not read; leave out one of them");
        }
        made.files = keys_given(flags.given);
        return made;
    }
    if (!flags.recursive) {
        auto files = flags.keys.find(names);
        if (!files) return fail(std::move(files.error()));
        made.files = std::move(*files);
        return made;
    }
    if (names.empty()) return fail(failure_reason::bad_parameter, "-r needs the name of a directory, or of a file");
    const auto below = files_below(names);
    if (!below) return fail(below.error());
    std::vector<std::string> readable;
    for (const std::string& name : *below) {
        if (auto fits = flags.keys.find({name}); fits) {
            readable.push_back(name);
        } else {
            if (!flags.quiet) say("everbloom: {}\n", fits.error().sentence);
            made.has_refused = true;
        }
    }
    if (readable.empty()) {
        return fail(failure_reason::bad_parameter, names.front() + ": has no files that can be read as lists or logs");
    }
    auto files = flags.keys.find(readable);
    if (!files) return fail(std::move(files.error()));
    made.files = std::move(*files);
    return made;
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
    request.style = flags.style();
    if (named.filters.size() == 2 && named.key_files.empty()) {
        auto order = refuse_swapped("check", named.filters.front(), std::span(named.filters).subspan(1));
        if (!order) return fail(std::move(order.error()));
    }
    const cancellation never; // a signal ends the program while it opens filters
    auto filters = open_all(named.filters, flags, never);
    if (!filters) return fail(std::move(filters.error()));
    request.filters = std::move(*filters);
    if (flags.no_confirm) request.sure = certainty::usual;
    if (flags.confirm) {
        request.sure = certainty::confirmed;
        if (auto able = require_hashes(request.filters); !able) return fail(std::move(able.error()));
    }
    auto format = flags.keys.format_for(request.filters.front().name, request.filters.front().file.keys);
    if (!format) return fail(format.error());
    auto asked = question_for(flags, request.filters);
    if (!asked) return fail(std::move(asked.error()));
    request.asked = *asked;
    if (auto limit = flags.most(); !limit) {
        return fail(std::move(limit.error()));
    } else {
        request.most_per_file = *limit;
    }
    auto layout = flags.layout(format->separator);
    if (!layout) return fail(std::move(layout.error()));
    request.layout = std::move(*layout);
    auto found = find_logs(flags, named.key_files);
    if (!found) return fail(std::move(found.error()));
    if (found->files.given) { // they are keys, not lines, and end with NUL
        format->separator = '\0';
        if (format->type != key_type::domain) format->rules.reset();
    }
    format->invalid = bad_lines::skip; // one bad line of a log hides none of the others

    greet_terminal(found->files);
    // Keys that scroll by on a terminal need no progress line.
    const bool prints_keys = !flags.quiet && !flags.count;
    const bool silent = flags.quiet || (prints_keys && output_is_terminal());
    skipped_lines skipped(flags.quiet ? progress::mode::silent : progress::mode::shown);
    const key_stream stream{std::move(found->files), *format, *threads,
                            silent ? progress::mode::silent : progress::mode::shown, &skipped};
    interruption stopper;
    check_result sum;
    auto done = check_keys(request, stream, stopper.cancel(), sum);
    if (!done && interruption::caught() != 0) {
        const std::string how_far = counted(sum.keys, "key") + fmt::format(", {} of them found", grouped(sum.found));
        return fail(interrupted_after(how_far, prints_keys ? sum.found : 0));
    }
    if (!done) return fail(std::move(done.error()));
    if (flags.count && !flags.quiet) print_counts(flags, request, sum);
    skipped.report();
    if (!flags.quiet && !flags.invert && !flags.keys.are_in_lines()) hint_at_fields(request, sum);
    const bool has_errors = found->has_refused || (skipped.invalid() != 0 && !flags.keys.skips_invalid());
    if (has_errors && !(flags.quiet && sum.found != 0)) return exit_error;
    return sum.found != 0 ? exit_done : exit_nothing;
}

} // namespace

void declare_check(command_line& line) {
    auto flags = std::make_shared<check_flags>();
    command_flags command = line.add("check", "Print the lines whose keys may be in a filter",
                                     "everbloom create names.eb names.txt && everbloom check names.eb -e anna -e zoe\n"
                                     "printf '7:01 anna login\\n' | everbloom check names.eb --field 2 -n",
                                     [flags, &line] { return run_check(*flags, line.arguments_behind_marker()); });
    flags->declare(command);
}

} // namespace everbloom::cli
