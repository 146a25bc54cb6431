// Patches of filter files: the copy becomes the same file, byte for byte; another base or a damaged patch changes nothing.
#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

namespace everbloom::support {
namespace {

TEST(delta, updates_a_copy_to_the_same_bytes) {
    const workbench here;
    for (const std::string kind : {"quotient", "elastic_blocked", "bloom", "counting", "dleft"}) {
        SCOPED_TRACE(kind);
        here.write("monday.txt", numbered_lines("key", 5000));
        here.write("tuesday.txt", numbered_lines("key", 4990) + numbered_lines("new", 20));
        ASSERT_EQ(here.run({"sync", kind + ".eb", "monday.txt", "--kind", kind, "--seed", "1", "-q"}).exit_code, 0);
        here.write("copy.eb", here.read(kind + ".eb"));
        ASSERT_EQ(here.run({"sync", kind + ".eb", "tuesday.txt", "-q"}).exit_code, 0);
        const auto made = here.run({"delta", "copy.eb", kind + ".eb", "day.patch", "--json"});
        ASSERT_EQ(made.exit_code, 0) << made.err;
        const auto said = nlohmann::json::parse(made.out);
        EXPECT_EQ(said["patch_bytes"], here.read("day.patch").size());
        if (kind != "bloom") { // rebuilt, because keys were removed
            EXPECT_LT(said["patch_bytes"].get<double>(), 0.25 * said["to_bytes"].get<double>()) << made.out;
        }
        // A header of 72 bytes, the frame of zstd, and about three bytes for each of the 30 changed keys.
        if (kind == "quotient") {
            EXPECT_LT(said["patch_bytes"], 72 + 20 + 3 * 30 + 40) << made.out;
        }
        const std::string copy = here.read("copy.eb");
        ASSERT_EQ(here.run({"apply", "copy.eb", "day.patch", "--out", "other.eb", "-q"}).exit_code, 0);
        EXPECT_EQ(here.read("copy.eb"), copy);
        ASSERT_EQ(here.run({"apply", "copy.eb", "day.patch", "-q"}).exit_code, 0);
        EXPECT_EQ(here.read("copy.eb"), here.read(kind + ".eb"));
        EXPECT_EQ(here.read("other.eb"), here.read(kind + ".eb"));
        const auto again = here.run({"apply", "copy.eb", "day.patch"});
        EXPECT_EQ(again.exit_code, 0);
        EXPECT_NE(again.out.find("is up to date already"), std::string::npos) << again.out;
        std::filesystem::remove(here / "other.eb");
    }
}

TEST(delta, refuses_another_base_and_what_is_no_patch) {
    const workbench here;
    here.make("a.eb", numbered_lines("a", 50));
    here.make("b.eb", numbered_lines("b", 50));
    here.make("c.eb", numbered_lines("c", 50));
    here.write("keys.txt", "anna\n");
    ASSERT_EQ(here.run({"delta", "a.eb", "b.eb", "ab.patch"}).exit_code, 0);
    const std::string before = here.read("c.eb");
    expect_trouble(here.run({"apply", "c.eb", "ab.patch"}), "c.eb: the patch is for another file");
    EXPECT_EQ(here.read("c.eb"), before);
    expect_trouble(here.run({"apply", "a.eb", "keys.txt"}), "keys.txt: is not a patch of 'everbloom delta'");
    expect_trouble(here.run({"apply", "keys.txt", "ab.patch"}), "keys.txt");
    expect_trouble(here.run({"delta", "a.eb", "keys.txt", "x.patch"}), "keys.txt");
    expect_trouble(here.run({"delta", "a.eb", "b.eb", "c.eb"}), "c.eb: is a filter and is not overwritten");
    expect_trouble(here.run({"delta", "a.eb", "b.eb", "a.eb"}), "a.eb: is an input of this command");
}

TEST(delta, every_damaged_byte_of_a_patch_is_noticed) {
    const workbench here;
    here.make("a.eb", numbered_lines("a", 20), {"--capacity", "50"});
    here.make("b.eb", numbered_lines("a", 25), {"--capacity", "50"});
    ASSERT_EQ(here.run({"delta", "a.eb", "b.eb", "ab.patch"}).exit_code, 0);
    const std::string patch = here.read("ab.patch");
    const std::string before = here.read("a.eb");
    for (std::size_t at = 0; at < patch.size(); at += at < 80 ? 5 : 11) {
        std::string bad = patch;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        here.write("bad.patch", bad);
        EXPECT_EQ(here.run({"apply", "a.eb", "bad.patch"}).exit_code, 2) << "byte " << at;
        EXPECT_EQ(here.read("a.eb"), before) << "byte " << at;
    }
    for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{71}, patch.size() - 1}) {
        here.write("bad.patch", patch.substr(0, length));
        EXPECT_EQ(here.run({"apply", "a.eb", "bad.patch"}).exit_code, 2) << length << " bytes";
    }
    here.write("bad.patch", patch + "x");
    EXPECT_EQ(here.run({"apply", "a.eb", "bad.patch"}).exit_code, 2);
    EXPECT_EQ(here.read("a.eb"), before);
}

} // namespace
} // namespace everbloom::support
