// The manual page has everything that the help has, and is a page that man can show.
#include "cli/help_reader.hpp"

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

TEST(manual, has_the_usual_sections_in_the_usual_order) {
    const workbench here;
    const auto ran = here.run({"man"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(ran.out.starts_with(".TH EVERBLOOM 1 \"\" \"everbloom ")) << ran.out.substr(0, 80);
    std::size_t at = 0;
    for (const std::string title : {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXAMPLES", "\"EXIT STATUS\"",
                                    "ENVIRONMENT", "FILES", "\"SEE ALSO\""}) {
        at = ran.out.find("\n.SH " + title + "\n", at);
        ASSERT_NE(at, std::string::npos) << title;
    }
}

TEST(manual, has_every_command_with_its_flags_and_examples) {
    const workbench here;
    const std::string page = here.run({"man"}).out;
    for (std::vector<std::string> words : commands_in_help(here)) {
        std::string name = words.front();
        for (std::size_t i = 1; i < words.size(); ++i) name += " " + words[i];
        const std::size_t begin = page.find("\n.SS \\fB" + name + "\\fP\n");
        ASSERT_NE(begin, std::string::npos) << name;
        const std::string section = page.substr(begin, page.find("\n.S", begin + 1) - begin);
        words.emplace_back("--help");
        const std::string help = here.run(words).out;
        for (const std::string& flag : flags_in_help(help)) {
            if (flag == "-h" || flag == "--help") continue;
            EXPECT_NE(section.find("\\fB" + in_roff(flag) + "\\fP"), std::string::npos) << name << " " << flag;
        }
        for (const std::string& example : examples_in_help(help)) {
            EXPECT_NE(page.find("\n" + in_roff(example) + "\n"), std::string::npos) << example;
        }
    }
}

TEST(manual, groff_has_nothing_to_complain_about_where_it_is_installed) {
    const workbench here;
    const auto ran = here.shell("everbloom man > page && test -s page && "
                                "{ ! command -v groff > /dev/null || groff -man -ww -z -Tutf8 page; }");
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.err, "");
}

} // namespace
} // namespace everbloom::support
