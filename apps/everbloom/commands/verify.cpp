// verify: checks every byte of a filter file.
#include "commands/commands.hpp"
#include "filters/filter_argument.hpp"
#include "frame/summary.hpp"
#include "output/json_output.hpp"
#include "output/message.hpp"
#include "output/table.hpp"
#include "output/wording.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <optional>

namespace everbloom::cli {
namespace {

struct verify_flags {
    std::vector<std::string> paths;
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

json report_document(const std::string& path, const filter_file& file) {
    json sections = json::array();
    for (const section_sum& one : sections_of(file)) sections.push_back({{"bytes", one.bytes}, {"pages", one.pages}});
    return {{"file", path},
            {"intact", true},
            {"format_version", v1::version},
            {"kind", file.filter().kind()},
            {"bytes", bytes_of(path)},
            {"sections", sections},
            {"checked", {"header", "sizes", "checksums", "geometry", "cells"}}};
}

void print_report(const std::string& path, const filter_file& file) {
    std::uint64_t section_bytes = 0;
    std::uint64_t pages = 0;
    for (const section_sum& one : sections_of(file)) {
        section_bytes += one.bytes;
        pages += one.pages;
    }
    const auto bytes = bytes_of(path);
    fmt::print("{}: intact\n", path);
    fmt::print("  header     {}, format version {}, checksum matches\n", counted(bytes - section_bytes, "byte"),
               v1::version);
    fmt::print("  sizes      {} of sections: as the geometry requires, up to the end of the file\n",
               counted(section_bytes, "byte"));
    fmt::print("  checksums  {} match\n", counted(pages, "page"));
    fmt::print("  geometry   valid for {} filter with {}\n", with_article(file.filter().kind()),
               counted(file.filter().structure_bits(), "bit"));
    fmt::print("  cells      {}, all values valid\n", grouped(file.filter().cells()));
}

/// Nothing if it is intact.
std::optional<failure> damage_of_slow(const std::string& path) {
    const auto opened = open_slow_filter(path, slow_access::read);
    if (!opened) return opened.error();
    const auto verified = opened->slow->verify();
    if (!verified) return in(path, verified.error());
    return std::nullopt;
}

json slow_document(const std::string& path) {
    return {{"file", path},
            {"intact", true},
            {"format_version", slow_layout::version},
            {"kind", "slow"},
            {"bytes", bytes_of(path)},
            {"checked", {"header", "state", "extents", "log", "runs", "bits"}}};
}

json damage_document(const std::string& path, const failure& why) {
    return {{"file", path}, {"intact", false}, {"reason", name_of(why.reason)}, {"problem", why.sentence}};
}

result<int> verify_one(const verify_flags& flags) {
    const std::string& path = flags.paths.front();
    if (is_slow_filter(path)) {
        if (const auto damage = damage_of_slow(path)) {
            if (flags.output.as_json) print_document(damage_document(path, *damage));
            return fail(*damage);
        }
        if (flags.output.as_json) print_document(slow_document(path));
        if (flags.output.wants_text()) {
            fmt::print(
                "{}: intact\n  {} of a slow filter: header, state, log, runs and bits match their checksums and each "
                "other\n",
                path, counted(bytes_of(path), "byte"));
        }
        return exit_done;
    }
    const auto file = map_filter_argument(path);
    if (!file) {
        if (flags.output.as_json) print_document(damage_document(path, file.error()));
        return fail(file.error());
    }
    if (flags.output.as_json) print_document(report_document(path, *file));
    if (flags.output.wants_text()) print_report(path, *file);
    return exit_done;
}

/// A damaged file does not hide the others.
result<int> verify_many(const verify_flags& flags) {
    json documents = json::array();
    table rows({{"file"}, {"kind"}, {"size", table::side::right}, {"pages", table::side::right}, {"result"}});
    std::vector<failure> damages;
    for (const std::string& path : flags.paths) {
        if (is_slow_filter(path)) {
            const auto damage = damage_of_slow(path);
            if (damage) damages.push_back(*damage);
            documents.push_back(damage ? damage_document(path, *damage) : slow_document(path));
            rows.add({path, "slow", bytes_text(bytes_of(path)), "-",
                      damage ? std::string(name_of(damage->reason)) : "intact"});
            continue;
        }
        const auto file = map_filter_argument(path);
        if (!file) {
            damages.push_back(file.error());
            documents.push_back(damage_document(path, file.error()));
            rows.add({path, "-", bytes_text(bytes_of(path)), "-", std::string(name_of(file.error().reason))});
            continue;
        }
        std::uint64_t pages = 0;
        for (const section_sum& one : sections_of(*file)) pages += one.pages;
        documents.push_back(report_document(path, *file));
        rows.add({path, std::string(file->filter().kind()), bytes_text(bytes_of(path)), grouped(pages), "intact"});
    }
    if (flags.output.as_json) print_document(documents);
    if (flags.output.wants_text()) fmt::print("{}", rows.text());
    if (damages.empty()) return exit_done;
    std::fflush(stdout);
    for (const failure& one : damages) say("everbloom: {}\n", one.sentence);
    return exit_error;
}

result<int> run_verify(const verify_flags& flags) {
    return flags.paths.size() == 1 ? verify_one(flags) : verify_many(flags);
}

} // namespace

void declare_verify(command_line& line) {
    auto flags = std::make_shared<verify_flags>();
    command_flags command = line.add("verify", "Check every byte of a filter file: checksums, geometry, cells",
                                     "everbloom create names.eb names.txt\n"
                                     "everbloom verify names.eb",
                                     [flags] { return run_verify(*flags); });
    command.add_option("FILE", flags->paths, "the filter; several are shown as a table")->required()->type_name("");
    flags->output.declare(command);
}

} // namespace everbloom::cli
