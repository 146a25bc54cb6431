// watch: a changed list is followed, however it is replaced; a bad one is not, and the watch goes on.
#include "cli/workbench.hpp"

#include <chrono>
#include <thread>

namespace everbloom::support {
namespace {

/// Waits until the filter holds exactly these of the names; a minute, if it never does.
bool holds(const workbench& here, const std::string& wanted) {
    for (int tries = 0; tries < 1200; ++tries) {
        if (here.run({"check", "x.eb"}, "anna\nbert\ncarla\ndora\n").out == wanted) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

TEST(watch, follows_a_list_that_is_replaced_or_written) {
    const workbench here;
    here.write("list", "anna\nbert\n");
    running_program program({"watch", here / "x.eb", here / "list", "--settle", "0.01", "--syncs", "3"});
    EXPECT_TRUE(holds(here, "anna\nbert\n"));
    here.write("new", "anna\ncarla\n");
    std::filesystem::rename(here / "new", here / "list");
    EXPECT_TRUE(holds(here, "anna\ncarla\n"));
    here.write("list", "anna\ncarla\ndora\n");
    const auto ended = program.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(line_count(ended.out), 3U) << ended.out;
    EXPECT_TRUE(holds(here, "anna\ncarla\ndora\n"));
}

TEST(watch, a_directory_is_all_lists_in_it_and_an_empty_list_changes_nothing) {
    const workbench here;
    std::filesystem::create_directory(here / "lists");
    here.write("lists/a", "anna\n");
    running_program program({"watch", here / "x.eb", here / "lists", "--settle", "0.01"});
    EXPECT_TRUE(holds(here, "anna\n"));
    here.write("lists/b", "bert\n");
    EXPECT_TRUE(holds(here, "anna\nbert\n"));
    std::filesystem::remove(here / "lists/a");
    EXPECT_TRUE(holds(here, "bert\n"));
    here.write("lists/b", ""); // a failed download: no keys at all
    here.write("lists/d", "carla\n");
    EXPECT_TRUE(holds(here, "carla\n"));
    program.signal(SIGINT);
    const auto ended = program.wait();
    EXPECT_EQ(ended.exit_code, 128 + SIGINT);
    EXPECT_NE(ended.err.find("everbloom: interrupted after"), std::string::npos) << ended.err;
}

TEST(watch, follows_both_lists_of_networks_with_protected_ones) {
    const workbench here;
    here.write("list", "10.0.0.0/8\n20.0.0.0/8\n");
    here.write("good", "20.0.0.0/16\n");
    running_program program({"watch", here / "x.eb", here / "list", "--settle", "0.01", "--key-type", "cidr",
                             "--protect", here / "good", "--protect-wins"});
    const auto matches = [&](const std::string& wanted) {
        for (int tries = 0; tries < 1200; ++tries) {
            if (here.run({"check", "x.eb"}, "10.1.2.3\n20.0.0.1\n30.1.2.3\n30.0.0.1\n").out == wanted) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return false;
    };
    // The network that contains a protected one is left out.
    EXPECT_TRUE(matches("10.1.2.3\n"));
    here.write("list", "10.0.0.0/8\n30.0.0.0/8\n");
    EXPECT_TRUE(matches("10.1.2.3\n30.1.2.3\n30.0.0.1\n"));
    here.write("good", "30.0.0.0/16\n");
    EXPECT_TRUE(matches("10.1.2.3\n"));
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit_code, 128 + SIGINT);
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
