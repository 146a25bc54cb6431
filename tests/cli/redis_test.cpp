// Filters on servers: the client's part, against a server of the tests. tests/redis has real ones.
#include "cli/fake_server.hpp"
#include "cli/workbench.hpp"

#include <everbloom/jobs/shard.hpp>

#include <gtest/gtest.h>

#include <csignal>

namespace everbloom {
namespace {

using support::expect_trouble;
using support::fake_server;
using support::numbered_lines;
using support::workbench;
using words = fake_server::words;

std::set<std::string> numbered(const std::string& prefix, std::size_t first, std::size_t last) {
    std::set<std::string> made;
    for (std::size_t i = first; i < last; ++i) made.insert(prefix + std::to_string(i));
    return made;
}

std::string lines(const std::set<std::string>& keys) {
    std::string made;
    for (const std::string& key : keys) made += key + "\n";
    return made;
}

TEST(redis, push_spreads_keys_by_the_public_rule_and_check_finds_them) {
    const fake_server server;
    const workbench here;
    here.write("list.txt", numbered_lines("key", 3000));
    const auto pushed = here.run({"redis", "push", "list.txt", server.url("names"), "--shards", "12"});
    EXPECT_EQ(pushed.exit_code, 0) << pushed.err;
    EXPECT_NE(pushed.out.find("created, 3,000 keys added, 0 there already; 12 parts"), std::string::npos) << pushed.out;
    EXPECT_EQ(server.text("names:shards"), "12");
    EXPECT_EQ(server.parts(), 12U);
    EXPECT_EQ(server.members(), numbered("key", 0, 3000));
    const auto again = here.run({"redis", "push", "list.txt", server.url("names"), "--json"});
    EXPECT_EQ(nlohmann::json::parse(again.out)["already_there"], 3000) << again.err;
    const auto found = here.run({"redis", "check", server.url("names")}, "key7\nkey3000\nkey2999\n");
    EXPECT_EQ(found.out, "key7\nkey2999\n") << found.err;
    EXPECT_EQ(here.run({"redis", "check", "-v", server.url("names")}, "key7\nkey3000\n").out, "key3000\n");
    EXPECT_EQ(here.run({"redis", "check", "-c", server.url("names"), "list.txt"}).out, "3000\n");
    EXPECT_EQ(here.run({"redis", "check", server.url("names"), "-e", "nobody"}).exit_code, 1);
    EXPECT_EQ(here.run({"redis", "check", server.url("names"), "--field", "2"}, "7:01 key5 in\n7:02 zoe in\n").out,
              "7:01 key5 in\n");
}

TEST(redis, another_number_of_parts_is_refused) {
    const fake_server server;
    const workbench here;
    EXPECT_EQ(here.run({"redis", "push", "-", server.url("names"), "--shards", "4"}, "anna\n").exit_code, 0);
    for (const std::string command : {"push", "sync", "check"}) {
        expect_trouble(here.run({"redis", command, "-", server.url("names"), "--shards", "5"}, "bert\n"),
                       "4 parts, not 5");
    }
    EXPECT_EQ(server.members(), std::set<std::string>{"anna"});
}

// Each kind of passing trouble, once for every command that is sent.
TEST(redis, what_passes_is_waited_for) {
    for (const std::string trouble :
         {"-TRYAGAIN Multiple keys request during rehashing of slot\r\n", "-CLUSTERDOWN The cluster is down\r\n",
          "-LOADING Redis is loading the dataset in memory\r\n",
          "-READONLY You can't write against a read only replica.\r\n", "", "then break"}) {
        std::set<std::string> seen;
        fake_server server([&](const words& command) -> std::optional<std::string> {
            if (command[0] == "CLUSTER") return std::nullopt;
            std::string text;
            for (const std::string& one : command) text += one + " ";
            return seen.insert(text).second ? std::optional(trouble) : std::nullopt;
        });
        const workbench here;
        const auto pushed =
            here.run({"redis", "push", "-", server.url("names"), "--shards", "3"}, numbered_lines("key", 500));
        EXPECT_EQ(pushed.exit_code, 0) << trouble << pushed.err;
        EXPECT_EQ(server.members(), numbered("key", 0, 500)) << trouble;
        EXPECT_EQ(here.run({"redis", "check", "-c", server.url("names")}, numbered_lines("key", 600)).out, "500\n")
            << trouble;
    }
}

TEST(redis, a_slot_that_moved_or_moves_is_followed) {
    for (const std::string redirection : {"MOVED", "ASK"}) {
        fake_server target;
        fake_server source;
        const std::string where = "127.0.0.1:" + std::to_string(target.port());
        const auto slots = [](int port) {
            return "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n" + fake_server::bulk("127.0.0.1") + ":" + std::to_string(port) +
                   "\r\n";
        };
        source.set_slots(slots(source.port())); // it does not know better
        target.set_slots(slots(source.port()));
        source.set_fault([&](const words& command) -> std::optional<std::string> {
            if (command[0] == "CLUSTER") return std::nullopt;
            return "-" + redirection + " 7 " + where + "\r\n";
        });
        bool asked = false;
        target.set_fault([&](const words& command) -> std::optional<std::string> {
            if (redirection == "MOVED") return std::nullopt;
            const bool may =
                std::exchange(asked, command[0] == "ASKING") || command[0] == "ASKING" || command[0] == "CLUSTER";
            return may ? std::nullopt : std::optional<std::string>("-MOVED 7 127.0.0.1:1\r\n");
        });
        const workbench here;
        const auto pushed =
            here.run({"redis", "push", "-", source.url("names"), "--shards", "3"}, numbered_lines("key", 500));
        EXPECT_EQ(pushed.exit_code, 0) << redirection << pushed.err;
        EXPECT_EQ(target.members(), numbered("key", 0, 500)) << redirection;
        EXPECT_TRUE(source.members().empty()) << redirection;
    }
}

TEST(redis, a_full_server_is_told_with_what_was_done_and_the_command_can_be_repeated) {
    int madd = 0;
    fake_server server([&](const words& command) -> std::optional<std::string> {
        if (command[0] != "BF.INSERT" || ++madd < 3) return std::nullopt;
        return madd == 3 ? "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
                         : "*1\r\n-OOM command not allowed when used memory > 'maxmemory'.\r\n";
    });
    const workbench here;
    here.write("list.txt", numbered_lines("key", 4000));
    const auto full = here.run({"redis", "push", "list.txt", server.url("names"), "--shards", "4"});
    EXPECT_EQ(full.exit_code, 3) << full.err;
    EXPECT_NE(full.err.find("OOM"), std::string::npos) << full.err;
    const std::size_t before = server.members().size();
    EXPECT_NE(full.err.find(std::to_string(before) + " keys added before"), std::string::npos) << full.err;
    EXPECT_EQ(full.err.find("more file"), std::string::npos) << full.err;
    server.set_fault({});
    EXPECT_EQ(here.run({"redis", "push", "list.txt", server.url("names")}).exit_code, 0);
    EXPECT_EQ(server.members(), numbered("key", 0, 4000));
}

TEST(redis, a_missing_part_is_no_answer) {
    fake_server server;
    const workbench here;
    EXPECT_EQ(
        here.run({"redis", "push", "-", server.url("names"), "--shards", "3"}, numbered_lines("key", 90)).exit_code, 0);
    server.lose_part("names:{1}");
    for (const std::string command : {"check", "push"}) {
        const auto ran = here.run({"redis", command, "-", server.url("names")}, numbered_lines("key", 90));
        EXPECT_GE(ran.exit_code, 2) << command;
        EXPECT_NE(ran.err.find("names:{1}"), std::string::npos) << ran.err;
    }
    EXPECT_EQ(server.parts(), 2U);
}

TEST(redis, sync_follows_a_list) {
    const fake_server server;
    const workbench here;
    here.write("list.txt", lines(numbered("key", 0, 1000)));
    const auto first = here.run({"redis", "sync", "list.txt", server.url("names"), "--shards", "4"});
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(server.members(), numbered("key", 0, 1000));
    here.write("list.txt", lines(numbered("key", 100, 1200)));
    const auto dry = here.run({"redis", "sync", "list.txt", server.url("names"), "--dry-run"});
    EXPECT_NE(dry.out.find("dry run: 200 keys added, 100 removed"), std::string::npos) << dry.out << dry.err;
    EXPECT_EQ(server.members(), numbered("key", 0, 1000));
    const auto second = here.run({"redis", "sync", "list.txt", server.url("names")});
    EXPECT_NE(second.out.find("200 keys added, 100 removed; 1,100 keys, 4 parts"), std::string::npos)
        << second.out << second.err;
    EXPECT_EQ(server.members(), numbered("key", 100, 1200));
    EXPECT_EQ(here.listing(), "list.txt names.list.zst");
    expect_trouble(here.run({"redis", "sync", "-", server.url("names")}, ""), "--allow-empty");
}

// Whatever was sent before a sync ended half-way, the next one with another list leaves exactly that list.
TEST(redis, a_sync_that_ended_half_way_leaves_no_key_behind) {
    for (int sent = 0; sent < 10; ++sent) {
        fake_server server;
        const workbench here;
        if (sent % 2 == 0) {
            EXPECT_EQ(
                here.run({"redis", "sync", "-", server.url("names"), "--shards", "3"}, lines(numbered("key", 0, 600)))
                    .exit_code,
                0);
        }
        int count = 0;
        server.set_fault([&](const words& command) -> std::optional<std::string> {
            const bool changes = command[0] == "BF.INSERT" || command[0] == "BF.MDEL" || command[0] == "SET";
            return changes && ++count > sent / 2 ? std::optional<std::string>("-ERR broken\r\n") : std::nullopt;
        });
        EXPECT_NE(
            here.run({"redis", "sync", "-", server.url("names"), "--shards", "3"}, lines(numbered("key", 300, 900)))
                .exit_code,
            0);
        server.set_fault({});
        const auto last = here.run({"redis", "sync", "-", server.url("names")}, lines(numbered("key", 500, 1500)));
        EXPECT_EQ(last.exit_code, 0) << sent << last.err;
        EXPECT_EQ(server.members(), numbered("key", 500, 1500)) << sent;
    }
}

TEST(redis, sync_does_not_believe_the_list_of_another_filter) {
    const fake_server server;
    const fake_server other;
    const workbench here;
    EXPECT_EQ(here.run({"redis", "sync", "-", server.url("names")}, "anna\nbert\n").exit_code, 0);
    EXPECT_EQ(here.run({"redis", "push", "-", other.url("names"), "--deletable"}, "carla\n").exit_code, 0);
    expect_trouble(here.run({"redis", "sync", "-", other.url("names")}, "anna\n"), "--rebuild");
    EXPECT_EQ(other.members(), std::set<std::string>{"carla"});
    const auto rebuilt = here.run({"redis", "sync", "-", other.url("names"), "--rebuild"}, "anna\n");
    EXPECT_EQ(rebuilt.exit_code, 0) << rebuilt.err;
    EXPECT_EQ(other.members(), std::set<std::string>{"anna"});
}

TEST(redis, split_push_and_pull_carry_filters) {
    const fake_server server;
    const workbench here;
    here.write("list.txt", numbered_lines("key", 2000));
    const auto split = here.run({"redis", "split", "list.txt", "--out", "part", "--shards", "3", "--seed", "1"});
    EXPECT_EQ(split.exit_code, 0) << split.err;
    EXPECT_EQ(here.listing(), "list.txt part.0.eb part.1.eb part.2.eb");
    for (std::uint32_t i = 0; i < 3; ++i) { // each key is in its part
        std::string own;
        for (const std::string& key : numbered("key", 0, 2000)) own += shard_of(key, 3) == i ? key + "\n" : "";
        const auto missed = here.run({"check", "-v", "part." + std::to_string(i) + ".eb"}, own);
        EXPECT_EQ(missed.out, "");
    }
    expect_trouble(here.run({"redis", "split", "list.txt", "--out", "part", "--shards", "3"}), "--force");
    expect_trouble(here.run({"redis", "push", "part.0.eb", server.url("names"), "--shards", "2"}), "without its keys");
    expect_trouble(here.run({"redis", "push", "part.0.eb", "list.txt", server.url("names")}), "one of them at a time");
    EXPECT_EQ(server.parts(), 0U);
    EXPECT_EQ(here.run({"redis", "push", "part.0.eb", "part.1.eb", "part.2.eb", server.url("names")}).exit_code, 0);
    const auto pulled = here.run({"redis", "pull", server.url("names"), "whole.eb"});
    EXPECT_EQ(pulled.exit_code, 0) << pulled.err;
    EXPECT_EQ(here.run({"check", "-c", "whole.eb", "list.txt"}).out, "2000\n");
    expect_trouble(here.run({"redis", "pull", server.url("names"), "whole.eb"}), "--force");
    EXPECT_EQ(here.run({"redis", "pull", server.url("names"), "copy", "--separate"}).exit_code, 0);
    for (const std::string i : {"0", "1", "2"}) EXPECT_EQ(here.read("copy." + i), here.read("part." + i + ".eb"));
}

TEST(redis, parts_with_different_hash_keys_are_not_merged) {
    const fake_server server;
    const workbench here;
    for (const std::string i : {"0", "1"}) here.make("p" + i + ".eb", "anna\n", {"--seed", i, "--kind", "quotient"});
    EXPECT_EQ(here.run({"redis", "push", "p0.eb", "p1.eb", server.url("names")}).exit_code, 0);
    expect_trouble(here.run({"redis", "pull", server.url("names"), "whole.eb"}), "--separate");
    EXPECT_EQ(here.listing(), "p0.eb p1.eb");
}

TEST(redis, bad_addresses_and_absent_servers_are_told) {
    const workbench here;
    int free_port = 0;
    {
        const fake_server gone;
        free_port = gone.port();
    }
    const auto trouble = [&](const std::string& url, const std::string& text) {
        expect_trouble(here.run({"redis", "check", url, "-e", "anna", "--timeout", "1"}), text);
    };
    trouble("names.eb", "redis://host:port/name");
    trouble("http://127.0.0.1/names", "redis://");
    trouble("redis://127.0.0.1:6379", "no name");
    trouble("redis://127.0.0.1:6379/", "no name");
    trouble("redis://127.0.0.1:0/names", "host:port");
    trouble("redis://127.0.0.1:99999/names", "host:port");
    trouble("redis://:secret@/names", "host:port");
    trouble("redis://127.0.0.1/na{me", "braces");
    trouble("redis://127.0.0.1/na%zz", "hexadecimal");
    trouble("rediss://127.0.0.1/names", "TLS");
    trouble("redis://127.0.0.1:" + std::to_string(free_port) + "/names", "127.0.0.1:" + std::to_string(free_port));
    const fake_server server;
    trouble(server.url("names"), "no such filter");
    // The first of several hosts may be down.
    const std::string both =
        "redis://127.0.0.1:" + std::to_string(free_port) + ",127.0.0.1:" + std::to_string(server.port()) + "/names";
    EXPECT_EQ(here.run({"redis", "push", "-", both}, "anna\n").exit_code, 0);
    expect_trouble(here.run({"redis", "push", "-", server.url("names"), "--key-type", "ip"}, "192.0.2.1\n"),
                   "text keys");
    const auto secret =
        here.run({"redis", "check", "redis://user:secret@127.0.0.1:1/names", "-e", "a", "--timeout", "1"});
    EXPECT_EQ(secret.err.find("secret"), std::string::npos) << secret.err;
}

TEST(redis, an_interruption_ends_every_command_by_its_signal_with_a_word) {
    const fake_server server;
    const workbench here;
    EXPECT_EQ(here.run({"redis", "push", "-", server.url("names")}, "anna\n").exit_code, 0);
    for (const std::string command : {"push", "check", "sync"}) {
        const std::string name = command == "sync" ? "followed" : "names";
        support::running_program running({"redis", command, "-", server.url(name)},
                                         {.directory = here.path().string()});
        running.send("anna\nbert\n");
        EXPECT_TRUE(running.has_read_its_input()) << command; // it waits for more
        running.signal(SIGINT);
        const auto ran = running.wait();
        EXPECT_EQ(ran.exit_code, 128 + SIGINT) << command << ran.err;
        EXPECT_TRUE(ran.err.starts_with("everbloom: interrupted")) << command << ran.err;
    }
    EXPECT_EQ(here.listing(), "");
}

TEST(redis, a_server_that_never_answers_ends_the_command_in_time) {
    const fake_server server([](const words& command) -> std::optional<std::string> {
        return command[0] == "GET" ? std::optional<std::string>("-LOADING Redis is loading the dataset in memory\r\n")
                                   : std::nullopt;
    });
    const workbench here;
    expect_trouble(here.run({"redis", "check", server.url("names"), "-e", "anna", "--timeout", "0.3"}),
                   "no answer for");
}

} // namespace
} // namespace everbloom
