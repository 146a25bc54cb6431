#include "commands/check/check_flags.hpp"

#include "frame/flag_values.hpp"
#include "frame/help_colours.hpp"

namespace everbloom::cli {

void check_flags::declare(command_flags& command) {
    command
        .add_option("FILE", arguments,
                    "the filter, ours or one of another program (--from); then more filters, and key files or logs "
                    "(plain or compressed; none or '-': standard "
                    "input). After '--' all are key files. Without --field and the like a line is a key, and an empty "
                    "line is the empty key")
        ->required()
        ->type_name("");
    command.add_option("-e,--key", given, "a key to be checked, instead of files of keys; may be repeated")
        ->type_name("KEY")
        ->one_value_at_a_time();
    command.add_flag("-v,--invert", invert, "print the lines whose keys are surely not in any of the filters");
    command.add_flag("-c,--count", count, "print the number of keys only");
    command.add_flag("-q,--quiet", quiet, "print nothing; stop at the first match with exit code 0");
    command.add_option("-m,--max-count", most_matches, "stop after N matches of a file")->type_name("N");
    command.add_flag("-n,--line-number", line_number, "print the number of each line, and a colon, before it");
    command.add_flag("-H,--with-filename", with_file, "print the name of its file, and a colon, before each line");
    command.add_flag("--no-filename", no_file, "do not print names of files with -r");
    command.add_flag("-r,--recursive", recursive, "read all files in directories and below them");
    auto only = command.add_flag("--only-key", only_key, "print the key only, not its line");
    command.add_option("--print-fields", print_fields, "print these fields of the line only")
        ->type_name("N[,N]")
        ->excludes(only);
    auto tagged = command.add_flag("--tag", tag, "print the filter's name and a tab before each line");
    command.add_option("--color", colour, "colour of keys in their lines: on a terminal (auto), always or never")
        ->one_of({"auto", "always", "never"})
        ->type_name("WHEN")
        ->capture_default_str();
    command.add_flag("--line-buffered", line_buffered, "write each line by itself");
    command.add_flag("--json", as_json, R"(print a line {"key":..., "filters":[...]} per key)");
    command.add_flag(
        "--subdomains", subdomains,
        "a domain also matches if one of its parents is in the filter: a.b.example.com matches example.com");
    command.add_flag(
        "--longest", longest,
        "print the longest network (or domain, with --subdomains) that is in the filter, and a tab, before "
        "each line");
    auto confirmed = command.add_flag(
        "--confirm", confirm,
        "refuse filters that keep no hashes to verify matches with; those that do (elastic kinds) verify "
        "every match anyway: their FPR is keys * 2^-word_bits ('show' says it)");
    command.add_flag("--no-confirm", no_confirm, "do not verify matches: faster, at the current FPR that 'show' says");
    foreign.declare(command);
    keys.declare(command);
    tagged->excludes("--invert")->excludes("--json");
    confirmed->excludes("--no-confirm");
}

answer_style check_flags::style() const noexcept {
    if (quiet) return answer_style::first_only;
    if (count) return answer_style::count;
    return as_json ? answer_style::json_lines : answer_style::lines;
}

result<std::optional<std::uint64_t>> check_flags::most() const {
    if (!most_matches) return std::optional<std::uint64_t>{};
    const auto limit = size_of_flag("-m", *most_matches);
    if (!limit) return fail(limit.error());
    return std::optional<std::uint64_t>(*limit);
}

result<answer_layout> check_flags::layout(char separator) const {
    answer_layout made;
    made.separator = separator;
    made.line_number = line_number;
    made.file_name = with_file || (recursive && !no_file);
    made.tag = tag;
    made.match = longest && !invert;
    made.line_buffered = line_buffered;
    made.colour =
        keys.are_in_lines() && !invert && (colour == "always" || (colour == "auto" && output_wants_colours()));
    if (only_key) made.printed = answer_layout::part::key;
    if (print_fields) {
        auto fields = parse_fields("--print-fields", *print_fields);
        if (!fields) return fail(std::move(fields.error()));
        const auto how = keys.split();
        if (!how) return fail(how.error());
        made.printed = answer_layout::part::fields;
        made.fields = std::move(*fields);
        made.split = *how;
    }
    return made;
}

} // namespace everbloom::cli
