// How keys are read: separators, compression, types, sizes.
#include "cli/workbench.hpp"

#include <set>

namespace everbloom::support {
namespace {

// "anna\nbert\n", compressed by zstd 1.5.
constexpr std::string_view zstd_anna_bert("\x28\xb5\x2f\xfd\x04\x58\x51\x00\x00"
                                          "anna\nbert\n"
                                          "\xf1\x6a\x53\x28",
                                          23);

program_result gzip(const workbench& here, const std::string& bytes) {
    return run_program({"-c"}, {.input = bytes, .directory = here.path().string(), .program = "gzip"});
}

TEST(key_input, bytes_are_taken_as_they_are) {
    const workbench here;
    const std::string odd("a\0b\n \n\tx\n\xff\xfe\n\r\n", 14);
    here.make("x.eb", odd);
    EXPECT_EQ(here.run({"check", "x.eb"}, odd).out, odd);
    EXPECT_EQ(here.run({"check", "x.eb"}, "a\n\nx\n").exit_code, 1);
}

TEST(key_input, the_last_line_needs_no_newline) {
    const workbench here;
    here.make("x.eb", "anna\nbert");
    EXPECT_EQ(here.run({"check", "x.eb"}, "bert\nanna").out, "bert\nanna\n");
    here.write("one", "anna");
    here.write("two", "bert");
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "one", "two"}).out, "2\n");
}

/// Lines of every length from 0 to 200 bytes, in an order in which each follows many others; so many that they are several blocks.
std::vector<std::string> lines_of_all_lengths() {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < 20'000; ++i) {
        std::string line = std::to_string(i);
        line.resize(i * i % 7 == 0 ? i % 3 : (i * 37 + i / 201) % 201, 'x'); // some are empty, or a digit or two
        lines.push_back(line);
    }
    return lines;
}

TEST(key_input, lines_of_all_lengths_are_cut_where_they_end) {
    const workbench here;
    const auto lines = lines_of_all_lengths();
    for (const char separator : {'\n', '\0'}) {
        std::string text;
        std::string expected; // every third, and those equal to one
        std::set<std::string> members;
        for (std::size_t i = 0; i < lines.size(); i += 3) members.insert(lines[i]);
        std::string keys;
        for (const std::string& one : members) (keys += one) += separator;
        for (const std::string& one : lines) {
            (text += one) += separator;
            if (members.contains(one)) (expected += one) += separator;
        }
        const std::string name = separator == '\n' ? "lines.eb" : "nul.eb";
        std::vector<std::string> flags{"--fpr", "1e-9", "--capacity", "10000"};
        std::vector<std::string> asked{"check", name};
        if (separator == '\0') flags.emplace_back("-0"), asked.emplace_back("-0");
        here.make(name, keys, flags);
        EXPECT_EQ(here.run(asked, text).out, expected);
        asked.insert(asked.end(), {"--threads", "3"});
        EXPECT_EQ(here.run(asked, text).out, expected);
    }
}

TEST(key_input, an_empty_line_is_the_empty_key_and_an_empty_file_has_none) {
    const workbench here;
    here.make("with.eb", "anna\n\n");
    here.make("without.eb", "anna\n");
    EXPECT_EQ(here.run({"check", "with.eb"}, "\n").out, "\n");
    EXPECT_EQ(here.run({"check", "without.eb"}, "\n").exit_code, 1);
    EXPECT_EQ(here.run({"check", "-vc", "without.eb"}, "").out, "0\n");
}

TEST(key_input, carriage_returns_go_if_asked) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\r\nbert\r\n").exit_code, 1);
    EXPECT_EQ(here.run({"check", "--crlf", "x.eb"}, "anna\r\nbert\nzoe\r\n").out, "anna\nbert\n");
}

TEST(key_input, nul_separated_keys_may_hold_newlines) {
    const workbench here;
    const std::string keys("two\nlines\0anna\0", 15);
    here.make("x.eb", keys, {"-0"});
    EXPECT_EQ(here.run({"check", "-0", "x.eb"}, keys).out, keys);
    EXPECT_EQ(here.run({"check", "x.eb"}, "two\nlines\n").exit_code, 1);
}

TEST(key_input, gzip_is_recognised_in_files_and_pipes_and_members_add_up) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    const std::string one = gzip(here, "anna\nzoe\n").out;
    const std::string two = gzip(here, "bert\n").out;
    ASSERT_GT(one.size(), 10U);
    here.write("keys.gz", one + two);
    EXPECT_EQ(here.run({"check", "x.eb", "keys.gz"}).out, "anna\nbert\n");
    EXPECT_EQ(here.run({"check", "x.eb"}, one + two).out, "anna\nbert\n");
    EXPECT_EQ(here.run({"check", "x.eb"}, one + std::string(512, '\0')).out, "anna\n"); // as tapes pad it
}

TEST(key_input, a_long_gzip_file_is_read_to_its_end) {
    const workbench here;
    const std::string keys = numbered_lines("some key number ", 300'000);
    here.make("x.eb", keys, {"--capacity", "300k"});
    here.write("keys.gz", gzip(here, keys).out);
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "keys.gz"}).out, "300000\n");
}

TEST(key_input, damaged_gzip_is_refused_with_file_and_byte) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::string before = here.read("x.eb");
    const std::string whole = gzip(here, numbered_lines("key", 50'000)).out;
    here.write("short.gz", whole.substr(0, whole.size() / 2));
    const std::string half = std::to_string(whole.size() / 2);
    expect_trouble(here.run({"add", "x.eb", "short.gz"}), "short.gz: the gzip data ends too early, at byte " + half);
    std::string bad = whole;
    for (std::size_t i = 0; i < 64; ++i) bad[bad.size() / 2 + i] = '\x55';
    here.write("bad.gz", bad);
    expect_trouble(here.run({"add", "x.eb", "bad.gz"}), "bad.gz: the gzip data is damaged at byte ");
    here.write("tail.gz", whole + "plain text");
    expect_trouble(here.run({"add", "x.eb", "tail.gz"}), "tail.gz: the gzip data is followed by other bytes at byte ");
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(key_input, zstd_is_recognised_and_frames_add_up) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    here.write("keys.zst", zstd_anna_bert);
    EXPECT_EQ(here.run({"check", "x.eb", "keys.zst"}).out, "anna\nbert\n");
    here.write("twice.zst", std::string(zstd_anna_bert) + std::string(zstd_anna_bert));
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "twice.zst"}).out, "4\n");
    here.write("short.zst", zstd_anna_bert.substr(0, zstd_anna_bert.size() - 3));
    expect_trouble(here.run({"add", "x.eb", "short.zst"}), "short.zst: the zstd data ends too early, at byte ");
    std::string bad(zstd_anna_bert);
    bad.back() = static_cast<char>(bad.back() ^ 1);
    here.write("bad.zst", bad);
    expect_trouble(here.run({"add", "x.eb", "bad.zst"}), "bad.zst: the zstd data is damaged");
}

TEST(key_input, a_short_text_that_begins_like_a_compressed_file_is_a_text) {
    const workbench here;
    here.make("x.eb", "\x1f\x8b\n(\n\x1f\n");
    EXPECT_EQ(here.run({"check", "x.eb"}, "\x1f\x8b\n").out, "\x1f\x8b\n");
    EXPECT_EQ(here.run({"check", "x.eb"}, "(").out, "(\n");
    EXPECT_EQ(here.run({"check", "x.eb"}, "\x1f").out, "\x1f\n");
}

TEST(key_input, typed_keys_are_the_same_in_every_spelling) {
    const workbench here;
    here.make("n.eb", "42\n0xff\n18446744073709551615\n", {"--key-type", "u64"});
    EXPECT_EQ(here.run({"check", "n.eb"}, "0x2A\n255\n43\n0xffffffffffffffff\n").out,
              "0x2A\n255\n0xffffffffffffffff\n");
    here.make("ip.eb", "10.0.0.1\n2001:db8::1\n", {"--key-type", "ip"});
    EXPECT_EQ(here.run({"check", "ip.eb"}, "2001:0DB8:0:0:0:0:0:1\n10.0.0.2\n10.0.0.1\n").out,
              "2001:0DB8:0:0:0:0:0:1\n10.0.0.1\n");
    here.make("h.eb", "00ff\nCAFE\n", {"--key-type", "hex"});
    EXPECT_EQ(here.run({"check", "h.eb"}, "00FF\ncafe\n00\n").out, "00FF\ncafe\n");
}

TEST(key_input, a_malformed_key_is_named_with_file_and_line) {
    const workbench here;
    here.make("ip.eb", "10.0.0.1\n", {"--key-type", "ip"});
    const std::string before = here.read("ip.eb");
    here.write("ips.txt", "10.0.0.2\n\n10.0.0.3\n");
    expect_trouble(here.run({"add", "ip.eb", "ips.txt"}), "ips.txt, line 2: '' is not an IPv4 or IPv6 address");
    std::string many;
    for (int i = 0; i < 200'000; ++i) many += "10.0.0.1\n";
    expect_trouble(here.run({"add", "ip.eb"}, many + "10.0.0.256\n" + many),
                   "standard input, line 200001: '10.0.0.256'");
    EXPECT_EQ(here.read("ip.eb"), before);
    for (const auto& [type, key] :
         std::vector<std::pair<std::string, std::string>>{{"u64", "-1"},
                                                          {"u64", "18446744073709551616"},
                                                          {"u64", "0x"},
                                                          {"u64", " 1"},
                                                          {"hex", "abc"},
                                                          {"hex", "zz"},
                                                          {"ip", "1.2.3"},
                                                          {"ip", std::string("1.2.3.4\0", 8)}}) {
        expect_trouble(here.run({"create", "x.eb", "--key-type", type}, "\n" == key ? "" : key + "\n"), "line 1: '");
    }
}

TEST(key_input, the_key_type_is_remembered_and_not_contradicted) {
    const workbench here;
    here.make("n.eb", "42\n", {"--key-type", "u64"});
    EXPECT_EQ(here.run({"check", "--key-type", "u64", "n.eb"}, "0x2a\n").exit_code, 0);
    for (const std::string command : {"check", "add", "remove"}) {
        expect_trouble(here.run({command, "--key-type", "text", "n.eb"}, "42\n"),
                       "n.eb was created with keys of type u64, not text");
    }
    expect_trouble(here.run({"create", "x.eb", "--key-type", "uuid"}), "--key-type: unknown type 'uuid'");
}

TEST(key_input, keys_of_megabytes_work) {
    const workbench here;
    const std::string ten_mib(10 << 20, 'k');
    const std::string one_mib(1 << 20, 'm');
    const std::string keys = "first\n" + ten_mib + "\n" + one_mib + "\nlast\n";
    here.make("x.eb", keys);
    EXPECT_TRUE(here.run({"check", "x.eb"}, keys).out == keys);
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, ten_mib + "x\n" + one_mib).out, "1\n");
}

TEST(key_input, a_key_over_64_mib_is_refused_with_its_line) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::string before = here.read("x.eb");
    const std::string huge((64 << 20) + 1, 'k');
    expect_trouble(here.run({"add", "x.eb"}, "anna\n" + huge + "\n"),
                   "standard input, line 2: this key is longer than the limit of 64 MiB");
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.run({"check", "-vc", "x.eb"}, std::string(64 << 20, 'k') + "\n").out, "1\n");
}

TEST(key_input, keys_come_through_in_order_however_long_and_short_they_are_mixed) {
    const workbench here;
    here.make("x.eb", "never asked for\n");
    // Blocks are cut by bytes and by the number of keys: both, in every order, with a key longer than a block between them.
    std::string keys;
    for (int round = 0; round < 3; ++round) {
        keys += std::string(150'000, '\n') + numbered_lines("a key of some length ", 20'000) +
                std::string(700'000, 'k') + "\n" + numbered_lines("", 60'000) + std::string(40'000, '\n');
    }
    keys += "no newline at the end";
    here.write("plain", keys);
    here.write("packed", gzip(here, keys).out);
    for (const std::string file : {"plain", "packed"}) {
        EXPECT_TRUE(here.run({"check", "-v", "x.eb", file}).out == keys + "\n") << file;
        EXPECT_TRUE(here.run({"check", "-v", "--threads", "1", "x.eb", file}).out == keys + "\n") << file;
    }
    EXPECT_TRUE(here.run({"check", "-v", "x.eb"}, keys).out == keys + "\n");
    // A trouble behind them is told with its line.
    here.make("n.eb", "1\n", {"--key-type", "u64"});
    const auto bad = here.run({"check", "-c", "n.eb"}, numbered_lines("", 100'000) + "x\n");
    EXPECT_EQ(bad.exit_code, 2);
    EXPECT_NE(bad.err.find("line 100001: 'x'"), std::string::npos) << bad.err;
}

TEST(key_input, a_key_in_compressed_input_has_a_limit_of_its_own) {
    const workbench here;
    here.make("x.eb", "anna\n");
    here.write("long.gz", gzip(here, std::string(2 << 20, 'k') + "\nanna\n").out);
    EXPECT_EQ(here.run({"check", "x.eb", "long.gz"}).out, "anna\n");
    here.write("longer.gz", gzip(here, "anna\n" + std::string((2 << 20) + 1, 'k') + "\n").out);
    const auto ran = here.run({"check", "x.eb", "longer.gz"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_NE(ran.err.find("longer.gz, line 2: this key is longer than 2 MiB"), std::string::npos) << ran.err;
}

TEST(key_input, a_dash_is_standard_input_between_files) {
    const workbench here;
    here.make("x.eb", "anna\nbert\ncarla\n");
    here.write("a.txt", "anna\n");
    here.write("c.txt", "carla\n");
    EXPECT_EQ(here.run({"check", "x.eb", "a.txt", "-", "c.txt"}, "bert\n").out, "anna\nbert\ncarla\n");
}

} // namespace
} // namespace everbloom::support
