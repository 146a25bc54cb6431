// diff: what two filters have in common.
#include "cli/workbench.hpp"

#include <nlohmann/json.hpp>

namespace everbloom::support {
namespace {

using nlohmann::json;

json compared(const workbench& here, const std::string& a, const std::string& b, int exit_code) {
    const auto ran = here.run({"diff", a, b, "--json"});
    EXPECT_EQ(ran.exit_code, exit_code) << ran.err;
    return json::parse(ran.out);
}

TEST(diff, a_filter_and_its_copy_are_the_same) {
    const workbench here;
    here.make("a.eb", numbered_lines("key", 100));
    here.write("b.eb", here.read("a.eb"));
    const auto said = compared(here, "a.eb", "b.eb", 0);
    EXPECT_EQ(said["same"], true);
    EXPECT_EQ(said["different_bits"], 0);
    EXPECT_NEAR(said["keys"]["both"].get<double>(), 100, 2);
    const auto ran = here.run({"diff", "a.eb", "b.eb"});
    EXPECT_TRUE(ran.out.ends_with("the same\n")) << ran.out;
}

TEST(diff, estimates_the_keys_that_two_filters_share) {
    const workbench here;
    // By their intersection where there is one, otherwise by their union; not for a kind whose union may hold a key of both
    // in two cells.
    for (const std::string kind : {"bloom", "counting", "elastic_blocked", "dleft"}) {
        here.make(kind + "_a.eb", numbered_lines("both", 400) + numbered_lines("a", 200), {"--kind", kind});
        here.make(kind + "_b.eb", numbered_lines("both", 400) + numbered_lines("b", 50), {"--kind", kind});
        const auto said = compared(here, kind + "_a.eb", kind + "_b.eb", 1);
        EXPECT_EQ(said["same_hash_and_key"], true);
        ASSERT_EQ(said["keys"].is_object(), kind != "dleft") << kind;
        if (kind == "dleft") continue;
        EXPECT_NEAR(said["keys"]["both"].get<double>(), 400, 20) << kind;
        EXPECT_NEAR(said["keys"]["only_a"].get<double>(), 200, 20) << kind;
        EXPECT_NEAR(said["keys"]["only_b"].get<double>(), 50, 20) << kind;
    }
}

TEST(diff, one_more_key_is_a_few_bits) {
    const workbench here;
    here.make("a.eb", "anna\n", {"--kind", "bloom"});
    here.make("b.eb", "anna\nbert\n", {"--kind", "bloom"});
    EXPECT_EQ(compared(here, "a.eb", "b.eb", 1)["different_bits"], 10);
    const auto ran = here.run({"diff", "a.eb", "b.eb"});
    EXPECT_NE(ran.out.find("different: 10 of "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("about 0 keys only in a.eb, about 1 key only in b.eb, about 1 key in both"),
              std::string::npos)
        << ran.out;
    EXPECT_NE(ran.out.find("* keys         about 1 key\n               about 2 keys\n"), std::string::npos) << ran.out;
}

TEST(diff, says_why_cells_cannot_be_compared) {
    const workbench here;
    here.make("a.eb", "anna\n", {"--kind", "bloom"});
    here.make("kind.eb", "anna\n", {"--kind", "dleft"});
    here.make("seed.eb", "anna\n", {"--kind", "bloom", "--seed", "2"});
    here.make("hash.eb", "anna\n", {"--kind", "bloom", "--hash", "xxh3"});
    here.make("size.eb", "anna\n", {"--kind", "bloom", "--capacity", "2000"});
    here.make("type.eb", "01\n", {"--kind", "bloom", "--key-type", "hex"});
    const auto verdict = [&](const std::string& other) {
        const auto ran = here.run({"diff", "a.eb", other});
        EXPECT_EQ(ran.exit_code, 1);
        return ran.out.substr(ran.out.find("different"));
    };
    EXPECT_EQ(verdict("kind.eb"), "different: the kinds differ\n");
    EXPECT_EQ(verdict("seed.eb"), "different: the hash keys differ, so equal keys are in different cells\n");
    EXPECT_EQ(verdict("hash.eb"), "different: the hashes differ, so equal keys are in different cells\n");
    EXPECT_EQ(verdict("size.eb"), "different: the geometries differ\n");
    EXPECT_EQ(verdict("type.eb"), "different: the key types differ\n");
    EXPECT_EQ(here.run({"protect", "a.eb"}, "zoe\n").exit_code, 0);
    here.make("bare.eb", "anna\n", {"--kind", "bloom"});
    EXPECT_EQ(compared(here, "a.eb", "bare.eb", 1)["same_guard"], false);
}

TEST(diff, trouble_is_no_difference) {
    const workbench here;
    here.make("a.eb", "anna\n");
    here.write("text", "anna\n");
    expect_trouble(here.run({"diff", "a.eb", "nowhere.eb"}), "nowhere.eb: cannot open it");
    expect_trouble(here.run({"diff", "text", "a.eb"}), "text: is not an everbloom filter");
}

} // namespace
} // namespace everbloom::support
