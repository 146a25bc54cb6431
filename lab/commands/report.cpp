// report: one HTML page about filters, reproduced papers, benchmarks, simulations, plans and gate runs.
#include "lab/report/report.hpp"

#include "filters/whole_file.hpp"
#include "lab/commands/lab_commands.hpp"
#include "output/standard_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace everbloom::cli {
namespace {

struct report_flags {
    report_request wanted;
    std::string out;
    bool force = false;
    bool quiet = false;
};

constexpr std::string_view to_standard_output = "-";

/// Where the page goes: --out, else standard output if it is not a terminal, else a file named after the input.
std::string destination_of(const report_flags& flags) {
    if (!flags.out.empty()) return flags.out;
    if (!output_is_terminal()) return std::string(to_standard_output);
    if (flags.wanted.paths.size() != 1) return "report.html";
    std::string name = flags.wanted.paths.front();
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    return name + ".html";
}

result<void> check_destination(const report_flags& flags, const std::string& path) {
    if (path == to_standard_output) return {};
    if (!path.ends_with(".html")) {
        return fail(failure_reason::bad_parameter,
                    "--out: '" + path + "' must end in .html, or be '-' for standard output");
    }
    std::error_code absent;
    for (const std::string& one : flags.wanted.paths) {
        if (std::filesystem::equivalent(path, one, absent)) {
            return fail(failure_reason::bad_parameter,
                        path + ": is an input of the report; use another name for --out");
        }
    }
    if (flags.force || !std::filesystem::exists(std::filesystem::symlink_status(path, absent))) return {};
    return fail(failure_reason::bad_parameter,
                path + ": already exists; --force replaces it, --out names another file");
}

result<int> run_report(const report_flags& flags) {
    const std::string path = destination_of(flags);
    if (auto checked = check_destination(flags, path); !checked) return fail(std::move(checked.error()));
    const auto page = make_report(flags.wanted);
    if (!page) return fail(page.error());
    auto written =
        path == to_standard_output ? write_output(*page) : write_whole_file(path, bytes_of(*page), flags.wanted.paths);
    if (!written) return fail(std::move(written.error()));
    if (path != to_standard_output && !flags.quiet) fmt::print("wrote {}\n", path);
    return exit_done;
}

} // namespace

void declare_report(command_line& line) {
    const auto flags = std::make_shared<report_flags>();
    command_flags command =
        line.add("report", "Write a self-contained HTML page about filters and results",
                 "everbloom create names.eb names.txt && everbloom report names.eb --out names.html\n"
                 "everbloom simulate dfp --items 500 --trials 2 --queries 1000 --json > dfp.json && everbloom report "
                 "dfp.json > dfp.html",
                 [flags] { return run_report(*flags); });
    command
        .add_option("WHAT", flags->wanted.paths,
                    "filters (.eb), JSON output of reproduce, bench, simulate, plan or gate (.json), or directories of "
                    "such files, as written by reproduce --out")
        ->required()
        ->type_name("");
    command
        .add_option("--out", flags->out,
                    "output file; '-' for standard output (default: standard output if it is not a terminal, else "
                    "WHAT.html)")
        ->type_name("FILE.html");
    command.add_option("--title", flags->wanted.title, "title of the page")->type_name("T");
    command.add_flag("--force", flags->force, "overwrite an existing file");
    command.add_flag("-q,--quiet", flags->quiet, "print nothing but errors");
}

} // namespace everbloom::cli
