// Keys inside lines: fields, JSON and regular expressions; what `check` prints of a line, and what it does with lines that have no key.
#include "cli/workbench.hpp"

namespace everbloom::support {
namespace {

class keys_in_lines : public ::testing::Test {
protected:
    keys_in_lines() {
        here.make("x.eb", "anna\nbert\n");
        here.write("log", "7:01 anna login ok\n7:02 zoe login bad\n7:03 bert\tout\n");
    }

    [[nodiscard]] std::string out(std::vector<std::string> arguments, const std::string& input = {}) const {
        arguments.insert(arguments.begin(), "check");
        const auto ran = here.run(arguments, input);
        EXPECT_EQ(ran.err, "");
        return ran.out;
    }

    workbench here;
};

TEST_F(keys_in_lines, a_field_is_the_key_and_the_whole_line_is_printed) {
    EXPECT_EQ(out({"x.eb", "log", "--field", "2"}), "7:01 anna login ok\n7:03 bert\tout\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "-v"}), "7:02 zoe login bad\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "-c"}), "2\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "--only-key"}), "anna\nbert\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "--print-fields", "3,1"}), "login 7:01\nout 7:03\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "-n", "-H"}), "log:1:7:01 anna login ok\nlog:3:7:03 bert\tout\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "--tag"}), "x.eb\t7:01 anna login ok\nx.eb\t7:03 bert\tout\n");
    EXPECT_EQ(out({"x.eb", "--field", "2"}, "  a   anna \r\n"), "  a   anna \r\n");
}

TEST_F(keys_in_lines, delimiters_separate_as_cut_and_spreadsheets_do) {
    EXPECT_EQ(out({"x.eb", "--field", "2", "--delimiter", "tab"}, "a b\tanna\tc\n\tanna\n\t\tanna\n"),
              "a b\tanna\tc\n\tanna\n");
    EXPECT_EQ(out({"x.eb", "--field", "3", "--delimiter", ":"}, "1::anna:x\n"), "1::anna:x\n");
    EXPECT_EQ(out({"x.eb", "--field", "2", "--delimiter", "comma"}, "\"a, \"\"b\"\"\",\"anna\",c\nx,y\nx,bert\n"),
              "\"a, \"\"b\"\"\",\"anna\",c\nx,bert\n");
    here.make("q.eb", "say \"a, b\"\n");
    EXPECT_EQ(out({"q.eb", "--field", "1", "--delimiter", ",", "--only-key"}, "\"say \"\"a, b\"\"\",2\n"),
              "say \"a, b\"\n");
    here.make("two.eb", "anna,7\n");
    EXPECT_EQ(out({"two.eb", "--field", "1,3", "--delimiter", ","}, "anna,x,7\nanna,x,8\n"), "anna,x,7\n");
}

TEST_F(keys_in_lines, json_fields_are_found_by_their_path) {
    const std::string lines = R"({"a":{"h":"anna"},"h":"zoe"})"
                              "\n"
                              R"({"h":"x","a":{"b":{"h":"bert"},"h":"zoe"}})"
                              "\n";
    EXPECT_EQ(out({"x.eb", "--json-field", ".a.h"}, lines), lines.substr(0, lines.find('\n') + 1));
    EXPECT_EQ(out({"x.eb", "--json-field", ".l[1].n", "--only-key"},
                  R"({"l":[["anna"],{"m":[1,2],"n":"b\u0065rt"},"anna"]})"
                  "\n"),
              "bert\n");
    here.make("n.eb", "42\n1.50\ntrue\n");
    EXPECT_EQ(out({"n.eb", "--json-field", ".[\"a.b\"]", "--only-key"},
                  "{\"a.b\":42}\n{\"a.b\":1.50}\n{\"a.b\":true}\n{\"a.b\":\"43\"}\n"),
              "42\n1.50\ntrue\n");
}

TEST_F(keys_in_lines, a_regular_expression_has_one_group) {
    EXPECT_EQ(out({"x.eb", "log", "--regex", "^\\S+ ([a-z]+)"}), "7:01 anna login ok\n7:03 bert\tout\n");
    EXPECT_EQ(out({"x.eb", "log", "--regex", "^\\S+ ([a-z]+) login", "--only-key"}), "anna\n"); // others have no key
    expect_trouble(here.run({"check", "x.eb", "log", "--regex", "("}), "--regex: '(': missing )");
    expect_trouble(here.run({"check", "x.eb", "log", "--regex", "a"}), "has 0 groups");
    expect_trouble(here.run({"check", "x.eb", "log", "--regex", "(a)(b)"}), "has 2 groups");
}

TEST_F(keys_in_lines, flags_that_make_no_sense_are_refused) {
    for (const std::string wrong : {"0", "-1", "x", "1,", "1.5", "99999999999999999999"}) {
        expect_trouble(here.run({"check", "x.eb", "log", "--field=" + wrong}), "is not a list of field numbers");
    }
    expect_trouble(here.run({"check", "x.eb", "log", "--field", "1", "--delimiter", "ab"}), "is not one character");
    expect_trouble(here.run({"check", "x.eb", "log", "--delimiter", ","}), "--field N says which one is the key");
    expect_trouble(here.run({"check", "x.eb", "log", "--field", "1", "--regex", "(a)"}), "in one of these ways");
    expect_trouble(here.run({"check", "x.eb", "log", "--json-field", "host"}), "is not a path");
    expect_trouble(here.run({"check", "x.eb", "log", "--format", "hosts", "--field", "1"}), "--format hosts");
    expect_trouble(here.run({"check", "x.eb", "log", "--format", "yaml"}), "known formats: lines, hosts");
}

TEST_F(keys_in_lines, a_bad_line_hides_no_other_line_of_a_check) {
    const auto ran = here.run({"check", "x.eb", "log", "--field", "4"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_NE(ran.err.find("log, line 3: '7:03 bert\\x09out' has no field 4"), std::string::npos) << ran.err;
    here.make("ip.eb", "10.0.0.1\n", {"--key-type", "ip"});
    const auto typed = here.run({"check", "ip.eb"}, "10.0.0.1\nx\n10.0.0.1\ny\n");
    EXPECT_EQ(typed.out, "10.0.0.1\n10.0.0.1\n");
    EXPECT_EQ(typed.exit_code, 2);
    EXPECT_NE(typed.err.find("standard input, line 2: 'x' is not an IPv4"), std::string::npos) << typed.err;
    EXPECT_NE(typed.err.find("line 4"), std::string::npos) << typed.err;
    const auto skipped = here.run({"check", "ip.eb", "--skip-invalid", "-n"}, "x\n10.0.0.1\nx\nx\nx\nx\nx\n10.0.0.1\n");
    EXPECT_EQ(skipped.out, "2:10.0.0.1\n8:10.0.0.1\n");
    EXPECT_EQ(skipped.exit_code, 0);
    EXPECT_NE(skipped.err.find("6 lines without a valid key were skipped; the first 5 are above"), std::string::npos)
        << skipped.err;
    for (const std::string bad : {"not json", "{\"a\":", "[]", "{\"h\":null}", "{\"h\":{}}", "{\"h\":[1]}", "\xff"}) {
        const auto json = here.run({"check", "x.eb", "--json-field", ".h"}, bad + "\n{\"h\":\"anna\"}\n");
        EXPECT_EQ(json.out, "{\"h\":\"anna\"}\n") << bad;
        EXPECT_EQ(json.exit_code, 2) << bad;
    }
    const auto binary = here.run({"check", "x.eb", "--field", "1"}, std::string("a\0b\nanna x\n", 11));
    EXPECT_EQ(binary.out, "anna x\n");
    EXPECT_NE(binary.err.find("contains a NUL byte"), std::string::npos) << binary.err;
    const auto quote = here.run({"check", "x.eb", "--field", "1", "--delimiter", ","}, "\"anna\nanna,1\n");
    EXPECT_EQ(quote.out, "anna,1\n");
    EXPECT_NE(quote.err.find("a quote is not closed"), std::string::npos) << quote.err;
}

TEST_F(keys_in_lines, commands_that_change_a_filter_stop_at_a_bad_line) {
    const std::string before = here.read("x.eb");
    expect_trouble(here.run({"add", "x.eb", "--field", "2"}, "1 carla\n\n2\n3 dora\n"),
                   "standard input, line 3: '2' has no field 2");
    EXPECT_EQ(here.read("x.eb"), before);
    const auto skipped = here.run({"add", "x.eb", "--field", "2", "--skip-invalid"}, "1 carla\n\n2\n3 dora\n");
    EXPECT_EQ(skipped.exit_code, 0);
    EXPECT_NE(skipped.err.find("1 line without a valid key was skipped"), std::string::npos) << skipped.err;
    EXPECT_EQ(out({"x.eb"}, "carla\ndora\n2\n"), "carla\ndora\n");
}

TEST_F(keys_in_lines, matches_are_counted_numbered_and_cut_like_greps) {
    here.write("long", numbered_lines("n ", 30'000) + "k anna\n" + numbered_lines("n ", 30'000) + "k bert\nk anna\n");
    EXPECT_EQ(out({"x.eb", "long", "--field", "2", "-n"}), "30001:k anna\n60002:k bert\n60003:k anna\n");
    EXPECT_EQ(out({"x.eb", "long", "log", "--field", "2", "-n", "-m", "1"}), "30001:k anna\n1:7:01 anna login ok\n");
    EXPECT_EQ(out({"x.eb", "long", "--field", "2", "-c", "-m", "2"}), "2\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "--color", "always"}),
              "7:01 \x1b[1;31manna\x1b[0m login ok\n7:03 \x1b[1;31mbert\x1b[0m\tout\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "--json"}),
              "{\"key\":\"anna\",\"line\":\"7:01 anna login ok\",\"filters\":[\"x.eb\"]}\n"
              "{\"key\":\"bert\",\"line\":\"7:03 bert\\tout\",\"filters\":[\"x.eb\"]}\n");
    EXPECT_EQ(out({"x.eb", "log", "--field", "2", "--line-buffered"}), out({"x.eb", "log", "--field", "2"}));
}

TEST_F(keys_in_lines, keys_can_be_given_on_the_command_line) {
    EXPECT_EQ(out({"x.eb", "-e", "zoe", "-e", "anna"}), "anna\n");
    EXPECT_EQ(here.run({"check", "x.eb", "-q", "-e", "zoe"}).exit_code, 1);
    here.make("odd.eb", std::string("two\nlines\0", 10), {"-0"});
    EXPECT_EQ(out({"odd.eb", "-e", "two\nlines"}), "two\nlines\n");
    expect_trouble(here.run({"check", "x.eb", "-e", "a", "log"}), "-e gives the keys");
}

TEST_F(keys_in_lines, directories_are_read_with_all_below_them) {
    std::filesystem::create_directories(here / "logs/old");
    here.write("logs/b.log", "1 anna\n");
    here.write("logs/old/a.log", "2 bert\n3 zoe\n");
    EXPECT_EQ(out({"x.eb", "-r", "logs", "--field", "2"}), "logs/b.log:1 anna\nlogs/old/a.log:2 bert\n");
    EXPECT_EQ(out({"x.eb", "-rn", "logs", "--field", "2", "--no-filename"}), "1:1 anna\n1:2 bert\n");
    here.write("logs/x.zip", "PK\x03\x04..........");
    const auto ran = here.run({"check", "x.eb", "-r", "logs", "--field", "2", "-c"});
    EXPECT_EQ(ran.out, "2\n");
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_NE(ran.err.find("logs/x.zip: is a zip archive"), std::string::npos) << ran.err;
    expect_trouble(here.run({"check", "x.eb", "logs"}), "logs: is a directory");
}

TEST_F(keys_in_lines, a_log_without_a_field_gets_a_hint) {
    const auto ran = here.run({"check", "x.eb"}, numbered_lines("7:01 anna line ", 20));
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_NE(ran.err.find("whole lines were taken as keys"), std::string::npos) << ran.err;
    EXPECT_EQ(here.run({"check", "x.eb", "-q"}, numbered_lines("7:01 anna line ", 20)).err, "");
    EXPECT_EQ(here.run({"check", "x.eb"}, numbered_lines("anna", 20)).err, "");
    // Names with blanks that are in the filter are no mistake.
    here.make("names.eb", numbered_lines("anna of ", 50));
    EXPECT_EQ(here.run({"check", "names.eb"}, numbered_lines("anna of ", 50)).err, "");
    // False positives look like matches.
    here.make("half.eb", numbered_lines("key", 100), {"--capacity", "100", "--fpr", "20%"});
    const auto chance = here.run({"check", "half.eb"}, numbered_lines("7:01 anna line ", 2000));
    EXPECT_EQ(chance.exit_code, 0);
    EXPECT_NE(chance.err.find("as many as false positives are expected"), std::string::npos) << chance.err;
}

} // namespace
} // namespace everbloom::support
