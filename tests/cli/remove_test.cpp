#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom::support {
namespace {

TEST(remove, removed_keys_are_gone_and_the_others_stay) {
    const workbench here;
    here.make("x.eb", "anna\nbert\ncarla\n");
    const auto ran = here.run({"remove", "x.eb"}, "bert\nzoe\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out.find("x.eb: 1 key removed, 1 not present\n"), 0U) << ran.out;
    EXPECT_NE(ran.out.find("Remove only keys that were added"), std::string::npos) << ran.out;
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\ncarla\n").out, "anna\ncarla\n");
}

TEST(remove, json_gives_a_verdict_for_each_key_and_a_summary) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const auto ran = here.run({"remove", "--json", "x.eb"}, "anna\nzoe\n\xff\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out.find(R"({"key":"anna","outcome":"removed"})"
                           "\n"
                           R"({"key":"zoe","outcome":"not_present"})"
                           "\n"
                           R"({"key_hex":"ff","outcome":"not_present"})"
                           "\n"
                           R"({"summary":{"removed":1,"removed_still_positive":0,"not_present":2,)"),
              0U)
        << ran.out;
    EXPECT_NE(ran.out.find(R"("risked":)"), std::string::npos) << ran.out;
}

/// The last line of what `remove --json` prints.
nlohmann::json summary_of(const program_result& ran) {
    const std::size_t line = ran.out.rfind('\n', ran.out.size() - 2);
    return nlohmann::json::parse(ran.out.substr(line + 1))["summary"];
}

/// Flags of a filter that has its target FPR with this many members. A kind that plans its growth has it at the end of the plan.
std::vector<std::string> full_filter_of(const kind_info& kind, int members) {
    std::vector<std::string> flags{"--force", "--kind", std::string(kind.name), "--capacity", std::to_string(members),
                                   "--fpr",   "1%"};
    const bool plans_growth = std::any_of(kind.parameters.begin(), kind.parameters.end(),
                                          [](const parameter_info& one) { return one.name == "planned_keys"; });
    if (plans_growth) flags.insert(flags.end(), {"--growth", "1x"});
    return flags;
}

TEST(remove, says_how_many_strangers_would_be_taken_out) {
    // Enough for about 200 of them at 1 %, and few enough that the filter stays what it was.
    constexpr int members = 100'000;
    constexpr int strangers = 20'000;
    const workbench here;
    const std::string keys = numbered_lines("member", members);
    const std::string never_added = numbered_lines("stranger", strangers);
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        SCOPED_TRACE(kind.name);
        here.make("x.eb", keys, full_filter_of(kind, members));
        const auto ran = here.run({"remove", "--json", "--unverified", "x.eb"}, never_added);
        // Kinds that verify a removal refuse them all.
        EXPECT_EQ(ran.exit_code, kind.capabilities.has(capability::confirm) ? 1 : 0) << ran.err;
        const nlohmann::json seen = summary_of(ran);
        const double taken = seen["removed"].get<double>() + seen["removed_still_positive"].get<double>();
        const double expected = seen["risked"].get<double>() * strangers;
        EXPECT_GT(expected, 0);
        EXPECT_LE(seen["risked"].get<double>(), 0.012);
        // Six standard deviations; and every stranger taken out makes the next one a little less likely.
        EXPECT_NEAR(taken, expected, 6 * std::sqrt(expected) + 0.02 * expected);
        EXPECT_EQ(taken + seen["not_present"].get<double>() + seen["not_deletable"].get<double>(), strangers);
    }
}

TEST(remove, the_risk_is_less_than_the_rate_where_full_cells_refuse) {
    const workbench here;
    // Far too many keys for two bits a cell: most strangers find stuck cells only, and those are not taken out.
    here.make("x.eb", numbered_lines("member", 3000),
              {"--kind", "quaternary", "--bits", "4000", "--hashes", "2", "--overfill"});
    const double rate = nlohmann::json::parse(here.run({"show", "--json", "x.eb"}).out)["fpr_current"];
    const nlohmann::json seen =
        summary_of(here.run({"remove", "--json", "--unverified", "x.eb"}, numbered_lines("stranger", 300)));
    EXPECT_LT(seen["risked"].get<double>(), 0.7 * rate);
    EXPECT_NEAR(seen["removed"].get<double>() + seen["removed_still_positive"].get<double>(),
                300 * seen["risked"].get<double>(), 60);
    EXPECT_GT(seen["not_deletable"].get<double>(), 60);
}

TEST(remove, keys_that_were_never_added_are_noticed_before_anything_is_saved) {
    constexpr int members = 20'000;
    const workbench here;
    const std::string keys = numbered_lines("member", members);
    const std::string never_added = numbered_lines("absent", 5'000);
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        SCOPED_TRACE(kind.name);
        here.make("x.eb", keys, full_filter_of(kind, members));
        const std::string before = here.read("x.eb");
        // Members, and as many again that are not: no member may be missed afterwards.
        const auto ran = here.run({"remove", "x.eb"}, numbered_lines("member", 1'000) + never_added);
        if (kind.capabilities.has(capability::confirm)) {
            EXPECT_EQ(ran.exit_code, 0) << ran.err; // every removal is verified
        } else {
            expect_trouble(ran, "never added");
            EXPECT_NE(ran.err.find("nothing was changed"), std::string::npos) << ran.err;
            EXPECT_EQ(here.read("x.eb"), before);
        }
        std::string staying;
        for (int i = 1'000; i < members; ++i) staying += "member" + std::to_string(i) + "\n";
        EXPECT_EQ(here.run({"check", "-c", "x.eb"}, staying).out, std::to_string(members - 1'000) + "\n");
    }
}

TEST(remove, a_few_absent_keys_are_no_reason_to_refuse) {
    const workbench here;
    here.make("x.eb", numbered_lines("member", 1'000), {"--capacity", "1000", "--fpr", "1%"});
    const auto ran = here.run({"remove", "x.eb"}, numbered_lines("member", 500) + numbered_lines("absent", 40));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

TEST(remove, a_dry_run_says_what_the_removal_then_does) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        SCOPED_TRACE(kind.name);
        here.make("x.eb", numbered_lines("member", 1'000),
                  {"--force", "--kind", std::string(kind.name), "--capacity", "1000", "--fpr", "1%"});
        const std::string before = here.read("x.eb");
        // A key that comes twice is there once.
        for (const std::string& keys :
             {numbered_lines("member", 300) + numbered_lines("member", 30), numbered_lines("absent", 2'000)}) {
            const auto dry = here.run({"remove", "--dry-run", "--json", "x.eb"}, keys);
            EXPECT_EQ(here.read("x.eb"), before);
            const auto real = here.run({"remove", "--json", "x.eb"}, keys);
            EXPECT_EQ(dry.exit_code, real.exit_code);
            auto promised = summary_of(dry);
            auto kept = summary_of(real);
            EXPECT_EQ(promised["dry_run"], true);
            EXPECT_EQ(promised["saved"], false);
            EXPECT_EQ(kept["saved"].get<bool>(), here.read("x.eb") != before);
            for (const char* one : {"dry_run", "saved"}) {
                promised.erase(one);
                kept.erase(one);
            }
            EXPECT_EQ(promised, kept);
            here.write("x.eb", before);
        }
    }
}

TEST(remove, nothing_removed_is_exit_code_1_and_an_untouched_file) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::string before = here.read("x.eb");
    EXPECT_EQ(here.run({"remove", "x.eb"}, "zoe\n").exit_code, 1);
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(remove, adding_and_removing_the_same_keys_leaves_the_file_as_it_was) {
    const workbench here;
    here.make("x.eb", numbered_lines("stays", 300));
    const std::string before = here.read("x.eb");
    EXPECT_EQ(here.run({"add", "x.eb"}, numbered_lines("comes", 300)).exit_code, 0);
    EXPECT_NE(here.read("x.eb"), before);
    EXPECT_EQ(here.run({"remove", "x.eb"}, numbered_lines("comes", 300)).exit_code, 0);
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(remove, kinds_that_cannot_remove_say_which_can) {
    const workbench here;
    bool tried = false;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(capability::erase) || !kind.capabilities.has(capability::insert)) continue;
        const std::string file = std::string(kind.name) + ".eb";
        here.make(file, "anna\n", {"--kind", std::string(kind.name)});
        expect_trouble(here.run({"remove", file}, "anna\n"), "kinds that can: ");
        tried = true;
    }
    EXPECT_TRUE(tried);
}

} // namespace
} // namespace everbloom::support
