// The state of a gate on disk: a resumed run is the run that was never interrupted, and nothing that goes wrong harms it.
#include "cli/workbench.hpp"

#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace everbloom::support {
namespace {

using nlohmann::json;

struct resumed_gate : workbench {
    resumed_gate() {
        const auto made = run({"gate", "generate", "--packets", "30000", "--senders", "1000", "--bad-share", "10%",
                               "--longest", "5", "--seed", "7", "--out", "t"});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        const std::string packets = read("t/packets.raw");
        write("first.raw", packets.substr(0, 8 * 10'000));
        write("second.raw", packets.substr(8 * 10'000, 8 * 5));
        write("third.raw", packets.substr(8 * 10'005));
    }

    [[nodiscard]] program_result judge(const std::string& packets, const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{
            "gate",   "--blacklist", "t/blacklist.txt", "--patterns", "t/patterns.txt", "--packets", packets,
            "--seed", "3",           "--fpr",           "1%",         "--senders",      "100",       "--verdicts",
            "v",      "--query",     "t/queries.txt",   "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }

    /// Every file of the directory with its bytes.
    [[nodiscard]] std::string contents(const std::string& directory) const {
        std::map<std::string, std::string> files;
        for (const auto& one : std::filesystem::directory_iterator(path() / directory)) {
            const std::string name = one.path().filename();
            files[name] = read(directory + "/" + name);
        }
        std::string all;
        for (const auto& [name, bytes] : files) all.append(name).append("\n").append(bytes);
        return all;
    }
};

json without_times(const std::string& text) {
    json document = json::parse(text);
    for (const char* key :
         {"seconds", "packets_per_second", "packets_this_run", "offenders", "sender_bytes", "exact_bytes"}) {
        document.erase(key);
    }
    // The model is asked again whenever a run begins, not only when bad_ips has grown.
    if (document.contains("false_rejections")) document["false_rejections"].erase("model");
    return document;
}

TEST(gate_state, a_resumed_run_equals_an_uninterrupted_one) {
    const resumed_gate here;
    for (const std::string mode : {"", "--exact", "--compare"}) {
        std::vector<std::string> flags;
        if (!mode.empty()) flags.push_back(mode);
        const auto whole = here.judge("t/packets.raw", flags);
        ASSERT_EQ(whole.exit_code, 0) << whole.err;
        const std::string verdicts = here.read("v");
        flags.insert(flags.end(), {"--state", "state" + mode});
        std::string pieces;
        program_result last;
        for (const std::string part : {"first.raw", "second.raw", "third.raw"}) {
            last = here.judge(part, flags);
            ASSERT_EQ(last.exit_code, 0) << last.err;
            pieces += here.read("v");
        }
        EXPECT_TRUE(pieces == verdicts) << mode;
        EXPECT_TRUE(without_times(last.out) == without_times(whole.out)) << mode;
    }
}

TEST(gate_state, holds_filters_that_every_command_reads) {
    const resumed_gate here;
    ASSERT_EQ(here.judge("first.raw", {"--state", "s"}).exit_code, 0);
    EXPECT_EQ(here.run({"verify", "s/bad_ips.1.eb"}).exit_code, 0);
    const auto blocked = here.run({"check", "-c", "s/bad_ips.1.eb", "t/blacklist.txt"});
    EXPECT_EQ(blocked.out, "100\n") << blocked.err;
    struct stat there {};
    EXPECT_EQ(::stat((here / "s").c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777, 0700U); // the key of the hash is in there
}

TEST(gate_state, a_save_replaces_the_one_before) {
    const resumed_gate here;
    ASSERT_EQ(here.judge("first.raw", {"--state", "s"}).exit_code, 0);
    ASSERT_EQ(here.judge("second.raw", {"--state", "s"}).exit_code, 0);
    std::set<std::string> names;
    for (const auto& one : std::filesystem::directory_iterator(here.path() / "s")) names.insert(one.path().filename());
    EXPECT_EQ(names, (std::set<std::string>{"gate.json", "bad_ips.2.eb", "good_ips.2.eb", "senders.2.bin",
                                            "flows.2.bin", "patterns.2.txt", "networks.2.txt"}));
}

TEST(gate_state, lists_need_not_be_given_again) {
    const resumed_gate here;
    const auto whole = here.judge("t/packets.raw", {});
    ASSERT_EQ(here.judge("first.raw", {"--state", "s"}).exit_code, 0);
    ASSERT_EQ(here.judge("second.raw", {"--state", "s"}).exit_code, 0);
    const auto ran = here.run({"gate", "--packets", "third.raw", "--state", "s", "--query", "t/queries.txt", "--json"});
    EXPECT_TRUE(without_times(ran.out) == without_times(whole.out)) << ran.err;
}

TEST(gate_state, an_address_that_joins_the_blacklist_is_refused_from_then_on) {
    const resumed_gate here;
    here.write("one.txt", "10.0.0.1 00000001\n");
    here.write("more.txt", "10.0.0.1\n");
    here.write("ask.txt", "10.0.0.1\n");
    EXPECT_EQ(here.run({"gate", "--packets", "one.txt", "--state", "s", "--query", "ask.txt", "-q"}).out,
              "10.0.0.1 GOOD\n");
    EXPECT_EQ(here.run({"gate", "--blacklist", "more.txt", "--packets", "one.txt", "--state", "s", "--query", "ask.txt",
                        "-q"})
                  .out,
              "10.0.0.1 BAD\n");
    const auto document = json::parse(here.run({"gate", "--packets", "one.txt", "--state", "s", "--json"}).out);
    EXPECT_EQ(document["rejected"], 2);
    EXPECT_EQ(document["senders"], 0);
}

TEST(gate_state, what_is_wrong_leaves_it_as_it_was) {
    const resumed_gate here;
    ASSERT_EQ(here.judge("first.raw", {"--state", "s"}).exit_code, 0);
    const std::string before = here.contents("s");
    expect_trouble(here.judge("second.raw", {"--state", "s", "--exact"}), "saved in mode 'filters'");
    here.write("bad.txt", "10.0.0.1 00000001\n10.0.0.1 nonsense\n");
    expect_trouble(here.judge("bad.txt", {"--state", "s"}), "bad.txt:2");
    EXPECT_EQ(here.contents("s"), before);
}

TEST(gate_state, another_version_and_damaged_files_are_refused) {
    const resumed_gate here;
    ASSERT_EQ(here.judge("first.raw", {"--state", "s"}).exit_code, 0);
    const std::string manifest = here.read("s/gate.json");
    const auto refuse = [&](const std::string& name, const std::string& bytes, const std::string& words) {
        const std::string intact = here.read(name);
        here.write(name, bytes);
        const std::string before = here.contents("s");
        expect_trouble(here.judge("second.raw", {"--state", "s"}), words);
        EXPECT_EQ(here.contents("s"), before);
        here.write(name, intact);
    };
    std::string other = manifest;
    other.replace(other.find("\"everbloom_gate\": 2"), 19, "\"everbloom_gate\": 3");
    refuse("s/gate.json", other, "version 3, but this everbloom reads versions 1 to 2");
    refuse("s/gate.json", "{}", "not a saved gate");
    refuse("s/gate.json", manifest.substr(0, manifest.size() / 2), "not a saved gate");
    std::string away = manifest;
    away.replace(away.find("bad_ips.1.eb"), 12, "../../secret");
    refuse("s/gate.json", away, "leads out of the directory");
    for (const std::string part : {"bad_ips.1.eb", "good_ips.1.eb", "senders.1.bin"}) {
        std::string bytes = here.read("s/" + part);
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        refuse("s/" + part, bytes, part + ": does not match its size and checksum");
    }
    std::filesystem::remove(here.path() / "s/senders.1.bin");
    expect_trouble(here.judge("second.raw", {"--state", "s"}), "senders.1.bin: cannot read it");
}

TEST(gate_state, a_save_that_did_not_end_is_ignored_and_cleared_away) {
    const resumed_gate here;
    ASSERT_EQ(here.judge("first.raw", {"--state", "s"}).exit_code, 0);
    here.write("s/bad_ips.2.eb", "half a filter");
    ASSERT_EQ(here.judge("second.raw", {"--state", "s"}).exit_code, 0);
    EXPECT_EQ(here.run({"verify", "s/bad_ips.2.eb"}).exit_code, 0);
    here.write("s/senders.9.bin", "left behind");
    ASSERT_EQ(here.judge("third.raw", {"--state", "s"}).exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(here.path() / "s/senders.9.bin"));
}

} // namespace
} // namespace everbloom::support
