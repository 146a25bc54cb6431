// `everbloom simulate`, as a program that reads its JSON sees it.
#include "support/run_program.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace everbloom::support {
namespace {

using nlohmann::json;

json simulate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "simulate");
    arguments.push_back("--json");
    const auto ran = run_program(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return json::parse(ran.out);
}

/// Within three times the 95 % interval: chance alone leaves it less than once in a million runs with twenty trials.
void expect_agreement(const json& measured, const json& model) {
    ASSERT_TRUE(measured.is_object()) << measured;
    ASSERT_TRUE(model.is_number()) << model;
    EXPECT_LE(measured["low"], measured["mean"]);
    EXPECT_LE(measured["mean"], measured["high"]);
    EXPECT_LT(measured["low"], measured["high"]);
    const double reach = 1.5 * (measured["high"].get<double>() - measured["low"].get<double>());
    EXPECT_NEAR(measured["mean"].get<double>(), model.get<double>(), reach);
}

TEST(simulate_command, agrees_with_the_model_of_a_bloom_filter) {
    const json seen = simulate({"bloom", "--bits", "65536", "--hashes", "4", "--items", "4096", "--trials", "20"});
    EXPECT_EQ(seen["kind"], "bloom");
    EXPECT_EQ(seen["bits"], 65536);
    EXPECT_EQ(seen["cells"], 65536);
    EXPECT_EQ(seen["hashes"], 4);
    EXPECT_EQ(seen["items"], 4096);
    EXPECT_EQ(seen["inserted"], 4096);
    EXPECT_EQ(seen["removed"], 0.0);
    EXPECT_EQ(seen["trials"], 20);
    EXPECT_EQ(seen["queries"], 1'000'000);
    EXPECT_EQ(seen["seed"], 1);
    EXPECT_EQ(seen["false_negatives"], 0);
    EXPECT_TRUE(seen["deletability"].is_null());
    EXPECT_TRUE(seen["deletability_model"].is_null());
    EXPECT_TRUE(seen["erase_outcomes"].is_null());
    EXPECT_EQ(seen["insert_outcomes"]["inserted"], 20 * 4096);
    expect_agreement(seen["fpr"], seen["fpr_model"]);
    EXPECT_NEAR(seen["fpr_model"].get<double>(), std::pow(1 - std::exp(-0.25), 4), 1e-5);
}

TEST(simulate_command, agrees_with_the_model_of_every_kind) {
    for (const kind_info& kind : known_kinds()) {
        SCOPED_TRACE(kind.name);
        const json seen =
            simulate({std::string(kind.name), "--items", "5000", "--fpr", "1%", "--trials", "20", "--queries", "100k"});
        expect_agreement(seen["fpr"], seen["fpr_model"]);
        EXPECT_EQ(seen["false_negatives"], 0);
        EXPECT_EQ(seen["deletability"].is_object(), kind.capabilities.has(capability::erase));
        EXPECT_EQ(seen["erase_outcomes"].is_object(), kind.capabilities.has(capability::erase));
        for (const parameter_info& parameter : kind.parameters) {
            EXPECT_TRUE(seen["geometry"].contains(std::string(parameter.name))) << parameter.name;
        }
    }
}

TEST(simulate_command, agrees_with_the_model_of_a_blocked_filter_for_every_number_of_hashes) {
    for (int hashes = 1; hashes <= 16; ++hashes) {
        SCOPED_TRACE(hashes);
        const json seen = simulate({"blocked", "--bits", "65536", "--hashes", std::to_string(hashes), "--items", "4096",
                                    "--trials", "20", "--queries", "200k"});
        expect_agreement(seen["fpr"], seen["fpr_model"]);
    }
}

TEST(simulate_command, agrees_with_the_model_of_counters_that_stick) {
    for (const int width : {2, 3, 4}) {
        SCOPED_TRACE(width);
        const json seen =
            simulate({"counting", "--bits", std::to_string(width * 65536), "--hashes", "4", "--items", "8000",
                      "--counter-bits", std::to_string(width), "--removed", "0.3", "--trials", "20"});
        EXPECT_EQ(seen["cells"], 65536);
        EXPECT_EQ(seen["removed"], 0.3);
        EXPECT_EQ(seen["inserted"], 10400);
        EXPECT_EQ(seen["false_negatives"], 0);
        const double rate = seen["fpr"]["mean"];
        EXPECT_NEAR(rate / seen["fpr_model"].get<double>(), 1, 0.02);
        EXPECT_NEAR(seen["deletability"]["mean"].get<double>(), seen["deletability_model"].get<double>(), 0.005);
        const json& erased = seen["erase_outcomes"];
        EXPECT_EQ(erased["removed"].get<int>() + erased["removed_still_positive"].get<int>() +
                      erased["not_deletable"].get<int>(),
                  20 * 2400);
        EXPECT_EQ(erased["not_present"], 0);
    }
}

TEST(simulate_command, loses_no_member_when_kinds_remove_and_churn) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase) || kind.loses_members) continue;
        SCOPED_TRACE(kind.name);
        const json seen = simulate({std::string(kind.name), "--items", "2000", "--fpr", "1%", "--removed", "50%",
                                    "--churn", "3", "--trials", "4", "--queries", "10k"});
        EXPECT_EQ(seen["churn_steps"], 6000);
        EXPECT_EQ(seen["inserted"], 2000 + 1000 + 6000);
        EXPECT_EQ(seen["false_negatives"], 0);
        int erased = 0;
        for (const auto& count : seen["erase_outcomes"]) erased += count.get<int>();
        EXPECT_EQ(erased, 4 * (1000 + 6000));
        EXPECT_EQ(seen["erase_outcomes"]["not_present"], 0);
    }
}

TEST(simulate_command, counts_churn_in_turnovers_or_steps) {
    const std::vector<std::string> common{"counting", "--items", "500", "--trials", "2", "--queries", "1000"};
    std::vector<std::string> churn_rounds = common;
    churn_rounds.insert(churn_rounds.end(), {"--churn", "1.5"});
    std::vector<std::string> steps = common;
    steps.insert(steps.end(), {"--churn-steps", "750"});
    EXPECT_EQ(simulate(churn_rounds), simulate(steps));
}

TEST(simulate_command, says_the_same_with_any_number_of_threads) {
    const auto with = [](const char* flag, const char* value) {
        const auto ran = run_program({"simulate", "counting", "--items", "1000", "--fpr", "1%", "--removed", "20%",
                                      "--trials", "5", "--queries", "20k", "--json", flag, value});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return ran.out;
    };
    EXPECT_EQ(with("--threads", "1"), with("--threads", "4"));
    EXPECT_NE(with("--seed", "1"), with("--seed", "2"));
}

TEST(simulate_command, has_an_honest_interval_when_nothing_is_seen) {
    for (const char* trials : {"1", "5"}) {
        const json seen = simulate(
            {"bloom", "--bits", "1e6", "--hashes", "8", "--items", "10", "--queries", "1000", "--trials", trials});
        EXPECT_EQ(seen["fpr"]["mean"], 0.0);
        EXPECT_EQ(seen["fpr"]["low"], 0.0);
        // The largest rate at which nothing is seen in so many queries with probability 2.5 %.
        const double expected = 1 - std::pow(0.025, 1 / (1000.0 * std::stod(trials)));
        EXPECT_NEAR(seen["fpr"]["high"].get<double>(), expected, 1e-9);
    }
}

TEST(simulate_command, has_an_exact_interval_for_one_trial) {
    const json seen =
        simulate({"bloom", "--bits", "4096", "--hashes", "3", "--items", "500", "--queries", "100k", "--trials", "1"});
    const double mean = seen["fpr"]["mean"];
    const double normal_reach = 1.96 * std::sqrt(mean * (1 - mean) / 1e5);
    EXPECT_NEAR(seen["fpr"]["low"].get<double>(), mean - normal_reach, 0.05 * normal_reach);
    EXPECT_NEAR(seen["fpr"]["high"].get<double>(), mean + normal_reach, 0.05 * normal_reach);
}

TEST(simulate_command, prints_a_table_for_people) {
    const auto ran = run_program(
        {"simulate", "counting", "--items", "1000", "--removed", "1/4", "--trials", "5", "--queries", "50k"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    for (const char* words :
         {"counting", "fpr", "deletability", "false negatives 0", "250 removed", "1,000 left", "model", "5 trials"}) {
        EXPECT_NE(ran.out.find(words), std::string::npos) << words << " is not in\n" << ran.out;
    }
    const bool verdict =
        ran.out.find("model within the interval") != std::string::npos || ran.out.find("off by") != std::string::npos;
    EXPECT_TRUE(verdict) << ran.out;
}

TEST(simulate_command, refuses_what_makes_no_sense) {
    struct refusal {
        std::vector<std::string> arguments;
        std::string says;
    };
    const std::vector<refusal> refusals{
        {{"no_such_kind", "--items", "10"}, "no kind 'no_such_kind'"},
        {{"bloom", "--bits", "1000", "--hashes", "3"}, "--items"},
        {{"bloom", "--items", "0"}, "--items"},
        {{"bloom", "--items", "-1"}, "--items"},
        {{"bloom", "--items", "10", "--fpr", "nan"}, "--fpr"},
        {{"bloom", "--items", "10", "--trials", "0"}, "trials"},
        {{"bloom", "--items", "10", "--trials", "1e9"}, "trials"},
        {{"bloom", "--items", "10", "--queries", "0"}, "queries"},
        {{"bloom", "--items", "10", "--threads", "0"}, "--threads"},
        {{"bloom", "--items", "10", "--seed", "x"}, "--seed"},
        {{"bloom", "--items", "10", "--removed", "0.1"}, "cannot remove"},
        {{"bloom", "--items", "10", "--churn", "1"}, "cannot remove"},
        {{"counting", "--items", "10", "--removed", "nan"}, "--removed"},
        {{"counting", "--items", "10", "--removed", "-1"}, "--removed"},
        {{"counting", "--items", "10", "--removed", "1e300"}, "would take days"},
        {{"counting", "--items", "10", "--churn", "1e300"}, "2^62"},
        {{"counting", "--items", "10", "--churn", "1", "--churn-steps", "1"}, "--churn"},
        {{"counting", "--items", "10", "--churn-steps", "9223372036854775808"}, "would take days"},
        // Sizes that a machine could not finish, or could not hold.
        {{"dfp", "--bits", "262144", "--hashes", "4", "--items", "1e18"}, "would take days"},
        {{"dfp", "--items", "1e18"}, "fewer items"},
        {{"bloom", "--bits", "1e6", "--hashes", "4", "--items", "10", "--queries", "1e15"}, "would take days"},
        {{"bloom", "--bits", "1e6", "--hashes", "4", "--items", "1e7", "--trials", "1e6"}, "would take days"},
        {{"counting", "--items", "1e6", "--churn", "1e9"}, "would take days"},
        {{"bloom", "--bits", "1e15", "--hashes", "4", "--items", "10"}, "this machine has"},
        {{"counting", "--bits", "1e6", "--hashes", "4", "--items", "2e10", "--removed", "1", "--trials", "9",
          "--threads", "9"},
         "this machine has"},
    };
    for (const refusal& one : refusals) {
        std::vector<std::string> arguments{"simulate"};
        arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
        const auto ran = run_program(arguments);
        EXPECT_EQ(ran.exit_code, 2) << ::testing::PrintToString(arguments);
        EXPECT_EQ(ran.out, "");
        EXPECT_NE(ran.err.find(one.says), std::string::npos) << ran.err;
    }
}

// The table of the d-left paper, a short life: loads as the fluid limit says, nobody refused.
TEST(simulate_command, tells_of_the_buckets_of_dleft) {
    const json seen =
        simulate({"dleft", "--subtables", "4", "--buckets", "2048", "--bucket-cells", "8", "--remainder-bits", "14",
                  "--items", "49152", "--churn-steps", "100000", "--trials", "3", "--queries", "200000"});
    EXPECT_EQ(seen["bits"], 1 << 20);
    EXPECT_EQ(seen["overflow_trials"], 0);
    EXPECT_EQ(seen["potential_overflows"]["max"], 0);
    EXPECT_EQ(seen["false_negatives"], 0);
    const auto loads = seen["bucket_load_at_least"].get<std::vector<double>>();
    const auto limit = seen["fluid_limit"].get<std::vector<double>>();
    ASSERT_EQ(loads.size(), 10u);
    ASSERT_EQ(limit.size(), 10u);
    for (std::size_t i = 0; i < loads.size(); ++i) EXPECT_NEAR(loads[i], limit[i], 0.01) << i;
    EXPECT_NEAR(seen["fpr"]["mean"].get<double>(), 0.00146, 0.00015);
    EXPECT_LE(seen["max_counter"], 4);
}

TEST(simulate_command, a_flag_alone_lets_dleft_move_keys) {
    const std::vector<std::string> full{"dleft", "--buckets", "256", "--items",   "7200", "--churn-steps",
                                        "20000", "--trials",  "2",   "--queries", "10"};
    const json refused = simulate(full);
    EXPECT_GT(refused["overflow_trials"], 0);
    EXPECT_EQ(refused["false_negatives"], 0);
    auto moving = full;
    moving.push_back("--move");
    const json moved = simulate(moving);
    EXPECT_EQ(moved["overflow_trials"], 0);
    EXPECT_GT(moved["potential_overflows"]["min"], 0);
    EXPECT_EQ(moved["geometry"]["move"], 1);
    EXPECT_EQ(moved["false_negatives"], 0);
}

} // namespace
} // namespace everbloom::support
