#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

namespace everbloom::support {
namespace {

TEST(merge, the_result_knows_the_keys_of_all) {
    const workbench here;
    here.make("a.eb", "anna\n");
    here.make("b.eb", "bert\n");
    here.make("c.eb", "carla\n");
    const auto ran = here.run({"merge", "all.eb", "a.eb", "b.eb", "c.eb"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out.find("all.eb: 3 filters merged; about 3 keys, current FPR "), 0U) << ran.out;
    EXPECT_EQ(here.run({"check", "all.eb"}, "anna\nbert\ncarla\nzoe\n").out, "anna\nbert\ncarla\n");
}

TEST(merge, every_kind_that_can_merge_does) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::merge)) continue;
        const std::string name(kind.name);
        here.make("a_" + name, numbered_lines("a", 200), {"--kind", name});
        here.make("b_" + name, numbered_lines("b", 200), {"--kind", name});
        EXPECT_EQ(here.run({"merge", "ab_" + name, "a_" + name, "b_" + name}).exit_code, 0) << name;
        EXPECT_EQ(here.run({"check", "-c", "ab_" + name}, numbered_lines("a", 200)).out, "200\n") << name;
        EXPECT_EQ(here.run({"check", "-c", "ab_" + name}, numbered_lines("b", 200)).out, "200\n") << name;
    }
}

TEST(merge, the_result_may_replace_an_input_but_no_other_file) {
    const workbench here;
    here.make("a.eb", "anna\n");
    here.make("b.eb", "bert\n");
    here.make("c.eb", "carla\n");
    EXPECT_EQ(here.run({"merge", "a.eb", "a.eb", "b.eb"}).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "a.eb"}, "anna\nbert\n").out, "2\n");
    const std::string before = here.read("c.eb");
    expect_trouble(here.run({"merge", "c.eb", "a.eb", "b.eb"}), "c.eb: already exists");
    EXPECT_EQ(here.read("c.eb"), before);
    EXPECT_EQ(here.run({"merge", "--force", "c.eb", "a.eb", "b.eb"}).exit_code, 0);
}

TEST(merge, says_what_differs_and_in_which_files) {
    const workbench here;
    here.make("a.eb", "anna\n");
    const auto expect_difference = [&](const std::vector<std::string>& how, const std::string& words) {
        here.make("b.eb", "7f00\n", [&] {
            auto all = how;
            all.emplace_back("--force");
            return all;
        }());
        expect_trouble(here.run({"merge", "out.eb", "a.eb", "b.eb"}), words);
    };
    expect_difference({"--kind", "bloom"}, "the kind is counting in a.eb and bloom in b.eb");
    expect_difference({"--capacity", "2000"}, "bits is ");
    expect_difference({"--hash", "xxh3"}, "the hash is siphash in a.eb and xxh3 in b.eb");
    expect_difference({"--key-type", "hex"}, "the key type is text in a.eb and hex in b.eb");
    expect_difference({"--seed", "2"}, "the hash keys of a.eb and b.eb differ");
    EXPECT_EQ(here.listing(), "a.eb b.eb");
}

TEST(merge, past_the_target_rate_it_is_refused) {
    const workbench here;
    here.make("a.eb", numbered_lines("a", 900));
    here.make("b.eb", numbered_lines("b", 900));
    expect_trouble(here.run({"merge", "ab.eb", "a.eb", "b.eb"}), "--overfill");
    EXPECT_EQ(here.run({"merge", "--overfill", "ab.eb", "a.eb", "b.eb"}).exit_code, 0);
}

TEST(merge, promises_that_differ_are_not_kept) {
    const workbench here;
    here.make("a.eb", "anna\n", {"--bits", "40k", "--hashes", "4", "--capacity", "500"});
    here.make("b.eb", "bert\n", {"--bits", "40k", "--hashes", "4", "--capacity", "900"});
    const auto ran = here.run({"merge", "ab.eb", "a.eb", "b.eb"});
    EXPECT_NE(ran.out.find("capacity: not set, the target FPRs of the inputs differ"), std::string::npos)
        << ran.out << ran.err;
}

TEST(merge, one_filter_is_not_enough) {
    const workbench here;
    here.make("a.eb", "anna\n");
    expect_trouble(here.run({"merge", "out.eb", "a.eb"}), "at least two filters");
}

TEST(merge, names_the_filter_that_has_an_exclusion_list) {
    const workbench here;
    here.make("a.eb", "anna\n");
    ASSERT_EQ(here.run({"create", "b.eb", "--like", "a.eb"}, "bert\n").exit_code, 0);
    ASSERT_EQ(here.run({"protect", "a.eb"}, "zoe\n").exit_code, 0);
    for (const auto& inputs : {std::pair{"a.eb", "b.eb"}, std::pair{"b.eb", "a.eb"}}) {
        expect_trouble(here.run({"merge", "c.eb", inputs.first, inputs.second}), "a.eb: has an exclusion list");
    }
    ASSERT_EQ(here.run({"protect", "--drop", "a.eb"}).exit_code, 0);
    EXPECT_EQ(here.run({"merge", "c.eb", "a.eb", "b.eb"}).exit_code, 0);
}

} // namespace
} // namespace everbloom::support
