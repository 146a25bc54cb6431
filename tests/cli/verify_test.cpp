#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

namespace everbloom::support {
namespace {

TEST(verify, an_intact_file_of_every_kind_passes) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        const std::string name(kind.name);
        here.make(name, numbered_lines("key", 500), {"--kind", name});
        const auto ran = here.run({"verify", name});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(ran.out.find(name + ": intact\n"), 0U) << ran.out;
        EXPECT_NE(here.run({"verify", "--json", name}).out.find(R"("intact": true)"), std::string::npos);
    }
}

TEST(verify, damage_is_named_with_section_and_bytes) {
    const workbench here;
    here.make("x.eb", numbered_lines("key", 500));
    std::string bytes = here.read("x.eb");
    bytes[bytes.size() / 2] ^= 1;
    here.write("x.eb", bytes);
    expect_trouble(here.run({"verify", "x.eb"}), "x.eb: section 0 is damaged (checksum mismatch) between bytes");
    const auto ran = here.run({"verify", "--json", "x.eb"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_NE(ran.out.find(R"("intact": false)"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find(R"("reason": "damaged")"), std::string::npos) << ran.out;
}

TEST(verify, a_shortened_file_is_refused_by_every_command) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::string bytes = here.read("x.eb");
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{4}, std::size_t{40}, std::size_t{100}, bytes.size() - 1}) {
        here.write("short.eb", std::string_view(bytes).substr(0, length));
        for (const std::string command : {"verify", "check", "add", "remove"}) {
            expect_trouble(here.run({command, "short.eb"}, command == "verify" ? "" : "anna\n"), "short.eb: ");
        }
        EXPECT_EQ(here.read("short.eb").size(), length);
    }
}

TEST(verify, other_files_are_not_filters) {
    const workbench here;
    here.write("names.txt", "anna\n");
    expect_trouble(here.run({"verify", "names.txt"}), "names.txt: is not an everbloom filter");
    expect_trouble(here.run({"verify", "missing.eb"}), "missing.eb: cannot open it: No such file or directory");
    expect_trouble(here.run({"verify", "."}), "is a directory");
}

TEST(verify, several_files_are_a_table_and_a_damaged_one_hides_no_other) {
    const workbench here;
    here.make("a.eb", "anna\n");
    here.make("b.eb", "bert\n");
    here.make("c.eb", "carla\n");
    std::string bytes = here.read("b.eb");
    bytes[bytes.size() - 1] = static_cast<char>(bytes[bytes.size() - 1] ^ 1);
    here.write("b.eb", bytes);
    const auto ran = here.run({"verify", "a.eb", "b.eb", "c.eb"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(line_count(ran.out), 4U) << ran.out;
    EXPECT_EQ(line_count(ran.err), 1U) << ran.err;
    EXPECT_NE(ran.err.find("b.eb"), std::string::npos) << ran.err;
    EXPECT_EQ(here.run({"verify", "a.eb", "c.eb"}).exit_code, 0);
}

} // namespace
} // namespace everbloom::support
