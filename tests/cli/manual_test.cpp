// Every command has a manual page with everything that its help has, and man can show all of them.
#include "cli/help_reader.hpp"

#include <filesystem>
#include <set>

namespace everbloom::support {
namespace {

/// As the page writes it.
std::string in_roff(const std::string& text) {
    std::string made;
    for (const char c : text) {
        made += c == '-' ? "\\-" : c == '\'' ? "\\(aq" : c == '\\' ? "\\e" : std::string(1, c);
    }
    return made;
}

void expect_sections(const std::string& page, const std::vector<std::string>& titles) {
    std::size_t at = 0;
    for (const std::string& title : titles) {
        const std::size_t found = page.find("\n.SH " + title + "\n", at);
        ASSERT_NE(found, std::string::npos) << title << " in " << page.substr(0, 80);
        at = found;
    }
}

/// "everbloom-gate-generate"
std::string page_of(const std::vector<std::string>& command) {
    std::string name = "everbloom";
    for (const std::string& word : command) name += "-" + word;
    return name;
}

TEST(manual, of_the_program_has_the_usual_sections_and_names_every_page) {
    const workbench here;
    const auto ran = here.run({"man"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(ran.out.starts_with(".TH EVERBLOOM 1 2")) << ran.out.substr(0, 80);
    expect_sections(ran.out, {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXAMPLES", "\"EXIT STATUS\"",
                              "ENVIRONMENT", "FILES", "\"SEE ALSO\""});
    for (const auto& command : commands_in_help(here)) {
        EXPECT_NE(ran.out.find("\n.BR " + in_roff(page_of(command)) + " (1)\n"), std::string::npos) << page_of(command);
    }
}

TEST(manual, of_every_command_has_its_flags_and_examples) {
    const workbench here;
    for (const std::vector<std::string>& command : commands_in_help(here)) {
        const std::string name = page_of(command);
        std::vector<std::string> words{"man"};
        words.insert(words.end(), command.begin(), command.end());
        const auto ran = here.run(words);
        EXPECT_EQ(ran.exit_code, 0) << name << ran.err;
        const std::string& page = ran.out;
        expect_sections(page,
                        {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "\"EXIT STATUS\"", "\"SEE ALSO\""});
        EXPECT_NE(page.find("\n.SH NAME\n" + in_roff(name) + " \\- "), std::string::npos) << page.substr(0, 200);
        words = command;
        words.emplace_back("--help");
        const std::string help = here.run(words).out;
        for (const std::string& flag : flags_in_help(help)) {
            EXPECT_NE(page.find("\\fB" + in_roff(flag) + "\\fP"), std::string::npos) << name << " " << flag;
        }
        for (const std::string& example : examples_in_help(help)) {
            EXPECT_NE(page.find("\n" + in_roff(example) + "\n"), std::string::npos) << example;
        }
    }
}

TEST(manual, is_written_as_one_file_per_page) {
    const workbench here;
    const auto ran = here.run({"man", "--out", "pages/man1"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    std::set<std::string> expected{"everbloom.1"};
    for (const auto& command : commands_in_help(here)) expected.insert(page_of(command) + ".1");
    std::set<std::string> found;
    for (const auto& one : std::filesystem::directory_iterator(here.path() / "pages/man1"))
        found.insert(one.path().filename().string());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(here.read("pages/man1/everbloom-gate-generate.1"), here.run({"man", "gate", "generate"}).out);
}

TEST(manual, refuses_what_it_cannot_do) {
    const workbench here;
    here.write("file", "");
    expect_trouble(here.run({"man", "crate"}), "'crate' is not a command; 'everbloom --help' lists them");
    expect_trouble(here.run({"man", "--out", "file"}), "--out: file: ");
    expect_trouble(here.run({"man", "create", "--out", "x"}), "--out");
}

TEST(manual, man_has_nothing_to_complain_about_where_its_programs_are_installed) {
    const workbench here;
    const auto ran =
        here.shell("everbloom man --out pages && for page in pages/*.1; do test -s $page; "
                   "{ ! command -v groff > /dev/null || groff -man -ww -z -Tutf8 $page; } && "
                   "{ ! command -v mandoc > /dev/null || mandoc -Tlint -W warning $page >&2; } || exit 1; done");
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.err, "");
}

} // namespace
} // namespace everbloom::support
