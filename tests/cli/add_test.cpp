#include "cli/workbench.hpp"
#include "support/rounds.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <nlohmann/json.hpp>

namespace everbloom::support {
namespace {

TEST(add, added_keys_are_found) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const auto ran = here.run({"add", "x.eb"}, "bert\ncarla\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out.find("x.eb: 2 keys added; about 3 keys, current FPR "), 0U) << ran.out;
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\ncarla\nzoe\n").out, "anna\nbert\ncarla\n");
}

TEST(add, new_prints_each_new_key_once_in_order) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const auto ran = here.run({"add", "--new", "x.eb"}, "zoe\nanna\nbert\nzoe\nbert\ncarla\n");
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.out, "zoe\nbert\ncarla\n");
    EXPECT_NE(ran.err.find("6 keys added, 3 new"), std::string::npos) << ran.err;
    EXPECT_EQ(here.run({"add", "--new", "--quiet", "x.eb"}, "zoe\nanna\n").out, "");
}

TEST(add, new_prints_the_same_with_many_threads_and_blocks) {
    const workbench here;
    here.make("x.eb", "", {"--capacity", "500k"});
    std::string twice;
    for (int i = 0; i < 300'000; ++i) twice += "some-longer-key-" + std::to_string(i / 2) + "\n";
    const auto ran = here.run({"add", "--new", "--quiet", "--threads", "4", "x.eb"}, twice);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    // The first of each pair is new, but for the few that the filter takes for members by mistake (0.1 % at most).
    EXPECT_LE(line_count(ran.out), 150'000U);
    EXPECT_GE(line_count(ran.out), 149'000U);
    EXPECT_EQ(ran.out.find("some-longer-key-0\nsome-longer-key-1\n"), 0U);
}

TEST(add, past_the_target_rate_all_is_refused_and_nothing_changed) {
    const workbench here;
    here.make("x.eb", "anna\n", {"--capacity", "100", "--fpr", "1%"});
    const std::string before = here.read("x.eb");
    const auto ran = here.run({"add", "x.eb"}, numbered_lines("key", 300));
    expect_trouble(ran, "with 300 more keys it would hold about ");
    EXPECT_NE(ran.err.find("capacity of 100 keys at 1.00 % FPR"), std::string::npos) << ran.err;
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.run({"add", "--overfill", "x.eb"}, numbered_lines("key", 300)).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, numbered_lines("key", 300)).out, "300\n");
}

TEST(add, up_to_the_agreed_items_no_kind_refuses_by_bad_luck) {
    const workbench here;
    const std::string keys = numbered_lines("key", 100);
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        for (std::uint64_t seed = 0; seed < rounds(12); ++seed) {
            const auto ran = here.run({"create", "x.eb", "--force", "--kind", std::string(kind.name), "--capacity",
                                       "100", "--seed", std::to_string(seed)},
                                      keys);
            EXPECT_EQ(ran.exit_code, 0) << kind.name << ", seed " << seed << ": " << ran.err;
        }
    }
}

// One bucket of four cells in each of two subtables: room for eight different keys.
TEST(add, a_key_without_room_is_named_and_the_others_go_in) {
    const workbench here;
    const std::vector<std::string> tiny{"--kind",         "dleft", "--subtables",      "2",  "--buckets", "1",
                                        "--bucket-cells", "4",     "--remainder-bits", "32", "--force"};
    here.make("x.eb", numbered_lines("key", 7), tiny);
    const auto went_on = here.run({"add", "x.eb"}, "key7\nkey8\nkey0\n");
    EXPECT_EQ(went_on.exit_code, 1);
    EXPECT_NE(went_on.err.find("full_bucket"), std::string::npos) << went_on.err;
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, numbered_lines("key", 9)).out, "8\n");

    const std::string before = here.read("x.eb");
    const auto stopped = here.run({"add", "--all-or-none", "x.eb"}, "key0\nkey9\n");
    EXPECT_EQ(stopped.exit_code, 2);
    EXPECT_NE(stopped.err.find("key9"), std::string::npos) << stopped.err;
    EXPECT_NE(stopped.err.find("nothing was written"), std::string::npos) << stopped.err;
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(add, a_fifth_copy_is_named_and_refused_by_dleft) {
    const workbench here;
    here.make("x.eb", "anna\nanna\nanna\nanna\n", {"--kind", "dleft", "--capacity", "100"});
    const std::string before = here.read("x.eb");
    const auto refused = here.run({"add", "x.eb"}, "anna\n");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.err.find("full_counter"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("anna"), std::string::npos) << refused.err;
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(add, no_kind_takes_twice_the_agreed_items) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert) || kind.capabilities.has(capability::grow)) continue;
        here.make("x.eb", numbered_lines("key", 1000), {"--kind", std::string(kind.name), "--force"});
        const std::string before = here.read("x.eb");
        expect_trouble(here.run({"add", "x.eb"}, numbered_lines("more", 1000)), "--overfill");
        EXPECT_EQ(here.read("x.eb"), before) << kind.name;
    }
}

TEST(add, json_counts_every_outcome_by_name) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const auto ran = here.run({"add", "--json", "x.eb"}, "bert\n");
    for (const std::string_view part :
         {R"("file": "x.eb")", R"("keys": 1)", R"("added": 1)", R"("refused": 0)", R"("inserted": 1)",
          R"("inserted_counted": 0)", R"("full_bucket": 0)", R"("growth_refused": 0)", R"("fpr": 0.001)"}) {
        EXPECT_NE(ran.out.find(part), std::string::npos) << part << " in " << ran.out;
    }
}

TEST(add, no_keys_change_nothing) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::string before = here.read("x.eb");
    EXPECT_EQ(here.run({"add", "x.eb"}, "").exit_code, 0);
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(add, a_counter_that_is_full_for_ever_is_reported) {
    const workbench here;
    here.make("x.eb", "", {"--counter-bits", "2"});
    const auto ran = here.run({"add", "--json", "x.eb"}, "anna\nanna\nanna\nanna\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out.find(R"("inserted_saturated": 0)"), std::string::npos) << ran.out;
}

TEST(add, many_refused_keys_are_a_few_lines_and_a_number) {
    const workbench here;
    constexpr std::uint64_t keys = 5'000;
    bool refused_any = false;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        SCOPED_TRACE(kind.name);
        here.make("x.eb", "", {"--force", "--kind", std::string(kind.name), "--capacity", "20"});
        for (const auto& [command, file] : {std::pair{"add", "x.eb"}, {"create", "y.eb"}}) {
            std::vector<std::string> arguments{command, file, "--overfill", "--json"};
            if (command == std::string("create")) {
                arguments.insert(arguments.end(), {"--force", "--kind", std::string(kind.name), "--capacity", "20"});
            }
            const auto ran = here.run(arguments, numbered_lines("key", keys));
            EXPECT_LE(ran.exit_code, 1) << ran.err;
            EXPECT_LE(line_count(ran.err), 6U);
            const auto refused = nlohmann::json::parse(ran.out)["refused"].get<std::uint64_t>();
            refused_any |= refused > 5;
            if (refused > 5) {
                EXPECT_EQ(line_count(ran.err), 6U);
                EXPECT_NE(ran.err.find(" " + grouped(refused) + " of 5,000 keys"), std::string::npos) << ran.err;
            }
        }
    }
    EXPECT_TRUE(refused_any);
}

} // namespace
} // namespace everbloom::support
