#include "cli/workbench.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

namespace everbloom::support {
namespace {

TEST(uniq, prints_each_key_once_in_the_order_of_first_occurrence) {
    const workbench here;
    const auto ran = here.run({"uniq"}, "dora\nanna\ndora\nbert\nanna\nanna\ncarla\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "dora\nanna\nbert\ncarla\n");
    EXPECT_EQ(ran.err, "");
}

TEST(uniq, grows_from_a_small_start_and_loses_no_line) {
    const workbench here;
    const std::string once = numbered_lines("key", 60'000);
    const auto ran = here.run({"uniq", "--items", "10", "--stats"}, once + once);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, once);
    const auto told = nlohmann::json::parse(ran.err);
    EXPECT_EQ(told["keys"], 120'000);
    EXPECT_EQ(told["different"], 60'000);
    EXPECT_GT(told["expansions"], 10);
    EXPECT_LT(told["fast_bytes"].get<double>() + told["slow_bytes"].get<double>(), 12.0 * 60'000);
}

TEST(uniq, prints_the_repetitions_when_asked_for_them) {
    const workbench here;
    EXPECT_EQ(here.run({"uniq", "-d"}, "a\nb\na\na\nc\nb\n").out, "a\na\nb\n");
    const auto none = here.run({"uniq", "-d"}, "a\nb\nc\n");
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_EQ(none.out, "");
}

/// What a window of so many keys does, said in the simplest way.
std::string expected(const std::string& input, std::size_t window) {
    std::vector<std::string> remembered;
    std::istringstream lines(input);
    std::string output;
    for (std::string line; std::getline(lines, line);) {
        if (std::find(remembered.begin(), remembered.end(), line) != remembered.end()) continue;
        if (remembered.size() == window) remembered.erase(remembered.begin());
        remembered.push_back(line);
        output += line + "\n";
    }
    return output;
}

TEST(uniq, a_window_forgets_the_oldest_keys) {
    const workbench here;
    std::string input;
    for (std::uint64_t i = 0; i < 5'000; ++i) input += "key" + std::to_string(i * i % 977 % (i % 400 + 1)) + "\n";
    for (const std::size_t window : {1U, 7U, 100U}) {
        EXPECT_EQ(here.run({"uniq", "--window", std::to_string(window)}, input).out, expected(input, window)) << window;
    }
}

TEST(uniq, reads_files_and_keeps_their_separator) {
    const workbench here;
    here.write("a.txt", "x\ny\n");
    here.write("b.txt", "y\nz\n");
    EXPECT_EQ(here.run({"uniq", "a.txt", "b.txt"}).out, "x\ny\nz\n");
    EXPECT_EQ(here.run({"uniq", "-0"}, std::string("x\0y\0x\0", 6)).out, std::string("x\0y\0", 4));
}

TEST(uniq, refuses_what_cannot_be) {
    const workbench here;
    expect_trouble(here.run({"uniq", "--window", "0"}, "a\n"), "--window: '0' is too small");
    expect_trouble(here.run({"uniq", "--items", "many"}, "a\n"), "--capacity");
    expect_trouble(here.run({"uniq", "--items", "1e18"}, "a\n"), "items are more than");
    expect_trouble(here.run({"uniq", "missing.txt"}), "missing.txt");
}

} // namespace
} // namespace everbloom::support
