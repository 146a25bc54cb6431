// The old file or the new one, whole, whatever happens: full disks, two writers, signals, links.
#include "cli/workbench.hpp"

#include <sys/stat.h>

namespace everbloom::support {
namespace {

namespace fs = std::filesystem;

TEST(file_safety, a_disk_that_is_too_small_leaves_the_old_file) {
    const workbench here;
    here.make("x.eb", "anna\n", {"--capacity", "100k"});
    const std::string before = here.read("x.eb");
    for (const std::string command : {"add", "remove"}) {
        const auto ran = run_program(
            {command, "x.eb"}, {.input = "anna\n", .directory = here.path().string(), .largest_file_bytes = 65536});
        expect_trouble(ran, "x.eb: cannot write it: File too large");
        EXPECT_EQ(here.read("x.eb"), before);
        EXPECT_EQ(here.listing(), "x.eb");
    }
    const auto ran = run_program({"create", "y.eb", "--capacity", "100k"},
                                 {.directory = here.path().string(), .largest_file_bytes = 65536});
    expect_trouble(ran, "y.eb: cannot write it: File too large");
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(file_safety, two_writers_exclude_each_other) {
    const workbench here;
    here.make("x.eb", "anna\n");
    running_program first({"add", "--new", here / "x.eb"});
    first.send("bert\n");
    ASSERT_TRUE(first.says("bert\n")); // so it holds the lock, and waits for more
    expect_trouble(here.run({"add", "x.eb"}, "carla\n"), "x.eb: is busy");
    expect_trouble(here.run({"remove", "x.eb"}, "anna\n"), "x.eb: is busy");
    expect_trouble(here.run({"create", "--force", "x.eb"}, "anna\n"), "x.eb: is busy");
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\n").out, "anna\n"); // readers see the old file
    EXPECT_EQ(first.finish().exit_code, 0);
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\n").out, "anna\nbert\n");
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(file_safety, an_interrupted_writer_changes_nothing_and_leaves_nothing) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const workbench here;
        here.make("x.eb", "anna\n");
        const std::string before = here.read("x.eb");
        running_program program({"add", "--new", here / "x.eb"});
        program.send("bert\n");
        ASSERT_TRUE(program.says("bert\n"));
        program.signal(signal);
        const auto ended = program.wait();
        EXPECT_EQ(ended.exit_code, 128 + signal);
        EXPECT_EQ(ended.err, "everbloom: interrupted; " + (here / "x.eb") +
                                 " was not changed, but 1 key was already printed as new\n");
        EXPECT_EQ(here.read("x.eb"), before);
        EXPECT_EQ(here.listing(), "x.eb");
    }
}

TEST(file_safety, a_reader_that_goes_away_while_keys_are_added_changes_nothing) {
    const workbench here;
    here.make("x.eb", "anna\n", {"--capacity", "1M"});
    const std::string before = here.read("x.eb");
    running_program program({"add", "--new", here / "x.eb"});
    program.send("bert\n");
    ASSERT_TRUE(program.says("bert\n"));
    program.stop_reading();
    program.send("carla\n");
    EXPECT_EQ(program.wait().exit_code, 128 + SIGPIPE);
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(file_safety, a_writer_killed_while_it_saves_leaves_a_whole_file) {
    const workbench here;
    here.make("x.eb", "anna\n", {"--capacity", "10M"}); // 72 MB: saving takes a while
    const std::string before = here.read("x.eb");
    for (const int signal : {SIGINT, SIGKILL}) {
        running_program program({"add", "--quiet", here / "x.eb"}, {.input = "bert\n"});
        program.close_input();
        // The temporary file grows when saving has begun.
        const std::string temporary = here / ".x.eb.eb-new";
        struct stat seen {};
        while (program.is_running() && (::stat(temporary.c_str(), &seen) != 0 || seen.st_size == 0)) {
        }
        program.signal(signal);
        program.wait();
        const auto verified = here.run({"verify", "x.eb"});
        EXPECT_EQ(verified.exit_code, 0) << verified.err;
        EXPECT_EQ(here.run({"check", "x.eb"}, "anna\n").out, "anna\n");
    }
    // What the killed one left behind does not disturb the next.
    EXPECT_EQ(here.run({"add", "--quiet", "x.eb"}, "carla\n").exit_code, 0);
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(file_safety, permissions_stay_as_the_owner_set_them) {
    const workbench here;
    here.make("x.eb", "anna\n");
    fs::permissions(here / "x.eb", fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    EXPECT_EQ(here.run({"add", "x.eb"}, "bert\n").exit_code, 0);
    EXPECT_EQ(fs::status(here / "x.eb").permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST(file_safety, a_symbolic_link_stays_a_link) {
    const workbench here;
    fs::create_directory(here.path() / "store");
    here.make("store/x.eb", "anna\n");
    fs::create_symlink("store/x.eb", here.path() / "link.eb");
    EXPECT_EQ(here.run({"add", "link.eb"}, "bert\n").exit_code, 0);
    EXPECT_TRUE(fs::is_symlink(here.path() / "link.eb"));
    EXPECT_EQ(here.run({"check", "store/x.eb"}, "anna\nbert\n").out, "anna\nbert\n");
    expect_trouble(here.run({"create", "link.eb"}, "anna\n"), "link.eb: already exists");
    fs::create_symlink("nowhere.eb", here.path() / "dangling.eb");
    EXPECT_EQ(here.run({"add", "dangling.eb"}, "bert\n").exit_code, 2);
}

TEST(file_safety, damage_never_answers) {
    const workbench here;
    here.make("x.eb", numbered_lines("key", 200));
    const std::string good = here.read("x.eb");
    for (std::size_t at = 0; at < good.size(); at += 97) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        here.write("bad.eb", bad);
        const auto ran = here.run({"check", "-v", "bad.eb"}, "key1\nzoe\n");
        EXPECT_EQ(ran.exit_code, 2) << at;
        EXPECT_EQ(ran.out, "") << at;
    }
}

} // namespace
} // namespace everbloom::support
