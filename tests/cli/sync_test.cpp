// sync: the filter follows the list, whatever the kind, whatever happens between two syncs.
#include "cli/workbench.hpp"

#include <everbloom/hash/checksum.hpp>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <cstring>

namespace everbloom::support {
namespace {

using nlohmann::json;

json synced(const workbench& here, std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "sync");
    arguments.emplace_back("--json");
    const auto ran = here.run(arguments, std::move(input));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.exit_code == 0 ? json::parse(ran.out) : json::object();
}

std::uint64_t found(const workbench& here, const std::string& filter, const std::string& keys) {
    return std::stoull("0" + here.run({"check", "-c", filter}, keys).out);
}

std::string numbers(std::uint64_t from, std::uint64_t to) {
    std::string lines;
    for (std::uint64_t i = from; i < to; ++i) lines += "key" + std::to_string(i) + "\n";
    return lines;
}

/// Kinds as the program lists them.
std::vector<std::string> all_kinds_of(const workbench& here) {
    std::vector<std::string> kinds;
    std::istringstream words(here.run({"simulate", "?", "--items", "1"}).err);
    bool listed = false;
    for (std::string word; words >> word;) {
        if (listed) kinds.push_back(word.substr(0, word.find(',')));
        listed |= word == "are";
    }
    return kinds;
}

TEST(sync, filters_of_every_kind_follow_a_list) {
    const workbench here;
    std::uint64_t followers = 0;
    for (const std::string& kind : all_kinds_of(here)) {
        const std::string file = kind + ".eb";
        const auto first =
            here.run({"sync", file, "-", "--kind", kind, "--seed", "1", "--json"}, numbers(0, 2000) + "key7\n");
        if (first.err.find("sync cannot update it") != std::string::npos) continue;
        ASSERT_EQ(first.exit_code, 0) << first.err;
        ++followers;
        const auto made = json::parse(first.out);
        EXPECT_EQ(made["created"], true);
        EXPECT_EQ(made["kind"], kind);
        EXPECT_EQ(made["added"], 2000);
        EXPECT_EQ(made["repeated"], 1);
        const auto next = synced(here, {file, "-"}, numbers(300, 2600));
        EXPECT_EQ(next["added"], 600) << kind;
        EXPECT_EQ(next["removed"], 300) << kind;
        EXPECT_EQ(next["unchanged"], 1700) << kind;
        EXPECT_LE(next["fpr_current"].get<double>(), 0.0011) << kind;
        const std::string answers = here.run({"check", file}, numbers(300, 2600) + numbers(0, 300)).out;
        EXPECT_TRUE(answers.starts_with(numbers(300, 2600))) << kind;
        // Of those that are gone: those it says, and false positives. A key of which only one cell could be cleared
        // becomes one as soon as another key comes there, so they are more than 0.1 % of 300.
        EXPECT_LE(line_count(answers), 2300 + next["undeletable"].get<std::uint64_t>() + 20) << kind;
    }
    EXPECT_GT(followers, 10U);
}

TEST(sync, nothing_is_written_when_nothing_changed) {
    const workbench here;
    (void)synced(here, {"x.eb", "-"}, numbers(0, 100));
    const std::string filter = here.read("x.eb");
    const std::string list = here.read("x.eb.list.zst");
    struct stat before {};
    struct stat after {};
    ASSERT_EQ(::stat((here / "x.eb").c_str(), &before), 0);
    const auto again = synced(here, {"x.eb", "-"}, numbers(0, 100) + numbers(0, 100));
    EXPECT_EQ(again["added"], 0);
    EXPECT_EQ(again["repeated"], 100);
    ASSERT_EQ(::stat((here / "x.eb").c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_EQ(here.read("x.eb.list.zst"), list);
    EXPECT_EQ(here.run({"sync", "x.eb", "-", "--dry-run"}, "anna\n").exit_code, 0);
    EXPECT_EQ(here.read("x.eb"), filter);
    EXPECT_EQ(here.listing(), "x.eb x.eb.list.zst");
}

TEST(sync, the_size_follows_the_list) {
    const workbench here;
    for (const std::string kind : {"elastic_blocked", "counting"}) {
        const std::string file = kind + ".eb";
        const auto small = synced(here, {file, "-", "--kind", kind}, numbers(0, 4000));
        const auto large = synced(here, {file, "-"}, numbers(0, 40000));
        const auto back = synced(here, {file, "-"}, numbers(0, 4000));
        EXPECT_GT(large["bytes"].get<double>(), 7 * small["bytes"].get<double>());
        EXPECT_LT(back["bytes"].get<double>(), 1.5 * small["bytes"].get<double>());
        EXPECT_EQ(back["rebuilt"].size(), 1U) << back;
        EXPECT_LE(large["fpr_current"].get<double>(), 0.0011);
        EXPECT_EQ(found(here, file, numbers(0, 4000)), 4000U);
    }
}

TEST(sync, the_list_beside_the_filter_is_private_and_readable) {
    const workbench here;
    (void)synced(here, {"x.eb", "-"}, "carla\nanna\nbert\n");
    struct stat list {};
    ASSERT_EQ(::stat((here / "x.eb.list.zst").c_str(), &list), 0);
    EXPECT_EQ(list.st_mode & 0777, 0600U);
    EXPECT_EQ(here.run({"uniq", "x.eb.list.zst"}).out, "anna\nbert\ncarla\n");
}

TEST(sync, one_file_older_than_the_other_is_noticed_and_repaired) {
    // As if the program had been killed between its two writes: the list is replaced first. And the other way round.
    for (const std::string restored : {"x.eb", "x.eb.list.zst"}) {
        const workbench here;
        (void)synced(here, {"x.eb", "-"}, numbers(0, 1000));
        const std::string old = here.read(restored);
        (void)synced(here, {"x.eb", "-"}, numbers(500, 1500));
        here.write(restored, old);
        const auto next = synced(here, {"x.eb", "-"}, numbers(600, 1600));
        ASSERT_EQ(next["rebuilt"].size(), 1U) << restored;
        EXPECT_NE(next["rebuilt"][0].get<std::string>().find("a sync was interrupted"), std::string::npos);
        EXPECT_EQ(found(here, "x.eb", numbers(600, 1600)), 1000U);
        EXPECT_LE(found(here, "x.eb", numbers(0, 600)), 6U);
        EXPECT_EQ(synced(here, {"x.eb", "-"}, numbers(600, 1600))["rebuilt"].size(), 0U);
    }
}

TEST(sync, a_filter_that_is_gone_comes_back_from_its_list) {
    const workbench here;
    (void)synced(here, {"x.eb", "-", "--kind", "dleft", "--fpr", "1%"}, numbers(0, 100));
    std::filesystem::remove(here / "x.eb");
    const auto next = synced(here, {"x.eb", "--trace", "-"}, "+anna\n");
    EXPECT_EQ(next["kind"], "dleft");
    EXPECT_EQ(next["agreed"]["fpr"], 0.01);
    EXPECT_EQ(next["items"], 101);
    EXPECT_EQ(found(here, "x.eb", numbers(0, 100) + "anna\n"), 101U);
}

TEST(sync, keys_added_or_removed_behind_its_back_do_not_stay) {
    const workbench here;
    (void)synced(here, {"x.eb", "-"}, numbers(0, 100));
    EXPECT_EQ(here.run({"add", "x.eb"}, "stranger\n").exit_code, 0);
    EXPECT_EQ(here.run({"remove", "x.eb"}, numbers(0, 50)).exit_code, 0);
    EXPECT_EQ(synced(here, {"x.eb", "-"}, numbers(0, 100))["rebuilt"].size(), 1U);
    EXPECT_EQ(found(here, "x.eb", numbers(0, 100)), 100U);
    EXPECT_EQ(found(here, "x.eb", "stranger\n"), 0U);
}

TEST(sync, a_trace_is_replayed_revision_by_revision) {
    const workbench here;
    here.write("t", "# a note\n# 2024-01-01 size=3 +3 -0\n+anna\n+bert\n+carla\n# 2024-01-02 size=2 +1 -2\n-anna\n"
                    "-carla\n+dora\n-nobody\n+bert\n-dora\n+dora\n");
    const auto said = synced(here, {"x.eb", "--trace", "t", "--each"});
    ASSERT_EQ(said["revisions"].size(), 2U);
    EXPECT_EQ(said["revisions"][0]["items"], 3);
    EXPECT_EQ(said["revisions"][1]["added"], 1);
    EXPECT_EQ(said["revisions"][1]["removed"], 2);
    EXPECT_EQ(said["additions_ignored"], 1);
    EXPECT_EQ(said["removals_ignored"], 1);
    EXPECT_EQ(said["items"], 2);
    EXPECT_EQ(here.run({"uniq", "x.eb.list.zst"}).out, "bert\ndora\n");
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\ncarla\ndora\n").out, "bert\ndora\n");
    const auto ran = here.run({"sync", "x.eb", "--trace", "-", "--each"}, "# 2024-01-03 +1 -0\n+emil\n");
    EXPECT_TRUE(ran.out.starts_with("2024-01-03: 1 added, 0 removed; 3 keys, ")) << ran.out;
}

TEST(sync, a_malformed_trace_changes_nothing) {
    const workbench here;
    (void)synced(here, {"x.eb", "-"}, "anna\n");
    const std::string filter = here.read("x.eb");
    const std::string list = here.read("x.eb.list.zst");
    here.write("t", "+bert\n-anna\ncarla\n");
    expect_trouble(here.run({"sync", "x.eb", "--trace", "t"}), "t, line 3: 'carla' is not a line of a trace");
    here.write("empty_line", "+bert\n\n");
    expect_trouble(here.run({"sync", "x.eb", "--trace", "empty_line"}), "empty_line, line 2");
    here.write("ip", "# 1 +1 -0\n+300.1.1.1\n");
    expect_trouble(here.run({"sync", "y.eb", "--trace", "ip", "--key-type", "ip"}), "ip, line 2: '300.1.1.1'");
    EXPECT_EQ(here.read("x.eb"), filter);
    EXPECT_EQ(here.read("x.eb.list.zst"), list);
    EXPECT_EQ(here.listing(), "empty_line ip t x.eb x.eb.list.zst");
}

TEST(sync, spellings_of_one_key_are_one_key) {
    const workbench here;
    const auto made = synced(here, {"x.eb", "-", "--key-type", "ip"}, "::1\n0:0:0:0:0:0:0:1\n10.0.0.1\n");
    EXPECT_EQ(made["added"], 2);
    EXPECT_EQ(made["repeated"], 1);
    EXPECT_EQ(synced(here, {"x.eb", "--trace", "-"}, "-0::1\n")["removed"], 1);
    EXPECT_EQ(synced(here, {"y.eb", "-", "--key-type", "u64"}, "42\n0x2a\n")["repeated"], 1);
    EXPECT_EQ(synced(here, {"z.eb", "-", "--key-type", "hex"}, "FF00\nff00\n")["repeated"], 1);
    expect_trouble(here.run({"sync", "z.eb", "-"}, "ff\nxy\n"), "standard input, line 2: 'xy'");
    expect_trouble(here.run({"sync", "z.eb", "-", "--key-type", "u64"}, "1\n"), "was created with keys of type hex");
}

TEST(sync, keys_may_hold_any_bytes) {
    using namespace std::string_literals;
    const workbench here;
    (void)synced(here, {"x.eb", "-", "-0"}, "two\nlines\0\xff\0\0"s);
    EXPECT_EQ(synced(here, {"x.eb", "-", "-0"}, "two\nlines\0\xff\0\0"s)["unchanged"], 3);
    EXPECT_EQ(synced(here, {"x.eb", "-", "-0"}, "\xff\0"s)["removed"], 2);
    EXPECT_EQ(synced(here, {"c.eb", "-", "--crlf"}, "anna\r\nbert\r\n")["items"], 2);
    EXPECT_EQ(synced(here, {"c.eb", "-"}, "anna\nbert\n")["unchanged"], 2);
}

TEST(sync, what_could_be_a_mistake_is_refused) {
    const workbench here;
    here.write("names.txt", "anna\nbert\n");
    here.make("made.eb", "anna\n");
    const std::string made = here.read("made.eb");
    expect_trouble(here.run({"sync", "made.eb", "names.txt"}), "made.eb: its list is missing");
    expect_trouble(here.run({"sync", "names.txt", "made.eb"}), "names.txt: is not an everbloom filter");
    expect_trouble(here.run({"sync", "names.txt", "made.eb", "--rebuild"}), "is not an everbloom filter");
    expect_trouble(here.run({"sync", "new.eb"}), "no list given");
    expect_trouble(here.run({"sync", "new.eb", "made.eb"}), "made.eb: is an everbloom filter, not a list");
    EXPECT_EQ(here.read("made.eb"), made);
    (void)synced(here, {"x.eb", "names.txt", "--kind", "counting"});
    expect_trouble(here.run({"sync", "x.eb", "-"}), "standard input: has no keys");
    EXPECT_EQ(synced(here, {"x.eb", "-", "--allow-empty", "--dry-run"})["items"], 0);
    expect_trouble(here.run({"sync", "x.eb", "names.txt", "--kind", "dleft"}), "--kind: x.eb is a counting filter");
    expect_trouble(here.run({"sync", "x.eb", "names.txt", "--fpr", "1%"}), "--fpr: the target FPR of x.eb is 0.100 %");
    expect_trouble(here.run({"sync", "x.eb", "names.txt", "--hash", "xxh3"}),
                   "x.eb has another hash or hash key (siphash)");
    expect_trouble(here.run({"sync", "y.eb", "names.txt", "--kind", "yes_no"}), "sync cannot update it");
    EXPECT_EQ(here.run({"protect", "x.eb"}, "zoe\n").exit_code, 0);
    expect_trouble(here.run({"sync", "x.eb", "names.txt"}), "x.eb: has an exclusion list");
}

TEST(sync, rebuild_adopts_a_filter_and_changes_its_kind) {
    const workbench here;
    here.make("x.eb", "anna\n", {"--kind", "bloom", "--fpr", "1%"});
    const auto adopted = synced(here, {"x.eb", "-", "--rebuild"}, "bert\n");
    EXPECT_EQ(adopted["kind"], "bloom");
    EXPECT_EQ(adopted["agreed"]["fpr"], 0.01);
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\n").out, "bert\n");
    EXPECT_EQ(synced(here, {"x.eb", "-", "--rebuild", "--kind", "dleft", "--hash", "xxh3"}, "bert\n")["kind"], "dleft");
    EXPECT_EQ(json::parse(here.run({"show", "--json", "x.eb"}).out)["hash"], "xxh3");
}

TEST(sync, two_at_once_exclude_each_other_and_an_interrupted_one_changes_nothing) {
    const workbench here;
    (void)synced(here, {"x.eb", "-"}, "anna\n");
    const std::string filter = here.read("x.eb");
    const std::string list = here.read("x.eb.list.zst");
    running_program first({"sync", here / "x.eb", "-"});
    while (here.listing().find(".x.eb.list.zst.eb-new") == std::string::npos) {
    }
    expect_trouble(here.run({"sync", "x.eb", "-"}, "bert\n"), "x.eb: is busy");
    expect_trouble(here.run({"add", "x.eb"}, "bert\n"), "x.eb: is busy");
    first.send("carla\n");
    first.signal(SIGINT);
    const auto ended = first.wait();
    EXPECT_EQ(ended.exit_code, 128 + SIGINT);
    EXPECT_EQ(ended.err, "everbloom: interrupted; nothing was changed\n");
    EXPECT_EQ(here.read("x.eb"), filter);
    EXPECT_EQ(here.read("x.eb.list.zst"), list);
    EXPECT_EQ(here.listing(), "x.eb x.eb.list.zst");
}

TEST(sync, a_disk_that_is_too_small_leaves_the_old_filter_and_the_old_list) {
    const workbench here;
    (void)synced(here, {"x.eb", "-", "--kind", "counting"}, numbers(0, 1000));
    const std::string filter = here.read("x.eb");
    const std::string list = here.read("x.eb.list.zst");
    // Large enough for the list, too small for the filter.
    const auto ran =
        run_program({"sync", "x.eb", "-"},
                    {.input = numbers(1, 1001), .directory = here.path().string(), .largest_file_bytes = 8192});
    expect_trouble(ran, "x.eb: cannot write it: File too large");
    EXPECT_EQ(here.read("x.eb"), filter);
    EXPECT_EQ(here.read("x.eb.list.zst"), list);
    EXPECT_EQ(synced(here, {"x.eb", "-"}, numbers(2, 1002))["rebuilt"].size(), 0U);
    EXPECT_EQ(found(here, "x.eb", numbers(2, 1002)), 1000U);
}

/// The list file with other numbers at its end and the checksum over them made right again: what an attacker would do.
std::string forged(std::string list, std::size_t at, std::uint64_t value, std::size_t bytes) {
    const std::size_t tail = list.size() - 88;
    std::memcpy(list.data() + tail + at, &value, bytes);
    const std::uint64_t sum = checksum(list.data() + tail, 80);
    std::memcpy(list.data() + tail + 80, &sum, sizeof sum);
    return list;
}

TEST(sync, a_damaged_list_is_refused) {
    const workbench here;
    (void)synced(here, {"x.eb", "-"}, numbers(0, 50));
    const std::string good = here.read("x.eb.list.zst");
    const std::string filter = here.read("x.eb");
    const auto refused = [&](const std::string& bad, const std::string& what) {
        here.write("x.eb.list.zst", bad);
        const auto ran = here.run({"sync", "x.eb", "-"}, "anna\n");
        EXPECT_EQ(ran.exit_code, 2) << what;
        EXPECT_NE(ran.err.find("x.eb.list.zst"), std::string::npos) << what << ": " << ran.err;
        EXPECT_EQ(here.read("x.eb"), filter) << what;
        EXPECT_EQ(here.read("x.eb.list.zst"), bad) << what;
    };
    for (std::size_t at = 0; at < good.size(); at += 13) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        refused(bad, "flipped at " + std::to_string(at));
    }
    for (const std::size_t kept : {std::size_t{0}, std::size_t{40}, std::size_t{88}, good.size() - 1}) {
        refused(good.substr(0, kept), "cut at " + std::to_string(kept));
    }
    refused(good + "x", "one byte more");
    refused(forged(good, 16, 2, 4), "version");
    refused(forged(good, 20, 9, 4), "key type");
    refused(forged(good, 20, 1, 4), "keys that are no numbers");
    refused(forged(good, 24, 'k', 4), "separator");
    refused(forged(good, 32, 1000, 8), "count");
    refused(forged(good, 40, 10, 8), "bytes");
    refused(forged(good, 72, 0, 8), "rate");
    // A list in another order, or with a key twice, compressed by somebody else.
    for (const std::string text : {"b\na\n", "a\na\n", "a"}) {
        here.write("text", text);
        const auto packed = here.shell("gzip -c text");
        std::string bad = packed.out + good.substr(good.size() - 88);
        bad = forged(bad, 32, line_count(text), 8);
        bad = forged(bad, 40, text.size(), 8);
        refused(forged(bad, 48, checksum(text.data(), text.size()), 8), text);
    }
    refused("nonsense", "somebody else's file");
    expect_trouble(here.run({"sync", "x.eb", "-", "--rebuild"}, "anna\n"),
                   "is not an everbloom list and is not overwritten");
    here.write("x.eb.list.zst", good.substr(0, 40));
    EXPECT_EQ(synced(here, {"x.eb", "-", "--rebuild"}, "anna\n")["items"], 1);
}

TEST(sync, a_key_that_its_list_could_not_give_back_is_refused) {
    const workbench here;
    const std::string longest(2 << 20, 'k');
    EXPECT_EQ(here.run({"sync", "x.eb", "-", "-q"}, "anna\n" + longest + "\n").exit_code, 0);
    const auto again = here.run({"sync", "x.eb", "-", "-q"}, "bert\n" + longest + "\n"); // reads the list that was kept
    EXPECT_EQ(again.exit_code, 0) << again.err;
    expect_trouble(here.run({"sync", "x.eb", "-"}, "anna\n" + longest + "k\n"), "a key is longer than 2 MiB");
    expect_trouble(here.run({"sync", "x.eb", "--trace", "-"}, "+" + longest + "k\n"), "a key is longer than 2 MiB");
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, "bert\n" + longest + "\n").out, "2\n");
}

TEST(sync, protects_known_negatives_in_the_same_replacement) {
    const workbench here;
    here.write("list", numbered_lines("bad", 2000));
    here.write("good", numbered_lines("good", 5000));
    const auto first = here.run(
        {"sync", "x.eb", "list", "--kind", "counting", "--fpr", "5%", "--seed", "1", "--protect", "good", "--json"});
    ASSERT_EQ(first.exit_code, 0) << first.err;
    const auto said = nlohmann::json::parse(first.out);
    EXPECT_EQ(said["negatives"], 5000);
    EXPECT_GT(said["false_positives_before"], 50);
    EXPECT_EQ(said["false_positives_after"], 0);
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "good"}).out, "0\n");
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "list"}).out, "2000\n");
    // Without the flag the exclusion list would be lost; with it, it is made anew, also if only GOOD changed.
    expect_trouble(here.run({"sync", "x.eb", "list"}), "name the known negatives again with --protect GOOD");
    here.write("list", numbered_lines("bad", 1900) + numbered_lines("new", 50));
    ASSERT_EQ(here.run({"sync", "x.eb", "list", "--protect", "good", "-q"}).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "good"}).out, "0\n");
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "list"}).out, "1950\n");
    here.write("good", numbered_lines("good", 5000) + numbered_lines("also", 5000));
    ASSERT_EQ(here.run({"sync", "x.eb", "list", "--protect", "good", "-q"}).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "good"}).out, "0\n");
    const std::string before = here.read("x.eb");
    ASSERT_EQ(here.run({"sync", "x.eb", "list", "--protect", "good", "-q"}).exit_code, 0);
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(sync, a_key_of_both_lists_needs_a_decision) {
    const workbench here;
    here.write("list", "anna\nbert\ncarla\n");
    here.write("good", "bert\nzoe\n");
    expect_trouble(here.run({"sync", "x.eb", "list", "--protect", "good"}),
                   "1 of the known negatives is in the list as well: bert");
    EXPECT_EQ(here.listing(), "good list");
    ASSERT_EQ(here.run({"sync", "x.eb", "list", "--protect", "good", "--protect-wins", "-q"}).exit_code, 0);
    EXPECT_EQ(here.run({"check", "x.eb", "list", "good"}).out, "anna\ncarla\n");
    ASSERT_EQ(here.run({"sync", "x.eb", "list", "--protect", "good", "--members-win", "-q"}).exit_code, 0);
    EXPECT_EQ(here.run({"check", "x.eb", "list", "good"}).out, "anna\nbert\ncarla\nbert\n");
    expect_trouble(here.run({"sync", "x.eb", "--trace", "list", "--protect", "good"}), "--protect goes with a LIST");
}

} // namespace
} // namespace everbloom::support
