// Help that is true: every example of every command runs as printed.
#include "cli/help_reader.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/version.hpp>

#include <sstream>

namespace everbloom::support {
namespace {

TEST(help, lists_the_commands) {
    const workbench here;
    const auto found = commands_in_help(here);
    for (const std::string wanted : {"create", "add", "check", "remove", "merge", "show", "verify", "simulate"}) {
        EXPECT_NE(std::find(found.begin(), found.end(), std::vector{wanted}), found.end()) << wanted;
    }
}

TEST(help, every_example_works_as_printed) {
    const workbench bench;
    for (std::vector<std::string> words : commands_in_help(bench)) {
        const std::string name = words.back();
        words.emplace_back("--help");
        const auto help = bench.run(words);
        EXPECT_EQ(help.exit_code, 0) << name;
        EXPECT_EQ(help.err, "") << name;
        const auto lines = examples_in_help(help.out);
        EXPECT_EQ(lines.size(), 2U) << name;
        const workbench here;
        here.write("names.txt", "anna\nbert\ncarla\ndora\nemil\n");
        for (const std::string& line : lines) {
            if (line.find("redis://") != std::string::npos)
                continue; // needs a server: tests/redis/test_command_line.py
            const auto ran = here.shell(line);
            EXPECT_EQ(ran.exit_code, 0) << name << ": " << line << "\n" << ran.err;
            EXPECT_EQ(ran.err.find("everbloom: "), std::string::npos) << line << "\n" << ran.err;
        }
    }
}

TEST(help, the_version_comes_with_facts_about_the_build_and_no_folder_of_it) {
    const workbench here;
    const auto ran = here.run({"--version"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.out.substr(0, ran.out.find('\n')), "everbloom " + std::string(version_text));
    const std::string format = "\nfiles      format version " + std::to_string(v1::version) + "\n";
    const std::string released = "\nreleased   " + std::string(release_date) + "\n";
    for (const char* fact : {released.c_str(), "\ncompiler ", "build ", format.c_str(), "\nprocessor  AVX2 is",
                             "xxHash 0.", "zstd 1.", "zlib 1.", "libpcap 1.", "libidn2 2."}) {
        EXPECT_NE(ran.out.find(fact), std::string::npos) << fact << " in\n" << ran.out;
    }
    EXPECT_NE(ran.out.find("\nkinds      " + std::to_string(known_kinds().size()) + "\n"), std::string::npos)
        << ran.out;
    EXPECT_EQ(ran.out.find('/'), std::string::npos) << ran.out;
}

TEST(help, demo) {
    const workbench here;
    const auto demo = here.run({});
    EXPECT_EQ(demo.exit_code, 0) << demo.err;
    EXPECT_EQ(demo.err, "");
    EXPECT_NE(demo.out.find("\n  100000\n"), std::string::npos) << demo.out;
    EXPECT_EQ(demo.out.find("\n  everbloom: "), std::string::npos) << "a command of the demo failed:\n" << demo.out;
    EXPECT_LE(line_count(demo.out), 45U);
    EXPECT_EQ(here.listing(), "");
    // Repeated by hand, each command prints the same.
    std::istringstream lines(demo.out);
    std::string shown;
    std::string repeated;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  $ ")) {
            repeated += here.shell(line.substr(4) + " 2>&1").out;
        } else if (line.starts_with("  ") && !line.starts_with("   ")) {
            shown += line.substr(2) + "\n";
        }
    }
    EXPECT_EQ(shown, repeated);
}

TEST(help, the_demo_cleans_up_after_itself) {
    const workbench here;
    const auto ran = run_program({}, {.directory = here.path().string(), .extra = {{"TMPDIR", here.path().string()}}});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(here.listing(), "");
}

} // namespace
} // namespace everbloom::support
