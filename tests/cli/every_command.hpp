// every_command: a small real run of each command of the program, for promises that all commands keep.
//
// The list of commands is the program's own: a command without a row here fails the test that asks for all of them.
#pragma once

#include "cli/help_reader.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace everbloom::support {

struct command_run {
    std::vector<std::string> arguments;
    std::size_t command_words = 1; // how many of them name the command

    [[nodiscard]] std::vector<std::string> command() const {
        return {arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(command_words)};
    }
    [[nodiscard]] std::string text() const {
        std::string joined;
        for (const std::string& one : arguments) joined += one + " ";
        return joined;
    }
};

/// Each in the folder that `make_inputs` fills. All of them succeed there, and say the same each time as far as files go.
[[nodiscard]] inline std::vector<command_run> every_command() {
    return {
        {{"create", "new.eb", "names.txt", "--kind", "dleft", "--seed", "1", "--threads", "1"}},
        {{"create", "waiting.eb", "names.txt", "--kind", "bloom", "--fpr", "1%", "--seed", "1", "--threads", "2"}},
        {{"add", "counting.eb", "others.txt", "--threads", "1"}},
        {{"add", "elastic.eb", "others.txt", "--new", "--threads", "2"}},
        {{"check", "counting.eb", "others.txt", "--threads", "1"}},
        {{"check", "counting.eb", "log.txt", "--field", "2", "-n", "--threads", "1"}},
        {{"check", "networks.eb", "addresses.txt", "--longest", "--threads", "1"}},
        {{"create", "domains.eb", "hosts.txt", "--format", "hosts", "--unique", "--seed", "1", "--threads", "1"}},
        {{"create", "similar.eb", "names.txt", "--like", "counting.eb", "--threads", "1"}},
        {{"sync", "followed.eb", "names.txt", "--protect", "strangers.txt", "--threads", "1"}},
        {{"watch", "followed.eb", "others.txt", "--syncs", "1", "--threads", "1"}},
        {{"delta", "elastic.eb", "elastic2.eb", "two.patch"}},
        {{"apply", "elastic.eb", "one.patch"}},
        {{"uniq", "names.txt", "names.txt", "--state", "seen.eb", "--seed", "1", "--threads", "1"}},
        {{"uniq", "names.txt", "names.txt", "-c", "--threads", "1"}},
        {{"check", "counting.eb", "elastic.eb", "others.txt", "--json", "--threads", "2"}},
        {{"remove", "counting.eb", "names.txt", "--threads", "1"}},
        {{"remove", "elastic.eb", "names.txt", "--json", "--threads", "1"}},
        {{"sync", "followed.eb", "others.txt", "--threads", "1"}},
        {{"sync", "fresh.eb", "--trace", "trace.txt", "--seed", "1", "--threads", "1"}},
        {{"uniq", "names.txt", "others.txt", "--stats", "--seed", "1", "--threads", "1"}},
        {{"merge", "both.eb", "elastic.eb", "elastic2.eb"}},
        {{"intersect", "shared.eb", "elastic.eb", "elastic2.eb"}},
        {{"resize", "dleft.eb", "--capacity", "2000", "--fpr", "2%"}},
        {{"resize", "elastic.eb", "--bytes", "32KiB"}},
        {{"rekey", "counting.eb", "names.txt", "--seed", "7", "--threads", "1"}},
        {{"export", "followed.eb", "small.eb", "--fpr", "1%"}},
        {{"protect", "counting.eb", "strangers.txt", "--threads", "1"}},
        {{"show", "counting.eb", "--picture", "cells.svg"}},
        {{"show", "counting.eb", "elastic.eb"}},
        {{"diff", "elastic.eb", "elastic2.eb"}},
        {{"verify", "elastic.eb"}},
        {{"verify", "elastic.eb", "counting.eb"}},
        {{"convert", "dcso.eb", "out.bloom"}},
        {{"convert", "old.bloom", "converted.eb"}},
        {{"plan", "--capacity", "1000", "--fpr", "1%"}},
        {{"simulate", "bloom", "--items", "100", "--trials", "3", "--queries", "1000", "--threads", "1"}},
        {{"reproduce", "summary", "--only", "shared_bit", "--scale", "glance", "--threads", "1"}},
        {{"report", "counting.eb", "--out", "page.html"}},
        {{"route", "backbone", "--trials", "3", "--picture", "net.svg"}},
        {{"gate", "--packets", "traffic/packets.raw", "--blacklist", "traffic/blacklist.txt", "--patterns",
          "traffic/patterns.txt", "--compare", "--state", "gate", "--verdicts", "verdicts.txt", "--metrics",
          "gate.prom", "--seed", "1"}},
        {{"gate", "--packets", "traffic/packets.raw", "--blacklist", "networks.txt", "--patterns", "bytes.txt",
          "--exact", "--events", "events.json"}},
        {{"gate", "generate", "--packets", "200", "--senders", "10", "--patterns", "20", "--out", "made"}, 2},
        {{"redis"}},
        {{"redis", "split", "names.txt", "--out", "parts", "--shards", "2", "--seed", "1", "--threads", "1"}, 2},
        {{"help", "scalable"}},
        {{"completion", "bash"}},
        {{"man"}},
        {{"man", "--out", "pages"}},
    };
}

/// The commands of the program that have no row.
[[nodiscard]] inline std::set<std::string> commands_without_a_run(const workbench& here) {
    std::set<std::string> missing;
    for (const auto& words : commands_in_help(here)) missing.insert(command_run{words}.text());
    for (const command_run& one : every_command()) missing.erase(command_run{one.command()}.text());
    // They need a server: redis_test.cpp.
    for (const char* name : {"push", "check", "sync", "pull"}) missing.erase(command_run{{"redis", name}}.text());
    return missing;
}

/// The files that the runs need.
inline void make_inputs(const workbench& here) {
    here.write("names.txt", numbered_lines("name", 60));
    here.write("others.txt", numbered_lines("name", 40) + numbered_lines("other", 60));
    here.write("strangers.txt", numbered_lines("stranger", 300));
    here.write("log.txt", "7:01 name1 in\n7:02 Anna in\n7:03 name2 out\n");
    here.write("hosts.txt", "# hosts\n0.0.0.0 ads.example b.example\n0.0.0.0 ads.example\n");
    here.write("networks.txt", "10.0.0.0/8\n2001:db8::/32\n");
    here.write("bytes.txt", "\"no such data in it\"\nhex:6e6f ?? 73756368206461746121\n");
    here.write("addresses.txt", "10.1.2.3\n11.1.2.3\n2001:db8::1\n");
    here.write("trace.txt", "+anna\n+bert\n# first\n-anna\n+carla\n# second\n");
    const std::string names = here.read("names.txt");
    here.make("counting.eb", names, {"--capacity", "200", "--fpr", "1%"});
    here.make("elastic.eb", names, {"--kind", "elastic_blocked", "--capacity", "200", "--fpr", "1%"});
    here.make("elastic2.eb", here.read("others.txt"),
              {"--kind", "elastic_blocked", "--capacity", "200", "--fpr", "1%"});
    here.make("dleft.eb", names, {"--kind", "dleft", "--capacity", "500", "--fpr", "0.1%"});
    here.make("dcso.eb", names, {"--kind", "bloom", "--hash", "dcso", "--capacity", "200", "--fpr", "1%"});
    for (const std::vector<std::string>& step : std::vector<std::vector<std::string>>{
             {"convert", "dcso.eb", "old.bloom"},
             {"sync", "followed.eb", "names.txt", "--seed", "1"},
             {"create", "networks.eb", "networks.txt", "--format", "cidr", "--seed", "1"},
             {"delta", "elastic.eb", "elastic2.eb", "one.patch"},
             {"gate", "generate", "--packets", "600", "--senders", "40", "--patterns", "20", "--out", "traffic"}}) {
        const auto made = here.run(step);
        EXPECT_EQ(made.exit_code, 0) << made.err;
    }
}

/// The files of a folder with their bytes, those in folders below included.
using folder_contents = std::map<std::string, std::string>;

[[nodiscard]] inline folder_contents contents_of(const workbench& here) {
    folder_contents found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(here.path())) {
        if (!entry.is_regular_file()) continue;
        const std::string name = std::filesystem::relative(entry.path(), here.path());
        found[name] = here.read(name);
    }
    return found;
}

/// Makes the folder hold these files and no others.
inline void restore(const workbench& here, const folder_contents& wanted, const folder_contents& there) {
    for (const auto& [name, bytes] : there) {
        if (!wanted.contains(name)) std::filesystem::remove(here / name);
    }
    for (const auto& [name, bytes] : wanted) {
        const auto found = there.find(name);
        if (found != there.end() && found->second == bytes) continue;
        std::filesystem::remove(here / name); // writing over it makes some file systems flush it
        here.write(name, bytes);
    }
    for (const auto& entry : std::filesystem::directory_iterator(here.path())) {
        if (entry.is_directory() && std::filesystem::is_empty(entry.path())) std::filesystem::remove(entry.path());
    }
}

} // namespace everbloom::support
