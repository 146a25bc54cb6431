// Every command and flag that reads a file from outside, as a table: for tests of what all of them must do.
#pragma once

#include "cli/gate_samples.hpp"
#include "cli/workbench.hpp"

#include <functional>
#include <string>
#include <vector>

namespace everbloom::support {

struct input_reader {
    std::string name;
    std::vector<std::string> arguments;  // "@" is the file
    std::string plain;                   // what the file holds
    std::string made = {};               // the file that the run writes, if its contents are to be compared
    std::string file = "input";          // the file's name; "-": it comes through standard input
    bool is_text = true;                 // otherwise it may hold any bytes
    bool is_nul_separated = false;       //
    std::vector<std::string> knows = {}; // formats beside text that it reads
    bool decodes_text = false;           // it reads UTF-16 by itself
};

/// A directory with all that the commands need beside the file.
class reader_bench : public workbench {
public:
    reader_bench() {
        make("members.eb", "anna\nbert\n");
        members_ = read("members.eb");
        write("negatives.txt", "zoe\nyves\n");
        write("addresses.txt", "10.0.0.1\n10.0.0.7\n");
        write("packets.txt", "10.0.0.1 deadbeef\n10.0.0.7 00c0ffee\n");
        write("patterns.txt", gate_patterns);
        EXPECT_EQ(
            run({"create", "dcso.eb", "--kind", "bloom", "--hash", "dcso", "--capacity", "100"}, "anna\n").exit_code,
            0);
        EXPECT_EQ(run({"convert", "dcso.eb", "made.bloom"}).exit_code, 0);
    }

    /// Runs the reader on these bytes. Filters that the command would change are as they were at first.
    [[nodiscard]] program_result run_reader(const input_reader& reader, const std::string& bytes) const {
        if (!reader.made.empty()) std::filesystem::remove(*this / reader.made);
        write("work.eb", members_);
        std::vector<std::string> arguments = reader.arguments;
        std::replace(arguments.begin(), arguments.end(), std::string("@"), reader.file);
        if (reader.file == "-") return run(arguments, bytes);
        write(reader.file, bytes);
        return run(arguments);
    }

    [[nodiscard]] bool changed_nothing(const input_reader& reader) const {
        return read("work.eb") == members_ &&
               (reader.made.empty() || reader.made == "work.eb" || !std::filesystem::exists(*this / reader.made));
    }

private:
    std::string members_;
};

/// Their names, which tests have to know before the first of them runs.
inline const std::vector<std::string> reader_names{"check",
                                                   "check_input",
                                                   "check_nul",
                                                   "create_sized",
                                                   "create_unsized",
                                                   "add",
                                                   "remove",
                                                   "uniq",
                                                   "sync",
                                                   "sync_trace",
                                                   "protect",
                                                   "protect_members",
                                                   "reproduce_keys",
                                                   "gate_blacklist",
                                                   "gate_query",
                                                   "gate_patterns",
                                                   "gate_text",
                                                   "gate_capture",
                                                   "gate_new_capture",
                                                   "convert",
                                                   "report",
                                                   "route"};

[[nodiscard]] inline std::vector<input_reader> input_readers(const reader_bench& here) {
    const std::string keys = "anna\nbert\nzoe\n";
    const std::string packets = here.read("packets.txt");
    const std::string frame = ethernet(type_ipv4, ipv4("10.0.0.1", protocol_udp, udp(bad_payload)));
    const std::string graphml = [] {
        std::ifstream file(std::string(EVERBLOOM_SOURCE_DIR) + "/examples/networks/ring.graphml", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }();
    const auto gate = [&](std::vector<std::string> more) {
        more.insert(more.begin(), "gate");
        more.insert(more.end(), {"--seed", "1"});
        return more;
    };
    std::vector<input_reader> all{
        {"check", {"check", "members.eb", "--", "@"}, keys},
        {"check_input", {"check", "members.eb", "@"}, keys, "", "-"},
        {"check_nul", {"check", "-0", "members.eb", "--", "@"}, std::string("anna\0bert\0zoe\0", 14)},
        {"create_sized",
         {"create", "new.eb", "@", "--seed", "1", "--capacity", "100", "--kind", "counting", "--overfill"},
         keys,
         "new.eb"},
        {"create_unsized", {"create", "new.eb", "@", "--seed", "1", "--kind", "counting"}, keys, "new.eb"},
        {"add", {"add", "work.eb", "@"}, keys, "work.eb"},
        {"remove", {"remove", "work.eb", "@"}, "anna\nbert\n", "work.eb"},
        {"uniq", {"uniq", "@"}, keys + keys},
        {"sync", {"sync", "s.eb", "@", "--seed", "1", "--dry-run"}, keys},
        {"sync_trace", {"sync", "s.eb", "--trace", "@", "--seed", "1", "--dry-run"}, "+anna\n+bert\n-anna\n"},
        {"protect", {"protect", "work.eb", "@", "--dry-run"}, "zoe\nyves\n"},
        {"protect_members", {"protect", "work.eb", "negatives.txt", "--members", "@", "--dry-run"}, "anna\nbert\n"},
        {"reproduce_keys", {"reproduce", "elastic", "--only", "fig3", "--scale", "glance", "--keys", "@"}, keys},
        {"gate_blacklist", gate({"--blacklist", "@", "--query", "addresses.txt", "--quiet"}), "10.0.0.1\n10.0.0.2\n"},
        {"gate_query", gate({"--blacklist", "addresses.txt", "--query", "@", "--quiet"}), "10.0.0.1\n10.0.0.2\n"},
        {"gate_patterns", gate({"--patterns", "@", "--packets", "packets.txt", "--verdicts", "verdicts", "--quiet"}),
         "deadbeef\n", "verdicts"},
        {"gate_text", gate({"--patterns", "patterns.txt", "--packets", "@", "--verdicts", "verdicts", "--quiet"}),
         packets, "verdicts"},
        {"gate_capture", gate({"--patterns", "patterns.txt", "--packets", "@", "--verdicts", "verdicts", "--quiet"}),
         pcap_file(link_ethernet, {frame}), "verdicts"},
        {"gate_new_capture",
         gate({"--patterns", "patterns.txt", "--packets", "@", "--verdicts", "verdicts", "--quiet"}),
         pcapng_file(link_ethernet, {frame}), "verdicts"},
        {"convert", {"convert", "@", "converted.eb", "--quiet"}, here.read("made.bloom"), "converted.eb"},
        {"report",
         {"report", "@", "--out", "report.html", "--quiet"},
         here.run({"plan", "--capacity", "1000", "--json"}).out,
         "report.html",
         "input.json"},
        {"route", {"route", "@"}, graphml},
    };
    for (input_reader& one : all) {
        one.is_nul_separated = one.name == "check_nul";
        one.is_text = one.name != "convert" && one.name != "gate_capture" && one.name != "gate_new_capture";
        if (one.name.starts_with("gate_") && one.name != "gate_blacklist" && one.name != "gate_query" &&
            one.name != "gate_patterns")
            one.knows = {"a packet capture"};
        if (one.name == "reproduce_keys") one.knows = {"a packet capture"};
        if (one.name == "convert") one.knows = {"a .bloom file"};
        one.decodes_text = one.name == "route";
    }
    EXPECT_TRUE(std::equal(all.begin(), all.end(), reader_names.begin(), reader_names.end(),
                           [](const input_reader& one, const std::string& name) { return one.name == name; }));
    return all;
}

/// For tests of each of them, on one bench: what a run changes, the next one finds as it was.
class for_every_reader : public ::testing::TestWithParam<std::size_t> {
public:
    static const reader_bench& bench() {
        static const reader_bench shared;
        return shared;
    }
    static const std::vector<input_reader>& readers() {
        static const std::vector<input_reader> all = input_readers(bench());
        return all;
    }

    const reader_bench& here = bench();
    const input_reader& reader = readers()[GetParam()];
};

[[nodiscard]] inline std::string name_of_reader(const ::testing::TestParamInfo<std::size_t>& info) {
    return reader_names[info.param];
}

} // namespace everbloom::support
