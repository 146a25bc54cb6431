#include "lab/report/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

namespace everbloom::cli::html {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_sections = 200;

bool is_list(const document& from, std::string_view name) { return member_of(from, name).is_array(); }
bool is_number(const document& from, std::string_view name) { return member_of(from, name).is_number(); }

/// An id made from the letters of the file name.
std::string id_of(const std::string& path) {
    std::string id = "p";
    for (const char c : fs::path(path).stem().string()) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) id += c;
    }
    return fmt::format("{}{}", id, std::hash<std::string>{}(path) % 100000);
}

/// Recognises a document by its members; empty if it is unknown.
std::vector<section> recognised(const document& read, const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    if (is_list(read, "artefacts") && is_list(read, "claims")) {
        return {paper_section(read, fs::path(path).replace_extension().string(), id_of(path))};
    }
    if (is_list(read, "benchmarks") || is_list(read, "measurements")) return {bench_section(read, name)};
    if (is_list(read, "candidates") && member_of(read, "workload").is_object()) return {plan_section(read, name)};
    if (is_number(read, "trials") && member_of(read, "fpr").is_object()) return {simulation_section(read, name)};
    if (is_number(read, "packets") && is_number(read, "accepted")) return {gate_section(read, name)};
    std::vector<section> made;
    if (read.is_array()) { // `reproduce --json` of all papers
        for (const document& one : read) {
            if (made.size() < most_sections && is_list(one, "artefacts") && is_list(one, "claims"))
                made.push_back(paper_section(one, "", id_of(path)));
        }
    }
    return made;
}

result<std::vector<section>> of_filter(const std::string& path) {
    auto made = filter_section(path);
    if (!made) return fail(std::move(made.error()));
    return std::vector<section>{std::move(*made)};
}

result<std::vector<section>> of_document(const std::string& path) {
    const auto read = read_json_file(path);
    if (!read) return fail(read.error());
    return recognised(*read, path);
}

bool looks_like_json(const std::string& path) {
    constexpr std::array<std::string_view, 5> endings{".json", ".json.gz", ".json.zst", ".json.xz", ".json.bz2"};
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view one) { return path.ends_with(one); });
}

result<std::vector<section>> of_directory(const std::string& path) {
    std::error_code refused;
    std::vector<std::string> files;
    for (fs::directory_iterator at(path, refused), end; !refused && at != end; at.increment(refused)) {
        const fs::path& one = at->path();
        std::error_code gone;
        const bool wanted = one.extension() == ".eb" || looks_like_json(one.string());
        if (wanted && at->is_regular_file(gone)) files.push_back(one.string());
        if (files.size() > most_sections) {
            return fail(
                failure_reason::bad_parameter,
                fmt::format("{}: more than {} files for a report; name the ones to include", path, most_sections));
        }
    }
    if (refused) return fail(failure_reason::input_output, path + ": cannot be read: " + refused.message());
    std::sort(files.begin(), files.end());
    std::vector<section> all;
    for (const std::string& one : files) {
        auto made = looks_like_json(one) ? of_document(one) : of_filter(one);
        if (!made) return fail(std::move(made.error()));
        std::move(made->begin(), made->end(), std::back_inserter(all));
    }
    if (!all.empty()) return all;
    return fail(failure_reason::bad_parameter,
                path + ": contains no input for a report: filters (.eb), or JSON output of reproduce, bench, simulate, "
                       "plan or gate");
}

} // namespace

result<std::vector<section>> sections_of(const std::string& path) {
    std::error_code absent;
    if (fs::is_directory(path, absent)) return of_directory(path);
    if (!looks_like_json(path)) return of_filter(path);
    auto made = of_document(path);
    if (!made || !made->empty()) return made;
    return fail(failure_reason::bad_parameter,
                path + ": JSON, but not the output of reproduce, bench, simulate, plan or gate with --json");
}

} // namespace everbloom::cli::html
