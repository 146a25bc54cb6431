// Lists as they are published: their formats, domains in every spelling, networks and the addresses in them.
#include "cli/workbench.hpp"

#include <algorithm>

namespace everbloom::support {
namespace {

struct published {
    std::string format;
    std::string text;
    std::string keys; // as `check -e` asks for them, each ended by a blank
};

std::vector<published> lists() {
    return {
        {"lines", "# a list\r\n\r\n  anna.example  \r\nBert.EXAMPLE # why\r\n", "anna.example bert.example "},
        {"hosts", "127.0.0.1 localhost\n::1 ip6-localhost\n0.0.0.0 anna.example\tbert.example # two\n0.0.0.0 0.0.0.0\n",
         "anna.example bert.example "},
        {"adblock",
         "[Adblock Plus 2.0]\n! list\n||anna.example^\n||bert.example^$third-party\n@@||zoe.example^\n/ads/*\n",
         "anna.example bert.example "},
        {"csv", "anna.example,1,\"x, y\"\n\"bert.example\",2,z\n# comment\n", "anna.example bert.example "},
    };
}

TEST(published_lists, are_read_by_their_format_or_recognised) {
    for (const published& one : lists()) {
        SCOPED_TRACE(one.format);
        for (const std::string& format : {one.format, std::string("auto")}) {
            const workbench here;
            here.write("list", "\xef\xbb\xbf" + one.text); // published lists begin with a byte order mark now and then
            const auto made =
                here.run({"create", "x.eb", "list", "--format", format, "--key-type", "domain", "--json"});
            ASSERT_EQ(made.exit_code, 0) << made.err;
            EXPECT_EQ(nlohmann::json::parse(made.out)["added"], 2);
            for (const char* key : {"anna.example", "bert.example", "ANNA.example."}) {
                EXPECT_EQ(here.run({"check", "-q", "x.eb", "-e", key}).exit_code, 0) << key;
            }
            EXPECT_EQ(here.run({"check", "-q", "x.eb", "-e", "zoe.example", "-e", "localhost"}).exit_code, 1);
        }
    }
}

TEST(published_lists, of_mixed_formats_stop_at_the_first_line_of_another) {
    const workbench here;
    expect_trouble(here.run({"create", "x.eb", "--format", "hosts"}, "0.0.0.0 a.example\nb.example\n"),
                   "line 2: 'b.example' is not an address and a name");
    expect_trouble(here.run({"create", "x.eb", "--format", "cidr"}, "10.0.0.0/8\nb.example\n"), "line 2: 'b.example'");
    EXPECT_EQ(here.listing(), "");
    const auto made =
        here.run({"create", "x.eb", "--format", "hosts", "--skip-invalid"}, "0.0.0.0 a.example\nb.example\n");
    EXPECT_EQ(made.exit_code, 0);
    EXPECT_NE(made.err.find("1 line without a valid key was skipped"), std::string::npos) << made.err;
    const auto rules =
        here.run({"create", "y.eb", "--format", "adblock"}, "||a.example^\n##.banner\n||b.example/path\n");
    EXPECT_NE(rules.err.find("2 rules of the list do not block a whole domain"), std::string::npos) << rules.err;
}

TEST(published_lists, headers_and_columns_of_tables) {
    const workbench here;
    ASSERT_EQ(
        here.run({"create", "x.eb", "--format", "csv", "--field", "2", "--header"}, "n,host\n1,anna\n2,\"be\"\"rt\"\n")
            .exit_code,
        0);
    EXPECT_EQ(here.run({"check", "x.eb", "-e", "anna", "-e", "be\"rt", "-e", "host", "-e", "1"}).out, "anna\nbe\"rt\n");
}

TEST(published_lists, lower_case_on_request) {
    const workbench here;
    ASSERT_EQ(here.run({"create", "x.eb", "--lower"}, "ANNA\nBert\n").exit_code, 0);
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\nBert\n").out, "anna\nbert\n");
    EXPECT_EQ(here.run({"check", "x.eb", "--lower"}, "BERT\n").out, "BERT\n");
}

TEST(domains, have_one_key_in_all_spellings_and_scripts) {
    const workbench here;
    ASSERT_EQ(here.run({"create", "x.eb", "--key-type", "domain"}, "M\xc3\xbcnchen.DE\nexample.com.\n").exit_code, 0);
    EXPECT_EQ(here.run({"check", "x.eb"}, "m\xc3\xbcnchen.de\nXN--MNCHEN-3YA.de\nEXAMPLE.com\nm.com\n").out,
              "m\xc3\xbcnchen.de\nXN--MNCHEN-3YA.de\nEXAMPLE.com\n");
    for (const std::string& wrong :
         std::vector<std::string>{"", "a..b", ".", "a b", "-\xff", "a/b", std::string(64, 'a') + ".com"}) {
        expect_trouble(here.run({"add", "x.eb"}, wrong + "\n"), "is not a domain name");
    }
    EXPECT_EQ(shown(here, "x.eb")["key_type"], "domain");
}

TEST(domains, match_below_a_parent_on_request) {
    const workbench here;
    ASSERT_EQ(here.run({"create", "x.eb", "--key-type", "domain"}, "example.com\nb.c.org\n").exit_code, 0);
    const std::string asked = "a.b.Example.com\nexample.com\nnotexample.com\nc.org\na.b.c.org\n";
    EXPECT_EQ(here.run({"check", "x.eb"}, asked).out, "example.com\n");
    EXPECT_EQ(here.run({"check", "x.eb", "--subdomains"}, asked).out, "a.b.Example.com\nexample.com\na.b.c.org\n");
    EXPECT_EQ(here.run({"check", "x.eb", "--subdomains", "--longest"}, asked).out,
              "example.com\ta.b.Example.com\nexample.com\texample.com\nb.c.org\ta.b.c.org\n");
    here.make("text.eb", "a\n");
    expect_trouble(here.run({"check", "text.eb", "--subdomains"}, "a\n"), "of type text, not domain");
    expect_trouble(here.run({"check", "text.eb", "--longest"}, "a\n"), "--longest is for networks");
}

TEST(csv, quoted_fields_may_have_line_ends) {
    const workbench here;
    here.make("x.eb", "anna\nbert\nzoe\ntwo\nlines\n");
    const std::string table = "name,note\n"
                              "anna,\"first line\nbert,second line \"\"quoted\"\"\"\n"
                              "bert,plain\n"
                              "\"carl\",\"\r\n\"\r\n"
                              "# it's \"a comment\nzoe,end\n";
    const std::vector<std::string> check{"check", "x.eb", "--format", "csv", "--header", "-n"};
    EXPECT_EQ(here.run(check, table).out,
              "2:anna,\"first line\nbert,second line \"\"quoted\"\"\"\n4:bert,plain\n8:zoe,end\n");
    // The key itself may have a line end in it; a text that is not a list in CSV has lines.
    ASSERT_EQ(here.run({"create", "y.eb", "--format", "csv", "--field", "2"}, "1,\"two\nlines\"\n2,b\n").exit_code, 0);
    EXPECT_EQ(here.run({"check", "y.eb", "-c", "-e", "two\nlines", "-e", "two", "-e", "b"}).out, "2\n");
    EXPECT_EQ(here.run({"check", "x.eb", "--field", "1", "--delimiter", ","}, "a,\"x\nbert,y\"\n").out, "bert,y\"\n");

    // A stray quote costs its line, and none of the others.
    const std::string stray = "anna,1\n\"bert,2\nzoe,3\n\"carl\",4\nbert,5\n";
    const auto strict = here.run({"check", "x.eb", "--format", "csv"}, stray);
    EXPECT_EQ(strict.out, "anna,1\nzoe,3\nbert,5\n");
    EXPECT_EQ(strict.exit_code, 2);
    EXPECT_NE(strict.err.find("line 2"), std::string::npos) << strict.err;
    EXPECT_NE(strict.err.find("a quote is not closed"), std::string::npos) << strict.err;
    expect_trouble(here.run({"create", "z.eb", "--format", "csv"}, stray), "line 2");
    EXPECT_EQ(here.run({"check", "x.eb", "--format", "csv", "--skip-invalid", "-c"},
                       "anna\n\"open\nbert\n" + std::string(40000, '\n') + "zoe\n")
                  .out,
              "3\n");
}

TEST(csv, records_of_every_length_are_read_by_every_number_of_threads) {
    // Records across the ends of blocks, up to the longest that there may be, and one that is longer.
    const workbench here;
    std::string table;
    std::uint64_t lines = 0;
    std::uint64_t records = 0;
    for (unsigned i = 0; table.size() < 1'500'000; ++i) {
        std::string note;
        for (unsigned part = 0; part < i * i % 97; ++part) note += "key" + std::to_string(part) + ",\"\"x\"\"\r\n";
        if (i % 50 == 7) note += std::string(60'000, 'x') + "\n";
        table += "key" + std::to_string(i) + ",\"" + note + "\",end\n";
        lines += 1 + static_cast<std::uint64_t>(std::count(note.begin(), note.end(), '\n'));
        ++records;
    }
    table += "last,\"" + std::string(70'000, 'y') + "\nkey0,z\n";
    here.write("table.csv", table);
    ASSERT_EQ(here.run({"create", "x.eb", "--format", "csv", "table.csv", "--skip-invalid"}).exit_code, 0);
    for (const std::string threads : {"1", "2", "5"}) {
        const std::vector<std::string> check{"check", "x.eb",           "table.csv", "--format",
                                             "csv",   "--skip-invalid", "--threads", threads};
        auto count = check;
        count.push_back("-c");
        EXPECT_EQ(here.run(count).out, std::to_string(records + 2) + "\n") << threads;
        auto numbered = check;
        numbered.insert(numbered.end(), {"-n", "--only-key"});
        const std::string out = here.run(numbered).out;
        const std::string end = std::to_string(lines + 1) + ":last\n" + std::to_string(lines + 2) + ":key0\n";
        EXPECT_TRUE(out.ends_with(end)) << out.substr(out.size() - std::min<std::size_t>(out.size(), 60));
        EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), records + 2);
    }
}

class networks : public ::testing::Test {
protected:
    networks() {
        const auto made = here.run({"create", "x.eb", "--format", "cidr", "--seed", "1"},
                                   "; list\n10.0.0.0/8 ; SBL1\n10.1.2.0/24\n1.2.3.4\n2001:db8::/32 # six\n");
        EXPECT_EQ(made.exit_code, 0) << made.err;
    }
    workbench here;
};

TEST_F(networks, contain_addresses_and_smaller_networks) {
    const std::string asked =
        "10.200.0.1\n11.0.0.1\n10.1.2.3\n1.2.3.4\n1.2.3.5\n2001:db8::1\n2001:db9::1\n10.0.0.0/9\n0.0.0.0/0\n";
    EXPECT_EQ(here.run({"check", "x.eb"}, asked).out, "10.200.0.1\n10.1.2.3\n1.2.3.4\n2001:db8::1\n10.0.0.0/9\n");
    EXPECT_EQ(here.run({"check", "x.eb", "--longest"}, asked).out,
              "10.0.0.0/8\t10.200.0.1\n10.1.2.0/24\t10.1.2.3\n1.2.3.4\t1.2.3.4\n2001:db8::/32\t2001:db8::1\n"
              "10.0.0.0/8\t10.0.0.0/9\n");
    EXPECT_NE(here.run({"show", "x.eb"}).out.find("IPv4 /8 /24 /32, IPv6 /32"), std::string::npos);
    expect_trouble(here.run({"add", "x.eb"}, "10.0.0.1/8\n"), "did you mean 10.0.0.0/8?");
    expect_trouble(here.run({"add", "x.eb"}, "10.0.0.0/33\n"), "is not an address or a network");
}

TEST_F(networks, are_found_after_every_change) {
    // The note about lengths follows the filter through every command; without it all lengths are asked for.
    const auto finds = [&](const std::string& file, const std::string& address) {
        return here.run({"check", "-q", file, "-e", address}).exit_code == 0;
    };
    const auto note = [&](const std::string& file) {
        return here.run({"show", file}).out.find("every length is asked for") == std::string::npos;
    };
    const auto does = [&](const std::vector<std::string>& arguments, const std::string& input = {}) {
        const auto ran = here.run(arguments, input);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
    };
    does({"add", "x.eb"}, "172.16.0.0/12\n");
    EXPECT_TRUE(finds("x.eb", "172.20.1.1") && finds("x.eb", "10.1.2.3") && note("x.eb"));
    does({"remove", "x.eb"}, "10.0.0.0/8\n");
    EXPECT_TRUE(!finds("x.eb", "10.9.9.9") && finds("x.eb", "10.1.2.3") && note("x.eb"));
    does({"create", "y.eb", "--like", "x.eb"}, "192.168.0.0/16\n");
    does({"merge", "z.eb", "x.eb", "y.eb"});
    EXPECT_TRUE(finds("z.eb", "192.168.3.4") && finds("z.eb", "1.2.3.4") && note("z.eb"));
    does({"resize", "z.eb", "--capacity", "5000"});
    EXPECT_TRUE(finds("z.eb", "192.168.3.4") && note("z.eb"));
    does({"export", "z.eb", "small.eb", "--fpr", "1%"});
    EXPECT_TRUE(finds("small.eb", "192.168.3.4") && note("small.eb"));
    does({"sync", "s.eb", "-", "--format", "cidr"}, "10.0.0.0/8\n");
    does({"sync", "s.eb", "-", "--format", "cidr"}, "10.2.0.0/16\n::/0\n");
    EXPECT_TRUE(finds("s.eb", "10.2.3.4") && finds("s.eb", "1::1") && !finds("s.eb", "10.3.3.4") && note("s.eb"));
}

TEST_F(networks, and_addresses_can_be_protected) {
    const auto pair = [](int i, int base) { return std::to_string(i / base) + "." + std::to_string(i % base); };
    // A crowded filter: one address in eight is a false positive at one of the three lengths.
    std::string list;
    std::string good;
    for (int i = 0; i < 2000; ++i) list += "10." + pair(i, 250) + ".0/24\n";
    for (int i = 0; i < 500; ++i) list += "20.0." + pair(i, 250) + "\n";
    list += "30.0.0.0/8\n";
    for (int i = 0; i < 3000; ++i) good += "40.1." + pair(i, 250) + "\n";
    good += "50.0.0.0/25\n2001:db8::1\n";
    here.write("list.txt", list);
    here.write("good.txt", good);
    const std::vector<std::string> sync{"sync", "s.eb",   "list.txt", "--format", "cidr", "--fpr",
                                        "4%",   "--kind", "counting", "--seed",   "1"};
    ASSERT_EQ(here.run(sync).exit_code, 0);
    std::string asked = good;
    for (int i = 0; i < 128; ++i) asked += "50.0.0." + std::to_string(i) + "\n";
    EXPECT_GT(std::stoi(here.run({"check", "-c", "s.eb"}, asked).out), 100);
    auto with = sync;
    with.insert(with.end(), {"--protect", "good.txt"});
    const auto done = here.run(with);
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(here.run({"check", "-c", "s.eb"}, asked).out, "0\n");
    EXPECT_EQ(here.run({"check", "-c", "s.eb", "list.txt", "--format", "cidr"}).out, "2501\n");

    // A network of the list that contains a protected address, and one inside of a protected network.
    here.write("good.txt", "30.1.2.3\n10.0.0.0/20\n");
    expect_trouble(here.run(with), "17 networks of the list contain a known negative, or are in one: 10.0.0.0/24");
    with.push_back("--members-win");
    ASSERT_EQ(here.run(with).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "s.eb", "list.txt", "--format", "cidr"}).out, "2501\n");
    with.back() = "--protect-wins";
    ASSERT_EQ(here.run(with).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "s.eb"}, "30.1.2.3\n10.0.1.1\n").out, "0\n");
    EXPECT_EQ(here.run({"check", "-c", "s.eb"}, "10.0.16.1\n").out, "1\n");
    here.write("good.txt", "0.0.0.0/0\n");
    expect_trouble(here.run(with), "0.0.0.0/0 cannot be protected");

    // The command of its own needs the members, or a kind that knows its keys.
    ASSERT_EQ(here.run({"protect", "s.eb", "--drop"}).exit_code, 0);
    ASSERT_EQ(here.run(sync).exit_code, 0);
    here.write("good.txt", "40.1.2.3\n40.1.7.7\n40.2.0.0/20\n");
    expect_trouble(here.run({"protect", "s.eb", "good.txt"}), "--members LIST compares the two");
    ASSERT_EQ(here.run({"protect", "s.eb", "good.txt", "--members", "list.txt"}).exit_code, 0);
    EXPECT_EQ(here.run({"show", "s.eb"}).out.find("every length is asked for"), std::string::npos);
    asked.clear();
    for (int i = 0; i < 4096; ++i) asked += "40.2." + pair(i, 256) + "\n";
    EXPECT_EQ(here.run({"check", "-c", "s.eb"}, asked).out, "0\n");
    here.write("good.txt", "30.1.2.3\n");
    expect_trouble(here.run({"protect", "s.eb", "good.txt", "--members", "list.txt"}), "30.0.0.0/8");
    ASSERT_EQ(here.run({"protect", "s.eb", "--drop"}).exit_code, 0);
    EXPECT_EQ(here.run({"show", "s.eb"}).out.find("every length is asked for"), std::string::npos);
    ASSERT_EQ(here.run({"create", "e.eb", "list.txt", "--format", "cidr", "--kind", "elastic_blocked"}).exit_code, 0);
    expect_trouble(here.run({"protect", "e.eb", "good.txt"}), "30.0.0.0/8");
}

} // namespace
} // namespace everbloom::support
