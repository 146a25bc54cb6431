// Promise P3 for the whole program: an allocation that fails, at any point of any command, ends in words and exit code 2, and harms no
// file. The shim of the hostile suite makes the n-th allocation of the real program fail, once or together with all that follow.
#include "cli/every_command.hpp"
#include "support/rounds.hpp"
#include "support/sanitized.hpp"

#include <cstring>

namespace everbloom::support {
namespace {

struct counted_run {
    program_result ran;
    std::uint64_t allocations = 0;
    std::uint64_t failures = 0;
};

class out_of_memory : public ::testing::Test {
protected:
    void SetUp() override {
        if (is_sanitized) GTEST_SKIP() << "this build replaces the allocator itself";
        make_inputs(here_);
        before_ = contents_of(here_);
    }

    /// Allocation number `at` fails, counted from 1; 0: none does.
    [[nodiscard]] counted_run run(const std::vector<std::string>& arguments, std::uint64_t at,
                                  const std::string& how = "once", std::uint64_t least_bytes = 0) const {
        const std::string counts = counts_.write("counts", std::string(16, '\0'));
        const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
        counted_run made;
        made.ran = run_program(arguments, {.directory = here_.path().string(),
                                           .extra = {{"LD_PRELOAD", folder / "libhostile_shim.so"},
                                                     {"FAIL_CALL", "memory"},
                                                     {"FAIL_AT", std::to_string(at)},
                                                     {"FAIL_HOW", how},
                                                     {"FAIL_LEAST", std::to_string(least_bytes)},
                                                     {"FAIL_ERRNO", std::to_string(ENOMEM)},
                                                     {"FAIL_FROM", "start"},
                                                     {"FAIL_COUNT", counts}}});
        const std::string bytes = counts_.read("counts");
        std::memcpy(&made.allocations, bytes.data(), sizeof made.allocations);
        std::memcpy(&made.failures, bytes.data() + sizeof made.allocations, sizeof made.failures);
        return made;
    }

    /// Has a file got its name, or new contents? What a save leaves behind on the way is none.
    [[nodiscard]] bool has_changed_files(const folder_contents& left) const {
        return std::any_of(left.begin(), left.end(), [&](const auto& file) {
            const auto old = before_.find(file.first);
            return old == before_.end() ? !file.first.ends_with(".eb-new") : old->second != file.second;
        });
    }

    /// A program that ended in its last words leaves the new file of a save behind; the next save sweeps it away.
    void expect_nothing_but_locks_left_over(const command_run& one, const folder_contents& left,
                                            const folder_contents& after) const {
        bool lock_is_left = false;
        for (const auto& [name, bytes] : left) {
            if (before_.contains(name) || after.contains(name)) continue;
            const std::string file = std::filesystem::path(name).filename();
            EXPECT_TRUE(file.starts_with(".") && file.ends_with(".eb-new")) << name << " is left over";
            lock_is_left = true;
        }
        if (!lock_is_left) return;
        EXPECT_EQ(run(one.arguments, 0).ran.exit_code, 0);
        for (const auto& [name, bytes] : contents_of(here_)) {
            EXPECT_TRUE(before_.contains(name) || after.contains(name)) << name << " is left over for good";
        }
    }

    workbench here_;
    temporary_directory counts_;
    folder_contents before_;
};

TEST_F(out_of_memory, all_commands_are_tried) { EXPECT_EQ(commands_without_a_run(here_), std::set<std::string>{}); }

TEST_F(out_of_memory, a_command_starts_with_few_allocations) {
    // A file that is missing, or a usage error of the command itself, is noticed right after the start.
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"show", "missing.eb"},
          {"check", "missing.eb"},
          {"add", "missing.eb", "names.txt"},
          {"create", "counting.eb", "--kind", "counting", "--capacity", "100", "--bits", "9000", "--hashes", "3"},
          {"simulate", "bloom", "--bits", "1000", "--hashes", "3"},
          {"gate", "--fpr", "1%", "--max-senders", "0", "--packets", "traffic/packets.raw"}}) {
        const counted_run made = run(arguments, 0);
        EXPECT_EQ(made.ran.exit_code, 2) << made.ran.out;
        EXPECT_GT(made.allocations, 0U);
        EXPECT_LT(made.allocations, 500U) << command_run{arguments}.text();
    }
}

TEST_F(out_of_memory, ends_in_words_even_before_main_and_while_the_command_line_is_read) {
    const std::vector<std::string> arguments{"show", "missing.eb"};
    const counted_run good = run(arguments, 0);
    for (const char* how : {"once", "forever"}) {
        const std::uint64_t step = std::max<std::uint64_t>(1, good.allocations / rounds(30));
        for (std::uint64_t at = 1; at <= good.allocations; at += step) {
            SCOPED_TRACE("allocation " + std::to_string(at) + ", " + how);
            const counted_run made = run(arguments, at, how);
            EXPECT_EQ(made.ran.exit_code, 2) << made.ran.err;
            EXPECT_EQ(line_count(made.ran.err), 1U) << made.ran.err;
            EXPECT_TRUE(made.ran.err.starts_with("everbloom: ")) << made.ran.err;
        }
    }
}

TEST_F(out_of_memory, does_not_harm_the_tables_of_the_gate_when_they_grow) {
    // Tables grow by few and large allocations: all of them fail in turn, and the rest of the program goes on with what it has.
    ASSERT_EQ(here_.run({"gate", "generate", "--packets", "20k", "--senders", "3000", "--out", "crowd"}).exit_code, 0);
    constexpr std::uint64_t large_bytes = 2000;
    for (const char* mode : {"--exact", "--compare"}) {
        const std::vector<std::string> arguments{"gate",
                                                 "--packets",
                                                 "crowd/packets.raw",
                                                 "--blacklist",
                                                 "crowd/blacklist.txt",
                                                 "--patterns",
                                                 "crowd/patterns.txt",
                                                 mode};
        const counted_run good = run(arguments, 0, "once", large_bytes);
        ASSERT_EQ(good.ran.exit_code, 0) << good.ran.err;
        const std::uint64_t step = std::max<std::uint64_t>(1, good.allocations / rounds(30));
        for (std::uint64_t at = 1; at <= good.allocations; at += step) {
            SCOPED_TRACE(std::string(mode) + ", large allocation " + std::to_string(at) + " of " +
                         std::to_string(good.allocations));
            const counted_run made = run(arguments, at, "once", large_bytes);
            ASSERT_LT(made.ran.exit_code, 128) << made.ran.err;
            ASSERT_TRUE(made.ran.exit_code == 0 || made.ran.err.find("memory") != std::string::npos) << made.ran.err;
        }
    }
}

/// Which allocations fail: some, spread over all, with the first and the last ones; or all of them, if there is time.
std::set<std::uint64_t> chosen_points(std::uint64_t allocations) {
    const bool all_night = rounds(1) > 1;
    constexpr std::uint64_t most = 5000;
    const std::uint64_t wanted = all_night ? most : rounds(6);
    std::set<std::uint64_t> points;
    for (std::uint64_t i = 0; i < std::min(wanted, allocations); ++i) {
        points.insert(1 + i * (allocations - 1) / std::max<std::uint64_t>(1, std::min(wanted, allocations) - 1));
    }
    return points;
}

int failures_so_far() { return ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count(); }

/// One sentence about memory, behind what the command may have said before, with exit code 2 if no file was changed, and 3 if one was.
void expect_words(const program_result& ran, bool has_changed) {
    EXPECT_EQ(ran.exit_code, has_changed ? 3 : 2) << ran.err;
    EXPECT_EQ(ran.err.find(": changed, but ") != std::string::npos, has_changed) << ran.err;
    const std::size_t sentence = ran.err.find("everbloom: ");
    ASSERT_NE(sentence, std::string::npos) << ran.err;
    const std::string words = ran.err.substr(sentence);
    EXPECT_EQ(line_count(words), 1U) << ran.err;
    EXPECT_NE(words.find("memory"), std::string::npos) << ran.err;
}

TEST_F(out_of_memory, ends_every_command_in_words_and_harms_no_file) {
    for (const command_run& one : every_command()) {
        SCOPED_TRACE(one.text());
        const counted_run good = run(one.arguments, 0);
        ASSERT_LE(good.ran.exit_code, 1) << good.ran.err;
        const folder_contents after = contents_of(here_);
        restore(here_, before_, after);
        std::uint64_t number = 0;
        const int failed_before = failures_so_far();
        for (const std::uint64_t at : chosen_points(good.allocations)) {
            const std::string how = ++number % 2 == 0 ? "once" : "forever";
            SCOPED_TRACE("allocation " + std::to_string(at) + " of " + std::to_string(good.allocations) + ", " + how);
            const counted_run made = run(one.arguments, at, how);
            EXPECT_LT(made.ran.exit_code, 128) << made.ran.err;
            const folder_contents left = contents_of(here_);
            if (made.ran.exit_code != good.ran.exit_code) expect_words(made.ran, has_changed_files(left));
            for (const auto& [name, bytes] : before_) {
                const auto found = left.find(name);
                ASSERT_TRUE(found != left.end()) << name << " is gone";
                const auto changed = after.find(name);
                EXPECT_TRUE(found->second == bytes || (changed != after.end() && found->second == changed->second))
                    << name << " is neither old nor new";
            }
            expect_nothing_but_locks_left_over(one, left, after);
            restore(here_, before_, contents_of(here_));
            if (failures_so_far() != failed_before) break; // the next command may have something else to say
        }
    }
}

} // namespace
} // namespace everbloom::support
