// Slow filters on the command line: create --slow, and every command that works on one; those that do not say so and change nothing.
#include "cli/workbench.hpp"

#include <nlohmann/json.hpp>

namespace everbloom::support {
namespace {

std::string slow_lines(int from, int to) {
    std::string lines;
    for (int i = from; i < to; ++i) lines += "key" + std::to_string(i) + "\n";
    return lines;
}

TEST(slow_filters, live_through_create_add_remove_check_and_resize) {
    const workbench here;
    const auto made = here.run({"create", "--slow", "x.eb", "--capacity", "1000", "--fpr", "1%"}, slow_lines(0, 3000));
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_NE(made.out.find("x.eb: a slow filter, 3,000 keys added; "), std::string::npos) << made.out;
    const auto added = here.run({"add", "x.eb"}, slow_lines(3000, 5000));
    ASSERT_EQ(added.exit_code, 0) << added.err;
    EXPECT_NE(added.out.find("x.eb: 2,000 keys added; about 5,000 keys"), std::string::npos) << added.out;
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, slow_lines(0, 5000)).out, "5000\n");
    EXPECT_LT(std::stoi(here.run({"check", "-c", "x.eb"}, slow_lines(10000, 15000)).out), 150);
    EXPECT_EQ(here.run({"check", "--confirm", "-c", "x.eb"}, slow_lines(10000, 15000)).out, "0\n");

    const auto dry = here.run({"remove", "--dry-run", "x.eb"}, slow_lines(4000, 6000));
    EXPECT_EQ(dry.out, "x.eb: 1,000 keys would be removed, 1,000 not present\n") << dry.err;
    const auto removed = here.run({"remove", "x.eb"}, slow_lines(4000, 6000));
    EXPECT_EQ(removed.out, "x.eb: 1,000 keys removed, 1,000 not present\n") << removed.err;
    const auto again = here.run({"remove", "x.eb"}, slow_lines(4000, 6000));
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_EQ(again.out, "x.eb: 0 keys removed, 2,000 not present\n") << again.err;
    EXPECT_EQ(here.run({"check", "--confirm", "-c", "x.eb"}, slow_lines(0, 6000)).out, "4000\n");

    const auto smaller = here.run({"resize", "--fpr", "10%", "--fit", "x.eb"});
    EXPECT_EQ(smaller.exit_code, 0) << smaller.err;
    const auto seen = nlohmann::json::parse(here.run({"show", "--json", "x.eb"}).out);
    EXPECT_EQ(seen.at("kind"), "slow");
    EXPECT_EQ(seen.at("items_merged"), 4000);
    EXPECT_EQ(seen.at("pending"), 0);
    EXPECT_LT(seen.at("bits_per_key").get<double>(), 10);
    EXPECT_LT(seen.at("fpr_current").get<double>(), 0.11);
    EXPECT_LT(seen.at("fpr_verified").get<double>(), 1e-6);
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, slow_lines(0, 4000)).out, "4000\n");
    EXPECT_NE(here.run({"show", "x.eb"}).out.find("x.eb: a slow filter"), std::string::npos);
    EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(slow_filters, keep_the_type_and_the_networks_of_their_keys) {
    const workbench here;
    ASSERT_EQ(here.run({"create", "--slow", "n.eb", "--key-type", "cidr"}, "10.0.0.0/8\n").exit_code, 0);
    ASSERT_EQ(here.run({"add", "n.eb"}, "192.168.0.0/16\n").exit_code, 0);
    EXPECT_EQ(here.run({"check", "n.eb"}, "10.1.2.3\n192.168.7.7\n8.8.8.8\n").out, "10.1.2.3\n192.168.7.7\n");
    EXPECT_NE(here.run({"show", "n.eb"}).out.find("prefix lengths in use: "), std::string::npos);
}

TEST(slow_filters, stand_beside_ordinary_ones) {
    const workbench here;
    ASSERT_EQ(here.run({"create", "--slow", "x.eb"}, "anna\n").exit_code, 0);
    here.make("y.eb", "bert\n");
    EXPECT_EQ(here.run({"check", "x.eb", "y.eb"}, "anna\nbert\nzoe\n").out, "anna\nbert\n");
    EXPECT_NE(here.run({"show", "x.eb", "y.eb"}).out.find("slow"), std::string::npos);
    EXPECT_EQ(here.run({"verify", "x.eb", "y.eb"}).exit_code, 0);
    expect_trouble(here.run({"create", "--slow", "x.eb"}, "anna\n"), "already exists");
    EXPECT_EQ(here.run({"create", "--slow", "--force", "x.eb"}, "zoe\n").exit_code, 0);
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nzoe\n").out, "zoe\n");
    expect_trouble(here.run({"create", "--slow", "z.eb", "--kind", "bloom"}, "anna\n"), "--slow");
    expect_trouble(here.run({"add", "--all-or-none", "x.eb"}, "anna\n"), "--all-or-none");
    expect_trouble(here.run({"resize", "--bytes", "1000", "x.eb"}), "slow filter");
    EXPECT_EQ(here.listing(), "x.eb y.eb");
}

TEST(slow_filters, commands_that_cannot_work_on_one_say_so_and_change_nothing) {
    const workbench here;
    ASSERT_EQ(here.run({"create", "--slow", "x.eb"}, slow_lines(0, 100)).exit_code, 0);
    here.make("y.eb", "bert\n");
    const std::string before = here.read("x.eb");
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"merge", "out.eb", "x.eb", "y.eb"},
             {"diff", "x.eb", "y.eb"},
             {"export", "x.eb", "out.eb"},
             {"protect", "x.eb"},
             {"convert", "x.eb", "out.bloom"},
             {"create", "--like", "x.eb", "out.eb"},
         }) {
        expect_trouble(here.run(command, "anna\n"), "slow filter");
    }
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.listing(), "x.eb y.eb");
}

TEST(slow_filters, bad_files_are_refused_with_a_sentence) {
    const workbench here;
    ASSERT_EQ(here.run({"create", "--slow", "x.eb", "--capacity", "100"}, slow_lines(0, 5000)).exit_code, 0);
    ASSERT_EQ(here.run({"resize", "--fit", "x.eb"}).exit_code, 0); // merged: runs and bits are in the file
    const std::string whole = here.read("x.eb");
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{4000}, std::size_t{10000}, whole.size() / 2}) {
        here.write("cut.eb", whole.substr(0, bytes));
        for (const char* command : {"check", "add", "remove", "show", "verify"}) {
            expect_trouble(here.run({command, "cut.eb"}, "key1\n"), "cut.eb: ");
        }
        EXPECT_EQ(here.read("cut.eb"), whole.substr(0, bytes));
    }
    std::string newer = whole;
    newer[8] = 2;
    here.write("newer.eb", newer);
    expect_trouble(here.run({"check", "newer.eb"}, "key1\n"), "format version 2");
    std::string damaged = whole;
    for (std::size_t i = 20000; i < damaged.size(); i += 3000) damaged[i] = static_cast<char>(damaged[i] ^ 1);
    here.write("damaged.eb", damaged);
    expect_trouble(here.run({"verify", "damaged.eb"}), "damaged");
}

} // namespace
} // namespace everbloom::support
