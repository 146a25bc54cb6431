// `everbloom plan`: the ranking, its reasons, its JSON, and that its commands make the filters it promised.
#include "cli/workbench.hpp"

#include <everbloom/runtime/planner.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace everbloom::support {
namespace {

nlohmann::json plan(const workbench& here, std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.begin(), "plan");
    arguments.push_back("--json");
    const auto ran = here.run(arguments);
    EXPECT_EQ(ran.exit_code, exit_code) << ran.err;
    EXPECT_EQ(ran.err, "");
    return nlohmann::json::parse(ran.out);
}

std::string best(const planning_request& wanted) {
    const auto ranked = rank_kinds(wanted);
    if (!ranked || ranked->candidates.empty()) return "none";
    return std::string(ranked->candidates.front().kind->name);
}

const planned_kind* find(const ranking& kinds, std::string_view name) {
    for (const planned_kind& one : kinds.candidates) {
        if (one.kind->name == name) return &one;
    }
    return nullptr;
}

constexpr workload a_million{1'000'000, 0.01};

TEST(plan, clear_cut_cases_have_the_answer_that_the_documentation_gives) {
    EXPECT_EQ(best({.wanted = a_million}), "quotient");
    EXPECT_EQ(best({.wanted = a_million, .lifetime = {}}), "blocked");
    EXPECT_EQ(best({.wanted = {1'000'000, 1e-6}, .lifetime = {}}), "quotient");
    EXPECT_EQ(best({.wanted = a_million, .lifetime = {.removed_share = 0.1}}), "quotient");
    EXPECT_EQ(best({.wanted = a_million, .lifetime = {.churn_rounds = lasting_churn_rounds}}), "quotient");
    EXPECT_EQ(best({.wanted = a_million, .lifetime = {.growth = 16}}), "quotient");
    EXPECT_EQ(best({.wanted = a_million, .lifetime = {.churn_rounds = 3, .growth = 16}}), "quotient");
    EXPECT_EQ(best({.wanted = a_million, .lifetime = {}, .memory_bytes = 1'200'000}), "bloom");
}

// A few bytes are no reason for members that stay for ever, and none for an FPR above the target.
TEST(plan, the_winner_removes_its_members_and_meets_its_target) {
    for (const std::uint64_t items : {100, 1000, 20'000, 1'000'000}) {
        for (const double fpr : {0.1, 0.01, 0.001, 0.0001}) {
            for (const expected_lifetime& lifetime :
                 {any_lifetime, expected_lifetime{}, expected_lifetime{.removed_share = 0.3},
                  expected_lifetime{.churn_rounds = 10}, expected_lifetime{.growth = 64}}) {
                const auto ranked = rank_kinds({.wanted = {items, fpr}, .lifetime = lifetime});
                ASSERT_TRUE(ranked && !ranked->candidates.empty());
                const planned_kind& winner = ranked->candidates.front();
                EXPECT_LE(winner.predicted.fpr.value(), fpr) << winner.kind->name << " " << items << " " << fpr;
                EXPECT_GE(winner.predicted.deletability.value_or(1), lifetime.removes() ? 0.999 : 0)
                    << winner.kind->name << " " << items << " " << fpr;
                EXPECT_LE(winner.query_lines, 10u) << winner.kind->name;
            }
        }
    }
}

TEST(plan, every_kind_is_a_candidate_or_has_a_reason) {
    for (const expected_lifetime& lifetime :
         {any_lifetime, expected_lifetime{}, expected_lifetime{.removed_share = 0.3, .churn_rounds = 1}}) {
        const auto ranked = rank_kinds({.wanted = a_million, .lifetime = lifetime});
        ASSERT_TRUE(ranked);
        EXPECT_EQ(ranked->candidates.size() + ranked->dropped.size(), known_kinds().size());
        for (const planned_kind& one : ranked->candidates) {
            EXPECT_LE(one.predicted.fpr.value(), 1.02 * a_million.fpr) << one.kind->name;
            EXPECT_GE(one.predicted.deletability.value_or(1), lifetime.removes() ? 0.9 : 0) << one.kind->name;
            EXPECT_TRUE(!lifetime.removes() || one.kind->capabilities.has(capability::erase)) << one.kind->name;
            EXPECT_TRUE(!lifetime.removes() || !one.kind->loses_members) << one.kind->name;
            EXPECT_LE(ranked->candidates.front().cost, one.cost);
        }
    }
}

TEST(plan, cells_that_wear_out_are_made_more_numerous_the_longer_they_must_last) {
    double before = 0;
    for (const double churn_rounds : {0.1, 0.5, 1.0, 2.0}) {
        const auto ranked = rank_kinds({.wanted = a_million, .lifetime = {.churn_rounds = churn_rounds}});
        ASSERT_TRUE(ranked);
        const planned_kind* one = find(*ranked, "ternary");
        ASSERT_NE(one, nullptr) << churn_rounds;
        EXPECT_GT(static_cast<double>(one->bytes), before);
        EXPECT_LE(*one->request.fpr, a_million.fpr);
        EXPECT_NEAR(one->predicted.fpr.value() / a_million.fpr, 1, 0.02); // no larger than needed
        before = static_cast<double>(one->bytes);
    }
}

TEST(plan, more_members_that_must_be_removable_take_other_kinds) {
    const auto is_candidate = [](const char* kind, double share) {
        const auto ranked = rank_kinds({.wanted = a_million, .lifetime = {.removed_share = 0.1}, .deletable = share});
        return ranked && find(*ranked, kind) != nullptr;
    };
    EXPECT_TRUE(is_candidate("dfp", 0.5));
    EXPECT_FALSE(is_candidate("dfp", 1));
    EXPECT_TRUE(is_candidate("ternary", 0.98));
    EXPECT_FALSE(is_candidate("ternary", 1));
    EXPECT_TRUE(is_candidate("quotient", 1));
}

TEST(plan, prints_what_programs_rely_on) {
    const workbench here;
    const auto said =
        plan(here, {"--capacity", "10k", "--fpr", "1%", "--remove", "30%", "--growth", "4x", "--negatives", "500"});
    EXPECT_EQ(said["workload"]["items"], 10'000);
    EXPECT_EQ(said["workload"]["fpr"], 0.01);
    EXPECT_EQ(said["workload"]["remove"], 0.3);
    EXPECT_EQ(said["workload"]["churn"], 0.0);
    EXPECT_EQ(said["workload"]["growth"], 4.0);
    EXPECT_EQ(said["workload"]["negatives"], 500);
    EXPECT_TRUE(said["workload"]["memory"].is_null());
    EXPECT_EQ(said["candidates"].size() + said["dropped"].size(), known_kinds().size());
    double cost = 0;
    bool members_stay = false;
    for (const auto& one : said["candidates"]) {
        for (const char* number : {"bytes", "bytes_at_first", "bits_per_item", "fpr", "deletability"}) {
            EXPECT_TRUE(one[number].is_number()) << one;
        }
        EXPECT_TRUE(one.contains("hashes"));
        EXPECT_NEAR(one["bits_per_item"].get<double>(), one["bytes"].get<double>() * 8 / 40'000, 1e-9);
        EXPECT_FALSE(one["why"].get<std::string>().empty());
        EXPECT_TRUE(one["command"].get<std::string>().starts_with("everbloom create "));
        // Best first; kinds that could not remove some of their members come after all others.
        const bool stay = one["deletability"].get<double>() < 0.999;
        EXPECT_TRUE(stay || !members_stay);
        EXPECT_TRUE(stay != members_stay || one["cost"].get<double>() >= cost);
        members_stay = stay;
        cost = one["cost"];
    }
    for (const auto& one : said["dropped"]) EXPECT_FALSE(one["why"].get<std::string>().empty()) << one;
}

TEST(plan, every_command_makes_the_filter_that_was_promised) {
    const workbench here;
    const std::vector<std::vector<std::string>> workloads{{"--capacity", "20k", "--fpr", "1%", "--remove", "30%"},
                                                          {"--capacity", "5000", "--churn", "2", "--deletable", "95%"},
                                                          {"--capacity", "3k", "--growth", "3", "--negatives", "2k"}};
    for (const auto& flags : workloads) {
        const auto said = plan(here, flags);
        ASSERT_FALSE(said["candidates"].empty());
        for (const auto& one : said["candidates"]) {
            const std::string command = one["command"];
            const auto ran = here.shell(command + " --force --json", "anna\n");
            ASSERT_EQ(ran.exit_code, 0) << command << ": " << ran.err;
            const auto made = nlohmann::json::parse(ran.out);
            EXPECT_EQ(made["kind"], one["kind"]);
            // Whole cells may need a target that is a little lower.
            const double asked = said["workload"]["fpr"];
            EXPECT_LE(made["agreed"]["fpr"].get<double>(), asked) << command;
            EXPECT_GE(made["agreed"]["fpr"].get<double>(), 0.9 * asked) << command;
            // The file has a header, and no exclusion list yet.
            const auto bytes = static_cast<double>(std::filesystem::file_size(here / "filter.eb"));
            const double promised = one["bytes_at_first"].get<double>();
            EXPECT_NEAR(bytes, promised, 8192) << command;
        }
    }
}

TEST(plan, create_without_a_kind_makes_the_winner) {
    const workbench here;
    const auto kind_of = [&](std::vector<std::string> flags) {
        flags.insert(flags.begin(), {"create", "x.eb", "--force", "--json", "--capacity", "10k", "--fpr", "1%"});
        const auto ran = here.run(flags, "anna\n");
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return nlohmann::json::parse(ran.out)["kind"].get<std::string>();
    };
    const std::vector<std::vector<std::string>> lives{{}, {"--remove", "0"}, {"--remove", "10%"}, {"--churn", "100"}};
    for (const auto& lifetime : lives) {
        std::vector<std::string> flags{"--capacity", "10k", "--fpr", "1%"};
        flags.insert(flags.end(), lifetime.begin(), lifetime.end());
        EXPECT_EQ(kind_of(lifetime), plan(here, flags)["candidates"][0]["kind"]);
    }
    // Known negatives get a exclusion list later, and cost nothing now.
    EXPECT_EQ(kind_of({"--negatives", "1000"}), "quotient");
    // How far the set may grow.
    EXPECT_EQ(kind_of({"--growth", "16x"}), "quotient");
    EXPECT_EQ(here.run({"create", "z.eb", "--capacity", "1000", "--growth", "16x"}, "anna\n").exit_code, 0);
    EXPECT_EQ(nlohmann::json::parse(here.run({"show", "z.eb", "--json"}).out)["geometry"]["planned_keys"], 16'000);
    expect_trouble(here.run({"create", "y.eb", "--capacity", "10k", "--kind", "bloom", "--growth", "2x"}),
                   "does not grow by itself");
    // A geometry chooses among the kinds that have it.
    EXPECT_EQ(kind_of({"--line-keys", "40"}), "elastic_blocked");
    EXPECT_EQ(kind_of({"--region-bits", "4", "--remove", "0"}), "deletable");
    expect_trouble(here.run({"create", "y.eb", "--capacity", "10k", "--line-keys", "40", "--bucket-cells", "8"}),
                   "no kind");
    expect_trouble(here.run({"create", "y.eb", "--capacity", "10k", "--kind", "bloom", "--remove", "10%"}),
                   "cannot remove");
    expect_trouble(here.run({"create", "y.eb", "--capacity", "10k", "--kind", "dfp", "--churn", "100"}), "wears out");
}

TEST(plan, memory_decides_who_is_left) {
    const workbench here;
    const auto said = plan(here, {"--capacity", "100k", "--fpr", "1%", "--churn", "100", "--memory", "400kB"});
    for (const auto& one : said["candidates"]) EXPECT_LE(one["bytes"], 400'000) << one;
    EXPECT_FALSE(said["candidates"].empty());
    const auto too_large =
        here.run({"plan", "--capacity", "100k", "--fpr", "1%", "--churn", "100", "--memory", "400kB"});
    EXPECT_NE(too_large.out.find("counting              needs "), std::string::npos) << too_large.out;
}

TEST(plan, where_nothing_fits_it_says_what_would) {
    const workbench here;
    const auto said = plan(here, {"--capacity", "100k", "--fpr", "0.1%", "--remove", "0", "--memory", "100kB"}, 1);
    EXPECT_TRUE(said["candidates"].empty());
    const auto& instead = said["lowest_affordable"];
    EXPECT_LE(instead["bytes"], 100'000);
    // 8 bits per key: 2.1 % in a Bloom filter.
    EXPECT_NEAR(instead["fpr"].get<double>(), 0.0215, 0.0005);
    const auto ran = here.shell(instead["command"].get<std::string>(), "anna\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const auto words = here.run({"plan", "--capacity", "100k", "--remove", "0", "--memory", "100kB"});
    EXPECT_EQ(words.exit_code, 1);
    EXPECT_NE(words.out.find("No kind reaches that FPR in 97.7 KiB. The lowest FPR in that memory is 2.1"),
              std::string::npos)
        << words.out;
    EXPECT_EQ(plan(here, {"--capacity", "1M", "--memory", "100"}, 1)["candidates"].size(), 0U);
}

TEST(plan, a_simulation_confirms_the_prediction) {
    const workbench here;
    const auto said =
        plan(here, {"--capacity", "5k", "--fpr", "2%", "--remove", "20%", "--growth", "4", "--simulate", "--top", "2"});
    ASSERT_GE(said["candidates"].size(), 3U);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& one = said["candidates"][i];
        const auto& seen = one["simulation"];
        EXPECT_EQ(seen["kind"], one["kind"]);
        EXPECT_EQ(seen["items"], 20'000);
        EXPECT_EQ(seen["false_negatives"], 0);
        EXPECT_EQ(seen["fpr_model"], one["fpr"]);
        EXPECT_NEAR(seen["fpr"]["mean"].get<double>() / one["fpr"].get<double>(), 1, 0.05) << one["kind"];
        EXPECT_NEAR(seen["deletability"]["mean"].get<double>(), one["deletability"].get<double>(), 0.02);
    }
    EXPECT_FALSE(said["candidates"][2].contains("simulation"));
    const auto words = here.run({"plan", "--capacity", "1000", "--fpr", "5%", "--churn", "10", "--simulate"});
    EXPECT_NE(words.out.find("    FPR               "), std::string::npos) << words.out;
    EXPECT_NE(words.out.find("removable         100 %"), std::string::npos) << words.out;
}

TEST(plan, nonsense_is_refused_in_words) {
    const workbench here;
    const auto refuse = [&](const std::string& flag, const std::string& value, const std::string& words) {
        std::vector<std::string> arguments{"plan"};
        if (flag != "--capacity") arguments.insert(arguments.end(), {"--capacity", "1000"});
        arguments.insert(arguments.end(), {flag, value});
        SCOPED_TRACE(flag + " " + value);
        expect_trouble(here.run(arguments), words);
    };
    for (const std::string value : {"0", "-1", "1.5", "nan", "", "ten", "1e30"})
        refuse("--capacity", value, "--capacity: ");
    refuse("--capacity", "9223372036854775808", "items");
    for (const std::string value : {"0", "-1", "nan", "1", "2", "100%", "x"}) refuse("--fpr", value, "--fpr: ");
    for (const std::string value : {"-1", "nan", "x", "inf", ""}) {
        for (const std::string flag : {"--remove", "--churn", "--growth"}) refuse(flag, value, flag + ": ");
    }
    for (const std::string value : {"0", "0.5x", "x"}) refuse("--growth", value, "--growth: ");
    refuse("--growth", "1e300", "fewer items");
    refuse("--deletable", "101%", "--deletable: ");
    for (const std::string value : {"0", "-1", "x"}) refuse("--memory", value, "--memory: ");
    for (const std::string value : {"-1", "x"}) refuse("--negatives", value, "--negatives: ");
    for (const std::string value : {"0", "x"}) refuse("--top", value, "--top");
    expect_trouble(here.run({"plan"}), "--capacity");
    // A rate that no kind reaches is no nonsense: all of them say why not.
    const auto said = plan(here, {"--capacity", "1000", "--fpr", "1e-300"}, 1);
    EXPECT_EQ(said["dropped"].size(), known_kinds().size());
}

} // namespace
} // namespace everbloom::support
