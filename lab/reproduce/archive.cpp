#include "lab/reproduce/archive.hpp"

#include "filters/whole_file.hpp"
#include "frame/build_facts.hpp"
#include "lab/reproduce/machine.hpp"
#include "output/json_output.hpp"

#include <everbloom/version.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace everbloom::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_archived_bytes = 256 << 20;

std::string run_document(const run_facts& facts) {
    json made;
    made["program"] = "everbloom";
    made["version"] = version_text;
    made["command"] = facts.command;
    made["papers"] = facts.papers;
    made["scale"] = facts.scale;
    made["seed"] = facts.seed;
    made["threads"] = facts.threads;
    made["keys"] = facts.keys.empty() ? json("random") : json(facts.keys);
    made["topologies"] = facts.topologies.empty() ? json("built in") : json(facts.topologies);
    made["build"] = json::array();
    std::istringstream lines(version_and_build_facts());
    for (std::string line; std::getline(lines, line);) made["build"].push_back(line);
    made["machine"] = machine_facts::of_now().words();
    return made.dump(2) + "\n";
}

std::string citation() {
    return fmt::format(
        "cff-version: 1.2.0\n"
        "message: \"Cite the program that computed these numbers, and the papers that the pages name.\"\n"
        "title: \"everbloom: membership filters for sets that change\"\n"
        "type: software\n"
        "authors:\n"
        "  - name: \"the everbloom authors\"\n"
        "version: {}\n"
        "date-released: {}\n"
        "license: MIT\n",
        version_text, release_date);
}

constexpr std::string_view redraw_script =
    "#!/bin/sh\n"
    "# Draws every figure of this directory again from its script. Needs gnuplot.\n"
    "set -eu\n"
    "cd \"$(dirname \"$0\")\"\n"
    "for script in */*.gp; do gnuplot \"$script\" > \"${script%.gp}.svg\"; done\n";

/// The files of the papers, in order, relative to the directory.
std::vector<std::string> files_of(const std::string& directory, const std::vector<std::string>& papers) {
    std::vector<std::string> names;
    for (const std::string& paper : papers) {
        for (const char* ending : {".html", ".json"}) names.push_back(paper + ending);
        std::error_code failed;
        fs::directory_iterator entries(fs::path(directory) / paper, failed);
        while (!failed && entries != fs::directory_iterator()) {
            if (entries->is_regular_file(failed)) names.push_back(paper + "/" + entries->path().filename().string());
            entries.increment(failed);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string checksum_of(std::span<const std::byte> bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace

result<void> write_archive(const std::string& directory, const run_facts& facts, std::span<const std::string> inputs) {
    const auto write = [&](std::string_view name, const std::string& text) {
        return write_whole_file((fs::path(directory) / name).string(), bytes_of(text), inputs);
    };
    for (const auto& [name, text] : {std::pair<std::string_view, std::string>{"run.json", run_document(facts)},
                                     {"CITATION.cff", citation()},
                                     {"redraw.sh", std::string(redraw_script)}}) {
        if (auto done = write(name, text); !done) return done;
    }
    std::string sums;
    std::vector<std::string> names = files_of(directory, facts.papers);
    names.insert(names.end(), {"CITATION.cff", "redraw.sh", "run.json"});
    for (const std::string& name : names) {
        const auto bytes = read_whole_file((fs::path(directory) / name).string(), most_archived_bytes);
        if (!bytes) return fail(bytes.error());
        sums += checksum_of(*bytes) + "  " + name + "\n";
    }
    return write("checksums", sums);
}

} // namespace everbloom::cli
