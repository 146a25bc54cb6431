// Help that is true: every example of every command runs as printed.
#include "cli/workbench.hpp"

#include <sstream>

namespace everbloom::support {
namespace {

/// The commands of the program, each as the words that call it; behind a command those that it has.
std::vector<std::vector<std::string>> commands(const workbench& here, const std::vector<std::string>& outer = {}) {
    std::vector<std::string> words = outer;
    words.emplace_back("--help");
    std::istringstream help(here.run(words).out);
    std::vector<std::vector<std::string>> found;
    bool in_list = false;
    for (std::string line; std::getline(help, line);) {
        if (line == "Commands:") {
            in_list = true;
        } else if (in_list && line.starts_with("  ")) {
            std::vector<std::string> name = outer;
            name.push_back(line.substr(2, line.find(' ', 2) - 2));
            const auto inner = commands(here, name);
            found.push_back(std::move(name));
            found.insert(found.end(), inner.begin(), inner.end());
        } else {
            in_list = false;
        }
    }
    return found;
}

std::vector<std::string> examples(const std::string& help) {
    std::istringstream lines(help.substr(std::min(help.find("\nExamples:\n"), help.size())));
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ")) found.push_back(line.substr(2));
    }
    return found;
}

TEST(help, lists_the_commands) {
    const workbench here;
    const auto found = commands(here);
    for (const std::string wanted : {"create", "add", "check", "remove", "merge", "show", "verify", "simulate"}) {
        EXPECT_NE(std::find(found.begin(), found.end(), std::vector{wanted}), found.end()) << wanted;
    }
}

TEST(help, every_example_works_as_printed) {
    const workbench bench;
    for (std::vector<std::string> words : commands(bench)) {
        const std::string name = words.back();
        words.emplace_back("--help");
        const auto help = bench.run(words);
        EXPECT_EQ(help.exit_code, 0) << name;
        EXPECT_EQ(help.err, "") << name;
        const auto lines = examples(help.out);
        EXPECT_EQ(lines.size(), 2U) << name;
        const workbench here;
        here.write("names.txt", "anna\nbert\ncarla\ndora\nemil\n");
        for (const std::string& line : lines) {
            const auto ran = here.shell(line);
            EXPECT_EQ(ran.exit_code, 0) << name << ": " << line << "\n" << ran.err;
            EXPECT_EQ(ran.err.find("everbloom: "), std::string::npos) << line << "\n" << ran.err;
        }
    }
}

TEST(help, version_and_demo) {
    const workbench here;
    EXPECT_EQ(here.run({"--version"}).exit_code, 0);
    const auto demo = here.run({});
    EXPECT_EQ(demo.exit_code, 0) << demo.err;
    EXPECT_EQ(demo.err, "");
    EXPECT_NE(demo.out.find("1000 of 1000 names of the list: maybe in."), std::string::npos) << demo.out;
    EXPECT_NE(demo.out.find("600 of the 600 who stayed: maybe in."), std::string::npos) << demo.out;
    EXPECT_LE(line_count(demo.out), 35U);
    EXPECT_EQ(here.listing(), "");
}

TEST(help, the_demo_cleans_up_after_itself) {
    const workbench here;
    const auto ran = run_program({}, {.directory = here.path().string(), .extra = {{"TMPDIR", here.path().string()}}});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(here.listing(), "");
}

} // namespace
} // namespace everbloom::support
