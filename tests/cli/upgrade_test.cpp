// Upgrading from 0.1: the program opens every file of that time (the golden files), and its commands work on them.
#include "cli/workbench.hpp"
#include "golden/recipe.hpp"

namespace everbloom::support {
namespace {

/// A copy, because the commands change it.
void take_golden(const workbench& here, std::string_view kind) {
    std::filesystem::copy_file(golden::path_of(kind), here / "old.eb",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::permissions(here / "old.eb", std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
}

TEST(upgrade, every_file_of_0_1_is_verified_shown_and_asked) {
    std::string members;
    for (std::uint64_t i = golden::removed; i < golden::members; ++i) members += golden::nth_key(i) + "\n";
    for (const kind_info& kind : known_kinds()) {
        const workbench here;
        take_golden(here, kind.name);
        here.write("members.txt", members);
        EXPECT_EQ(here.run({"verify", "old.eb"}).exit_code, 0) << kind.name;
        EXPECT_EQ(shown(here, "old.eb")["kind"], kind.name);
        const auto asked = here.run({"check", "old.eb", "members.txt"});
        if (kind.name != "tombstone") { // whose removals lose members
            EXPECT_EQ(asked.out, members) << kind.name;
        }
        EXPECT_EQ(asked.err, "") << kind.name;
    }
}

TEST(upgrade, every_file_of_0_1_is_changed_and_saved) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        const workbench here;
        take_golden(here, kind.name);
        const auto added = here.run({"add", "old.eb", "--overfill"}, "a new key\n");
        EXPECT_EQ(added.exit_code, 0) << kind.name << ": " << added.err;
        EXPECT_EQ(here.run({"check", "old.eb"}, "a new key\n").out, "a new key\n") << kind.name;
        EXPECT_EQ(here.run({"verify", "old.eb"}).exit_code, 0) << kind.name;
    }
}

} // namespace
} // namespace everbloom::support
