// watch: a changed list is followed, however it is replaced; a bad one is not, and the watch goes on.
#include "cli/workbench.hpp"

namespace everbloom::support {
namespace {

TEST(watch, follows_a_list_that_is_replaced_or_written) {
    const workbench here;
    here.write("list", "anna\nbert\n");
    running_program program({"watch", here / "x.eb", here / "list", "--settle", "0.01", "--syncs", "3"});
    EXPECT_TRUE(program.says("2 keys added, 0 removed"));
    here.write("new", "anna\ncarla\n");
    std::filesystem::rename(here / "new", here / "list");
    EXPECT_TRUE(program.says("1 key added, 1 removed"));
    here.write("list", "anna\ncarla\ndora\n");
    const auto ended = program.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find("1 key added, 0 removed"), std::string::npos) << ended.out;
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\ncarla\ndora\n").out, "anna\ncarla\ndora\n");
}

TEST(watch, a_directory_is_all_lists_in_it_and_an_empty_list_changes_nothing) {
    const workbench here;
    std::filesystem::create_directory(here / "lists");
    here.write("lists/a", "anna\n");
    running_program program({"watch", here / "x.eb", here / "lists", "--settle", "0.01"});
    EXPECT_TRUE(program.says("1 key added"));
    here.write("lists/b", "bert\n");
    EXPECT_TRUE(program.says("2 keys,"));
    std::filesystem::remove(here / "lists/a");
    EXPECT_TRUE(program.says("0 keys added, 1 removed"));
    const std::string before = here.read("x.eb");
    here.write("lists/b", ""); // a failed download
    here.write("lists/c", "");
    here.write("lists/d", "carla\n");
    EXPECT_TRUE(program.says("1 key added, 1 removed"));
    program.signal(SIGINT);
    const auto ended = program.wait();
    EXPECT_EQ(ended.exit_code, 128 + SIGINT);
    EXPECT_NE(ended.err.find("everbloom: interrupted after"), std::string::npos) << ended.err;
    EXPECT_NE(here.read("x.eb"), before);
}

TEST(watch, refuses_what_cannot_be_watched) {
    const workbench here;
    expect_trouble(here.run({"watch", "x.eb"}), "no list given");
    expect_trouble(here.run({"watch", "x.eb", "-"}), "standard input cannot be watched");
    expect_trouble(here.run({"watch", "x.eb", "missing/list"}), "missing/list: cannot watch it");
    expect_trouble(here.run({"watch", "x.eb", "list", "--settle", "-1"}), "--settle");
}

} // namespace
} // namespace everbloom::support
