// export: a smaller copy that answers for the same keys.
#include "workbench.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace everbloom::support {
namespace {

using nlohmann::json;

TEST(export_command, makes_a_smaller_filter_with_every_key_at_the_fpr) {
    const workbench here;
    here.write("keys.txt", numbered_lines("key ", 5000));
    here.write("absent.txt", numbered_lines("absent ", 20'000));
    for (const std::string kind : {"quotient", "elastic_blocked"}) {
        SCOPED_TRACE(kind);
        ASSERT_EQ(here.run({"create", "x.eb", "keys.txt", "--kind", kind, "--fpr", "0.1%", "--seed", "1", "--force"})
                      .exit_code,
                  0);
        const std::string before = here.read("x.eb");
        const auto ran = here.run({"export", "x.eb", "small.eb", "--fpr", "1%", "--force", "--json"});
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
        const json said = json::parse(ran.out);
        EXPECT_EQ(said["items"], 5000);
        EXPECT_LE(said["fpr_current"].get<double>(), 0.0102);
        EXPECT_LT(said["bytes"].get<double>(), said["bytes_before"].get<double>());
        EXPECT_EQ(here.read("x.eb"), before);
        EXPECT_LT(here.read("small.eb").size(), before.size());
        EXPECT_EQ(here.run({"check", "-c", "small.eb", "keys.txt"}).out, "5000\n");
        EXPECT_LT(std::stod(here.run({"check", "-c", "small.eb", "absent.txt"}).out), 20'000 * 0.013);
        EXPECT_EQ(here.run({"verify", "small.eb"}).exit_code, 0);
    }
}

TEST(export_command, gives_the_smallest_copy_or_the_kind_that_is_named) {
    const workbench here;
    here.write("keys.txt", numbered_lines("key ", 5000));
    for (const std::string kind : {"quotient", "elastic_blocked"}) {
        SCOPED_TRACE(kind);
        const std::string other = kind == "quotient" ? "quotient" : "bloom";
        ASSERT_EQ(here.run({"create", "x.eb", "keys.txt", "--kind", kind, "--fpr", "0.1%", "--seed", "1", "--force"})
                      .exit_code,
                  0);
        for (const std::string& named : {std::string(), std::string("fuse"), other}) {
            std::vector<std::string> words{"export", "x.eb", "small.eb", "--fpr", "1%", "--force", "--json"};
            if (!named.empty()) words.insert(words.end(), {"--kind", named});
            const auto ran = here.run(words);
            ASSERT_EQ(ran.exit_code, 0) << ran.err;
            const json said = json::parse(ran.out);
            EXPECT_EQ(said["kind"], named.empty() ? "fuse" : named);
            EXPECT_EQ(here.run({"check", "-c", "small.eb", "keys.txt"}).out, "5000\n");
        }
        expect_trouble(here.run({"export", "x.eb", "small.eb", "--kind", "blocked", "--force"}),
                       "can be of the kinds " + other + " and fuse, not blocked");
        expect_trouble(here.run({"export", "x.eb", "small.eb", "--kind", "nothing", "--force"}), "there is no kind");
    }
}

TEST(export_command, a_copy_of_kind_fuse_refuses_changes_in_words) {
    const workbench here;
    here.write("keys.txt", numbered_lines("key ", 2000));
    ASSERT_EQ(here.run({"create", "x.eb", "keys.txt"}).exit_code, 0);
    ASSERT_EQ(here.run({"export", "x.eb", "small.eb", "--kind", "fuse"}).exit_code, 0);
    const std::string before = here.read("small.eb");
    expect_trouble(here.run({"add", "small.eb", "keys.txt"}), "export that again");
    expect_trouble(here.run({"remove", "small.eb", "keys.txt"}), "fuse filter");
    expect_trouble(here.run({"merge", "out.eb", "small.eb", "small.eb"}), "cannot be merged");
    expect_trouble(here.run({"resize", "small.eb", "--capacity", "1M"}), "fuse");
    expect_trouble(here.run({"sync", "small.eb", "keys.txt"}), "its list is missing");
    expect_trouble(here.run({"sync", "new.eb", "keys.txt", "--kind", "fuse"}), "sync cannot update it");
    expect_trouble(here.run({"export", "small.eb", "again.eb", "--fpr", "5%"}), "keeps too little");
    EXPECT_EQ(here.read("small.eb"), before);
    EXPECT_EQ(here.run({"show", "small.eb"}).exit_code, 0);
    here.write("absent.txt", numbered_lines("absent ", 3000));
    EXPECT_EQ(here.run({"protect", "small.eb", "absent.txt"}).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "small.eb", "absent.txt"}).out, "0\n");
    EXPECT_EQ(here.run({"check", "-c", "small.eb", "keys.txt"}).out, "2000\n");
}

TEST(export_command, takes_the_target_fpr_of_the_filter_if_none_is_given) {
    const workbench here;
    here.write("keys.txt", numbered_lines("key ", 1000));
    ASSERT_EQ(here.run({"create", "x.eb", "keys.txt", "--fpr", "2%"}).exit_code, 0);
    const auto ran = here.run({"export", "x.eb", "small.eb", "--json"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(json::parse(ran.out)["agreed"]["fpr"], 0.02);
}

TEST(export_command, refuses_in_words_and_writes_nothing) {
    const workbench here;
    here.write("keys.txt", numbered_lines("key ", 1000));
    ASSERT_EQ(here.run({"create", "x.eb", "keys.txt", "--kind", "quotient", "--fpr", "1%", "--growth", "1x"}).exit_code,
              0);
    ASSERT_EQ(here.run({"create", "b.eb", "keys.txt", "--kind", "bloom"}).exit_code, 0);
    expect_trouble(here.run({"export", "b.eb", "out.eb", "--fpr", "1%"}),
                   "kinds that keep enough: elastic_blocked and quotient");
    expect_trouble(here.run({"export", "x.eb", "out.eb", "--fpr", "0.01%"}), "lower FPR than the filter itself");
    expect_trouble(here.run({"export", "x.eb", "out.eb", "--fpr", "2"}), "--fpr");
    expect_trouble(here.run({"export", "x.eb", "x.eb", "--fpr", "1%"}), "x.eb");
    EXPECT_FALSE(std::filesystem::exists(here.path() / "out.eb"));
    here.write("out.eb", "something else\n");
    expect_trouble(here.run({"export", "x.eb", "out.eb", "--fpr", "5%", "--force"}), "out.eb");
    EXPECT_EQ(here.read("out.eb"), "something else\n");
}

} // namespace
} // namespace everbloom::support
