// workbench: a temporary directory in which the tests of the command line run it, as a user in a directory of his would.
#pragma once

#include "support/run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::support {

class workbench : public temporary_directory {
public:
    [[nodiscard]] program_result run(const std::vector<std::string>& arguments, std::string input = {}) const {
        return run_program(arguments, {.input = std::move(input), .directory = path().string()});
    }

    /// Runs a line in a shell that finds everbloom by its name.
    [[nodiscard]] program_result shell(const std::string& line, std::string input = {}) const {
        const std::string program = EVERBLOOM_CLI_PATH;
        const std::string folder = program.substr(0, program.rfind('/'));
        return run_program({"-c", "PATH=" + folder + ":$PATH; " + line},
                           {.input = std::move(input), .directory = path().string(), .program = "/bin/sh"});
    }

    /// A filter with a fixed hash key and a fixed size, for tests that only need one.
    void make(const std::string& name, const std::string& keys, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"create", name};
        for (const auto& [flag, value] :
             {std::pair{"--seed", "1"}, std::pair{"--capacity", "1000"}, std::pair{"--kind", "counting"}}) {
            if (std::find(more.begin(), more.end(), flag) == more.end()) more.insert(more.end(), {flag, value});
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto made = run(arguments, keys);
        EXPECT_EQ(made.exit_code, 0) << made.err;
    }
};

/// What `show --json` says of a filter.
[[nodiscard]] inline nlohmann::json shown(const workbench& here, const std::string& name) {
    return nlohmann::json::parse(here.run({"show", "--json", name}).out);
}

/// "prefix0\nprefix1\n..."
[[nodiscard]] inline std::string numbered_lines(std::string_view prefix, std::uint64_t count) {
    std::string lines;
    for (std::uint64_t i = 0; i < count; ++i) lines.append(prefix).append(std::to_string(i)).append("\n");
    return lines;
}

[[nodiscard]] inline std::uint64_t line_count(std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

/// 21290 -> "21,290", as the program prints it for people.
inline std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

/// Exit code 2 and one sentence on stderr that says `words`; nothing on stdout.
inline void expect_trouble(const program_result& ran, std::string_view words) {
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(ran.err.starts_with("everbloom: ")) << ran.err;
    EXPECT_EQ(line_count(ran.err), 1U) << ran.err;
    EXPECT_NE(ran.err.find(words), std::string::npos) << "in: " << ran.err << "wanted: " << words;
}

} // namespace everbloom::support
