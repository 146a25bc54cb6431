// protect, as people run it.
#include "cli/workbench.hpp"

#include <nlohmann/json.hpp>

namespace everbloom::support {
namespace {

using nlohmann::json;

class protect : public ::testing::Test {
protected:
    protect() {
        here.write("members.txt", lines("member", 0, 3000));
        here.write("negatives.txt", lines("negative", 0, 20000));
    }

    void succeed(const std::vector<std::string>& arguments) const {
        const auto ran = here.run(arguments);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
    }
    static std::string lines(const std::string& word, int from, int to) {
        std::string text;
        for (int i = from; i < to; ++i) text += word + std::to_string(i) + "\n";
        return text;
    }
    [[nodiscard]] std::string counted(const std::string& filter, const std::string& keys) const {
        return here.run({"check", "--no-confirm", "-c", filter, keys}).out;
    }
    [[nodiscard]] json protected_json(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "protect");
        arguments.push_back("--json");
        const auto ran = here.run(arguments);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return json::parse(ran.out);
    }

    workbench here;
};

TEST_F(protect, every_kind_says_no_to_the_negatives_and_yes_to_the_members) {
    for (const std::string kind : {"bloom", "blocked", "counting", "dleft", "elastic_blocked", "yes_no"}) {
        ASSERT_EQ(here.run({"create", kind + ".eb", "members.txt", "--kind", kind, "--fpr", "2%"}).exit_code, 0);
        const std::string before = counted(kind + ".eb", "negatives.txt");
        const json done = protected_json({kind + ".eb", "negatives.txt"});
        EXPECT_EQ(std::to_string(done["false_positives_before"].get<int>()) + "\n", before);
        EXPECT_GT(done["false_positives_before"], 100) << kind;
        EXPECT_EQ(done["false_positives_after"], 0);
        EXPECT_EQ(done["method"], "guard");
        EXPECT_GT(done["bytes_added"], 0);
        EXPECT_EQ(counted(kind + ".eb", "negatives.txt"), "0\n") << kind;
        EXPECT_EQ(counted(kind + ".eb", "members.txt"), "3000\n") << kind;
        EXPECT_EQ(here.run({"verify", kind + ".eb"}).exit_code, 0);
        EXPECT_NE(here.run({"show", kind + ".eb"}).out.find("exclusions "), std::string::npos);
    }
}

TEST_F(protect, a_yes_no_filter_uses_its_own_no_filters_if_it_is_given_its_members) {
    succeed({"create", "yes.eb", "members.txt", "--kind", "yes_no", "--fpr", "2%", "--negatives", "20000"});
    const json done = protected_json({"yes.eb", "negatives.txt", "--members", "members.txt"});
    EXPECT_EQ(done["method"], "no-filters");
    EXPECT_EQ(done["bytes_added"], 0);
    EXPECT_GT(done["false_positives_before"], 100);
    EXPECT_EQ(done["false_positives_after"], 0);
    EXPECT_EQ(counted("yes.eb", "negatives.txt"), "0\n");
    EXPECT_EQ(counted("yes.eb", "members.txt"), "3000\n");
}

TEST_F(protect, negatives_that_are_members_are_named) {
    here.write("mixed.txt", "negative1\nmember7\nmember42\n");
    succeed({"create", "set.eb", "members.txt", "--kind", "bloom"});
    expect_trouble(here.run({"protect", "set.eb", "mixed.txt", "--members", "members.txt"}), "member7, member42");
    EXPECT_EQ(counted("set.eb", "members.txt"), "3000\n");
    const json done = protected_json({"set.eb", "mixed.txt", "--members", "members.txt", "--members-win"});
    EXPECT_EQ(done["members_among_negatives"], 2);
    EXPECT_EQ(done["negatives"], 1);
    EXPECT_EQ(counted("set.eb", "members.txt"), "3000\n");
}

TEST_F(protect, a_kind_that_keeps_records_knows_its_members_without_a_list) {
    here.write("mixed.txt", "negative1\nmember7\n");
    succeed({"create", "set.eb", "members.txt", "--kind", "elastic_blocked"});
    expect_trouble(here.run({"protect", "set.eb", "mixed.txt"}), "member7");
}

TEST_F(protect, lists_that_do_not_fit_the_filter_are_refused) {
    here.write("fewer.txt", lines("member", 0, 1000));
    here.write("others.txt", lines("other", 0, 3000));
    succeed({"create", "yes.eb", "members.txt", "--kind", "yes_no", "--fpr", "2%"});
    expect_trouble(here.run({"protect", "yes.eb", "negatives.txt", "--members", "fewer.txt"}), "give all members");
    expect_trouble(here.run({"protect", "yes.eb", "negatives.txt", "--members", "others.txt"}), "add them first");
    expect_trouble(here.run({"protect", "yes.eb", "negatives.txt", "--allow-false-negatives"}), "--members");
    expect_trouble(here.run({"protect", "yes.eb", "none.txt"}), "none.txt");
    expect_trouble(here.run({"protect", "none.eb", "negatives.txt"}), "none.eb");
    expect_trouble(here.run({"protect", "yes.eb", "yes.eb"}), "yes.eb");
}

TEST_F(protect, a_dry_run_changes_nothing_and_dropping_takes_it_back) {
    succeed({"create", "set.eb", "members.txt", "--kind", "bloom", "--fpr", "2%"});
    const std::string untouched = here.read("set.eb");
    EXPECT_EQ(here.run({"protect", "set.eb", "negatives.txt", "--dry-run"}).exit_code, 0);
    EXPECT_EQ(here.read("set.eb"), untouched);
    succeed({"protect", "set.eb", "negatives.txt"});
    EXPECT_NE(here.read("set.eb"), untouched);
    EXPECT_EQ(here.run({"protect", "set.eb", "--drop"}).exit_code, 0);
    EXPECT_EQ(here.read("set.eb"), untouched);
    EXPECT_EQ(here.run({"protect", "set.eb", "--drop"}).exit_code, 1);
}

TEST_F(protect, an_added_key_passes_and_is_told_of) {
    here.write("late.txt", lines("negative", 0, 20000));
    succeed({"create", "set.eb", "members.txt", "--kind", "counting", "--capacity", "30k", "--fpr", "5%"});
    succeed({"protect", "set.eb", "negatives.txt"});
    EXPECT_EQ(counted("set.eb", "negatives.txt"), "0\n");
    succeed({"add", "set.eb", "late.txt"});
    EXPECT_EQ(counted("set.eb", "negatives.txt"), "20000\n");
    EXPECT_EQ(counted("set.eb", "members.txt"), "3000\n");
}

TEST_F(protect, merging_a_protected_filter_says_what_to_do) {
    for (const std::string name : {"a.eb", "b.eb"})
        succeed({"create", name, "members.txt", "--kind", "bloom", "--seed", "1"});
    succeed({"protect", "a.eb", "negatives.txt"});
    expect_trouble(here.run({"merge", "out.eb", "a.eb", "b.eb"}), "drop the exclusion list");
}

TEST(simulate_yes_no, counts_the_known_negatives_that_come_back) {
    const workbench here;
    const auto simulate = [&](const std::string& assign, const std::string& seeds) {
        std::vector<std::string> command{"simulate",  "yes_no", "--yes-bits",   "160",  "--no-filters", "3",
                                         "--no-bits", "32",     "--yes-hashes", "4",    "--no-hashes",  "5",
                                         "--items",   "30",     "--negatives",  "100",  "--trials",     "20000",
                                         "--seeds",   seeds,    "--queries",    "1000", "--json"};
        if (!assign.empty()) command.insert(command.end(), {"--assign", assign});
        const auto ran = here.run(command);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return json::parse(ran.out);
    };
    const json paper = simulate("first-fit", "1");
    EXPECT_EQ(simulate("", "1"), paper) << "the paper's algorithm where none is named";
    EXPECT_EQ(paper["bits"], 256);
    EXPECT_EQ(paper["false_negatives"], 0);
    EXPECT_NEAR(paper["false_positives"]["mean"].get<double>(), 0.046, 0.007); // four standard errors
    EXPECT_NEAR(paper["bloom_same_bits_false_positives"].get<double>(), 1.70, 0.05);
    EXPECT_NEAR(simulate("search", "1")["false_positives"]["mean"].get<double>(), 0.018, 0.005);
    EXPECT_LT(simulate("search", "4")["false_positives"]["mean"].get<double>(), 0.001);
}

} // namespace
} // namespace everbloom::support
