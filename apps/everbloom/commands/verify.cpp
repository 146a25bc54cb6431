// verify: checks every byte of a filter file.
#include "commands/commands.hpp"
#include "filters/filter_argument.hpp"
#include "frame/summary.hpp"
#include "output/json_output.hpp"
#include "output/wording.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>

namespace everbloom::cli {
namespace {

struct verify_flags {
    std::string path;
    summary_flags output;
};

std::uint64_t bytes_of(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

/// The sections of a file: those of the filter, and an attachment.
struct section_sum {
    std::uint64_t bytes = 0;
    std::uint64_t pages = 0;
};

std::vector<section_sum> sections_of(const filter_file& file) {
    std::vector<section_sum> made;
    for (const auto& words : file.filter().sections()) {
        made.push_back({words.size_bytes(), v1::pages_of(words.size() / line_words)});
    }
    if (!file.attached.empty()) {
        const std::uint64_t lines = lines_for_bits(8 * file.attached.size());
        made.push_back({lines * line_bytes, v1::pages_of(lines)});
    }
    return made;
}

json report_document(const verify_flags& flags, const filter_file& file) {
    json sections = json::array();
    for (const section_sum& one : sections_of(file)) sections.push_back({{"bytes", one.bytes}, {"pages", one.pages}});
    return {{"file", flags.path},
            {"intact", true},
            {"format_version", v1::version},
            {"kind", file.filter().kind()},
            {"bytes", bytes_of(flags.path)},
            {"sections", sections},
            {"checked", {"header", "sizes", "checksums", "geometry", "cells"}}};
}

void print_report(const verify_flags& flags, const filter_file& file) {
    std::uint64_t section_bytes = 0;
    std::uint64_t pages = 0;
    for (const section_sum& one : sections_of(file)) {
        section_bytes += one.bytes;
        pages += one.pages;
    }
    const auto bytes = bytes_of(flags.path);
    fmt::print("{}: intact\n", flags.path);
    fmt::print("  header     {}, format version {}, checksum matches\n", counted(bytes - section_bytes, "byte"),
               v1::version);
    fmt::print("  sizes      {} of sections: as the geometry requires, up to the end of the file\n",
               counted(section_bytes, "byte"));
    fmt::print("  checksums  {} match\n", counted(pages, "page"));
    fmt::print("  geometry   valid for {} filter with {}\n", with_article(file.filter().kind()),
               counted(file.filter().structure_bits(), "bit"));
    fmt::print("  cells      {}, all values valid\n", grouped(file.filter().cells()));
}

result<int> run_verify(const verify_flags& flags) {
    const auto file = map_filter_argument(flags.path);
    if (!file) {
        if (flags.output.as_json) {
            print_document({{"file", flags.path},
                            {"intact", false},
                            {"reason", name_of(file.error().reason)},
                            {"problem", file.error().sentence}});
        }
        return fail(file.error());
    }
    if (flags.output.as_json) print_document(report_document(flags, *file));
    if (flags.output.wants_text()) print_report(flags, *file);
    return exit_done;
}

} // namespace

void declare_verify(command_line& line) {
    auto flags = std::make_shared<verify_flags>();
    command_flags command = line.add("verify", "Check every byte of a filter file: checksums, geometry, cells",
                                     "everbloom create names.eb names.txt\n"
                                     "everbloom verify names.eb",
                                     [flags] { return run_verify(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    flags->output.declare(command);
}

} // namespace everbloom::cli
