// Aliases: --items is an old name of --capacity. It works as before, and no help, completion script or manual page shows it.
#include "cli/workbench.hpp"

namespace everbloom::support {
namespace {

bool mentions(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

/// From `begin` up to the next `end`.
std::string part_of(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t at = text.find(begin);
    return at == std::string::npos ? "" : text.substr(at, text.find(end, at + begin.size()) - at);
}

TEST(alias, does_what_the_flag_does) {
    const workbench here;
    here.make("x.eb", numbered_lines("key", 1000), {"--kind", "dleft", "--capacity", "1000", "--fpr", "1%"});
    const auto resized = [&](const std::vector<std::string>& size) {
        std::vector<std::string> arguments{"resize", "x.eb", "--dry-run", "--json"};
        arguments.insert(arguments.end(), size.begin(), size.end());
        const auto ran = here.run(arguments);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return ran.out;
    };
    const std::string by_name = resized({"--capacity", "4000"});
    EXPECT_TRUE(mentions(by_name, "\"items\": 4000")) << by_name;
    EXPECT_EQ(resized({"--items", "4000"}), by_name);
    EXPECT_EQ(resized({"--items=4k"}), by_name);
    for (const std::string flag : {"--capacity", "--items"}) {
        EXPECT_EQ(here.run({"uniq", flag, "10"}, "a\na\nb\n").out, "a\nb\n");
        expect_trouble(here.run({"resize", "x.eb", flag, "many"}), "--capacity: 'many' ");
    }
    expect_trouble(here.run({"resize", "x.eb", "--items"}), "--items needs a value; see 'everbloom resize --help'");
}

TEST(alias, says_the_new_name_once) {
    const workbench here;
    here.make("x.eb", "anna\n", {"--kind", "dleft"});
    const std::string said = "everbloom: --items is now called --capacity; the old name still works\n";
    EXPECT_EQ(here.run({"resize", "x.eb", "--items", "4000", "--fpr", "5%"}).err, said);
    EXPECT_EQ(here.run({"create", "y.eb", "--items", "10", "--seed", "1"}, "anna\n").err, said);
    EXPECT_EQ(here.run({"plan", "--items", "10"}).err, said);
    EXPECT_EQ(here.run({"uniq", "--items", "10"}, "a\n").err, said);
    EXPECT_EQ(here.run({"resize", "x.eb", "--capacity", "5000", "--fpr", "5%"}).err, "");
    EXPECT_EQ(here.run({"simulate", "bloom", "--items", "100", "--trials", "1", "--queries", "10"}).err, "")
        << "its name there";
}

TEST(alias, is_refused_beside_the_flag) {
    const workbench here;
    here.make("x.eb", "anna\n", {"--kind", "dleft"});
    for (const std::vector<std::string>& both : {std::vector<std::string>{"--capacity", "10", "--items", "20"},
                                                 std::vector<std::string>{"--items", "20", "--capacity", "10"}}) {
        std::vector<std::string> arguments{"resize", "x.eb"};
        arguments.insert(arguments.end(), both.begin(), both.end());
        expect_trouble(here.run(arguments), "--capacity is given twice, once by its old name");
    }
}

TEST(alias, is_shown_nowhere) {
    const workbench here;
    for (const std::string command : {"resize", "uniq"}) {
        const std::vector<std::pair<std::string, std::string>> texts{
            {"help", part_of(here.run({command, "--help"}).out, "Options:\n", "\nExamples:\n")},
            {"bash", part_of(here.run({"completion", "bash"}).out, "'" + command + "') flags=", "\n")},
            {"zsh", part_of(here.run({"completion", "zsh"}).out, "_everbloom_" + command + "() {", "\n}\n")},
            {"manual", part_of(here.run({"man", command}).out, "\n.SH OPTIONS", "\n.SH EXAMPLES")},
        };
        for (const auto& [name, text] : texts) {
            EXPECT_TRUE(mentions(text, "capacity")) << command << " in " << name << ": " << text;
            EXPECT_FALSE(mentions(text, "items")) << command << " in " << name << ": " << text;
        }
        const std::string fish = here.run({"completion", "fish"}).out;
        const std::string flag_of_command = "'__everbloom_in \"" + command + "\"' -l ";
        EXPECT_TRUE(mentions(fish, flag_of_command + "capacity ")) << command;
        EXPECT_FALSE(mentions(fish, flag_of_command + "items ")) << command;
        EXPECT_FALSE(mentions(here.run({"completion", "bash"}).out, "'" + command + ":--items'")) << command;
        // A suggestion for a misspelled flag is never an alias.
        expect_trouble(here.run({command, "--itemz", "3"}), "unknown flag --itemz; see ");
    }
}

} // namespace
} // namespace everbloom::support
