#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

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
    EXPECT_NE(ran.out.find(R"("stranger_risk":)"), std::string::npos) << ran.out;
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
