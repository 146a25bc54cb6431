// Completion scripts, used as a shell uses them; each knows every flag that the help knows.
#include "cli/help_reader.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <map>
#include <set>

namespace everbloom::support {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
    std::string made;
    for (const std::string& word : words) made += (made.empty() ? "" : between) + word;
    return made;
}

/// The flags of every command, by the words that call it.
std::map<std::string, std::vector<std::string>> flags_of_commands(const workbench& here) {
    std::map<std::string, std::vector<std::string>> found{{"", flags_in_help(here.run({"--help"}).out)}};
    for (const std::vector<std::string>& words : commands_in_help(here)) {
        const std::string name = joined(words, " ");
        found[name] = flags_in_help(help_with_all_kinds(here, words));
    }
    return found;
}

/// What bash offers for each of these lines; the last word is the one that is being typed, a blank at the end begins a new one.
std::vector<std::set<std::string>> bash_offers(const workbench& here, const std::vector<std::string>& lines) {
    std::string script = "source ./everbloom.bash || exit 9\n";
    for (const std::string& line : lines) {
        script +=
            "COMP_WORDS=(" + line + (line.ends_with(' ') ? " ''" : "") + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n";
        script += "_everbloom\nprintf '%s\\n' \"${COMPREPLY[@]}\" ---\n";
    }
    here.write("everbloom.bash", here.run({"completion", "bash"}).out);
    const auto ran = run_program({"--norc", "-c", script}, {.directory = here.path().string(), .program = "/bin/bash"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    std::vector<std::set<std::string>> offers(1);
    std::istringstream printed(ran.out);
    for (std::string word; std::getline(printed, word);) {
        if (word == "---") {
            offers.emplace_back();
        } else if (!word.empty()) {
            offers.back().insert(word);
        }
    }
    offers.pop_back();
    EXPECT_EQ(offers.size(), lines.size());
    return offers;
}

TEST(completion, bash_offers_the_flags_that_the_help_has_for_every_command) {
    const workbench here;
    const auto flags = flags_of_commands(here);
    std::vector<std::string> lines;
    for (const auto& [command, names] : flags) lines.push_back("everbloom " + command + " -");
    const auto offers = bash_offers(here, lines);
    std::size_t at = 0;
    for (const auto& [command, names] : flags) {
        EXPECT_GE(names.size(), 2U) << command;
        EXPECT_EQ(offers.at(at++), std::set<std::string>(names.begin(), names.end())) << command;
    }
}

TEST(completion, bash_offers_commands_kinds_papers_words_and_files) {
    const workbench here;
    here.write("block.txt", "");
    std::filesystem::create_directory(here.path() / "blue folder");
    std::set<std::string> kinds;
    std::set<std::string> kinds_in_bl;
    for (const kind_info& kind : known_kinds()) {
        kinds.emplace(kind.name);
        if (kind.name.starts_with("bl")) kinds_in_bl.emplace(kind.name);
    }
    const std::vector<std::pair<std::string, std::set<std::string>>> expected{
        {"everbloom cre", {"create"}},
        {"everbloom create x.eb --kind ", kinds},
        {"everbloom create x.eb --kind bl", kinds_in_bl},
        {"everbloom create x.eb --kind = bl", kinds_in_bl}, // so bash splits --kind=bl
        {"everbloom create x.eb --kind =", kinds},
        {"everbloom sync x.eb --kind bl", kinds_in_bl},
        {"everbloom simulate bl", kinds_in_bl},
        {"everbloom gate --good-kind ", kinds},
        {"everbloom gate gen", {"generate"}},
        {"everbloom gate generate --pack", {"--packets"}},
        {"everbloom gate generate --packets ", {}},
        {"everbloom gate --state b", {"blue folder"}},
        {"everbloom reproduce d", {"dfp", "dleft"}},
        {"everbloom reproduce --scale ", {"glance", "quick", "full"}},
        {"everbloom completion ", {"bash", "zsh", "fish"}},
        {"everbloom add x.eb bl", {"block.txt", "blue folder"}},
        {"everbloom add create bl", {"block.txt", "blue folder"}}, // a file called as a command
        {"everbloom add x.eb --key-type ", {"text", "u64", "ip", "hex", "domain", "cidr"}},
    };
    std::vector<std::string> lines;
    for (const auto& [line, words] : expected) lines.push_back(line);
    const auto offers = bash_offers(here, lines);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(offers.at(i), expected[i].second) << lines[i];
}

TEST(completion, the_scripts_for_zsh_and_fish_have_the_flags_that_the_help_has) {
    const workbench here;
    const std::string zsh = here.run({"completion", "zsh"}).out;
    const std::string fish = "\n" + here.run({"completion", "fish"}).out;
    for (const auto& [command, names] : flags_of_commands(here)) {
        std::string name_of_function = "_everbloom" + (command.empty() ? "" : "_" + command);
        std::replace(name_of_function.begin(), name_of_function.end(), ' ', '_');
        const std::string function = "\n" + name_of_function + "() {\n";
        const std::size_t begin = zsh.find(function);
        ASSERT_NE(begin, std::string::npos) << function;
        const std::string body = zsh.substr(begin, zsh.find("\n}\n", begin) - begin);
        for (const std::string& name : names) {
            EXPECT_NE(std::min(body.find("'" + name + "["), body.find("'*" + name + "[")), std::string::npos)
                << command << " " << name;
            const std::string line = "\ncomplete -c everbloom -n '__everbloom_in \"" + command + "\"'";
            const std::string wanted =
                name.starts_with("--") ? " -l " + name.substr(2) + " " : " -s " + name.substr(1) + " ";
            bool found = false;
            for (std::size_t at = 0; !found && (at = fish.find(line, at)) != std::string::npos; ++at) {
                found = fish.substr(at, fish.find('\n', at + 1) - at).find(wanted) != std::string::npos;
            }
            EXPECT_TRUE(found) << command << " " << name;
        }
    }
}

TEST(completion, every_shell_that_is_here_can_read_its_script) {
    const workbench here;
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const auto ran = here.shell("everbloom completion " + shell + " > script && test -s script && { ! command -v " +
                                    shell + " > /dev/null || " + shell + " -n script; }");
        EXPECT_EQ(ran.exit_code, 0) << shell << ": " << ran.err;
        EXPECT_EQ(ran.err, "") << shell;
    }
    expect_trouble(here.run({"completion", "tcsh"}), "tcsh");
    expect_trouble(here.run({"completion"}), "SHELL");
}

} // namespace
} // namespace everbloom::support
