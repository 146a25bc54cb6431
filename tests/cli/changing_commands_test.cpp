// Every command that changes files, under every failing system call, failing allocations, and a report that cannot be printed: exit
// status 2 means that no file has changed; once one has, the message says "changed, but" and the status is 3. Nobody is led to repeat a
// change that was made.
#include "cli/changing_commands.hpp"
#include "support/rounds.hpp"

#include <cerrno>
#include <sstream>

namespace everbloom::support {
namespace {

// The shim replaces malloc, which a sanitizer wants for itself.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// A call that fails. `last`: how many of the last ones are tried every day, for that is where files are put in place.
struct fault {
    std::string call;
    int error;
    long last;
};

const std::vector<fault> faults{{"open", EMFILE, 1},   {"write", ENOSPC, 2},  {"ftruncate", EIO, 0},
                                {"flock", ENOLCK, 0},  {"fchmod", EPERM, 1},  {"fsync", EIO, 3},
                                {"rename", EACCES, 2}, {"unlink", EACCES, 0}, {"pread", EIO, 0},
                                {"lseek", EIO, 0},     {"close", EIO, 0},     {"malloc", ENOMEM, 4}};

/// With EVERBLOOM_TEST_ROUNDS=many nearly all of them.
long tried(const fault& one) { return rounds(1) > 1 ? 150 : one.last; }

class failing_commands : public ::testing::TestWithParam<changing_command> {
protected:
    static void SetUpTestSuite() { files = new repeated_change; }
    static void TearDownTestSuite() {
        delete files;
        files = nullptr;
    }
    void SetUp() override {
        if (sanitized) GTEST_SKIP() << "a sanitizer and the preloaded library do not go together";
        files->restore();
        whole = files->here().run(GetParam().arguments);
        EXPECT_EQ(whole.exit_code, 0) << whole.err;
        after = files->now();
        EXPECT_NE(differences(after, files->before()), "") << "the command changes nothing";
    }

    /// Runs the command with one failing call; number 0: none fails. `counts` gets the number of calls of each kind.
    [[nodiscard]] program_result run_with(const fault& wrong, long at, std::map<std::string, long>& counts) const {
        files->restore();
        const temporary_directory report;
        const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
        const auto ran = run_program(GetParam().arguments, {.directory = files->here().path().string(),
                                                            .extra = {{"LD_PRELOAD", folder / "libhostile_shim.so"},
                                                                      {"FAIL_REPORT", report / "counts"},
                                                                      {"FAIL_CALL", wrong.call},
                                                                      {"FAIL_AT", std::to_string(at)},
                                                                      {"FAIL_HOW", "once"},
                                                                      {"FAIL_ERRNO", std::to_string(wrong.error)}}});
        counts.clear();
        std::istringstream told(std::filesystem::exists(report / "counts") ? report.read("counts") : "");
        for (std::string call; told >> call;) told >> counts[call];
        return ran;
    }

    /// What every run must keep to, whatever went wrong in it.
    void expect_honest(const program_result& ran, const std::string& what) const {
        const file_contents now = files->now();
        const bool says_changed = ran.err.find("changed, but ") != std::string::npos;
        if (ran.exit_code == 0) {
            file_contents relevant = now;
            // Files of the save before that could not be removed are no part of the state any more; the next save removes them.
            std::erase_if(relevant, [&](const auto& one) {
                return one.first.starts_with("state/") && !after.contains(one.first) &&
                       files->before().contains(one.first);
            });
            EXPECT_EQ(differences(relevant, after), "") << what << ": success, but the files are not the new ones";
        } else if (ran.exit_code == 2) {
            EXPECT_FALSE(ran.err.empty()) << what;
            EXPECT_FALSE(says_changed) << what << ": " << ran.err;
            file_contents relevant = now;
            // Where memory ends in a place that allows no exception nothing is tidied up: files that gate.json does not name.
            if (ran.err.find("out of memory") != std::string::npos) {
                std::erase_if(relevant, [&](const auto& one) {
                    return one.first.starts_with("state/") && !files->before().contains(one.first);
                });
            }
            EXPECT_EQ(differences(relevant, files->before()), "")
                << what << ": a file has changed, though it says: " << ran.err;
        } else {
            EXPECT_EQ(ran.exit_code, 3) << what << ": " << ran.err;
            EXPECT_TRUE(says_changed) << what << ": " << ran.err;
            EXPECT_NE(differences(now, files->before()), "")
                << what << ": nothing has changed, though it says: " << ran.err;
            expect_old_or_new_files(now, files->before(), after, what);
        }
    }

    static repeated_change* files;
    program_result whole;
    file_contents after;
};

repeated_change* failing_commands::files = nullptr;

INSTANTIATE_TEST_SUITE_P(all, failing_commands, ::testing::ValuesIn(changing_commands()),
                         [](const auto& info) { return info.param.name; });

TEST_P(failing_commands, a_failing_call_or_allocation_is_told_as_what_it_means) {
    std::map<std::string, long> calls;
    std::map<std::string, long> ignored;
    EXPECT_EQ(run_with(faults.front(), 0, calls).exit_code, 0);
    ASSERT_GE(calls["rename"], 1);
    for (const fault& wrong : faults) {
        const long last = calls[wrong.call];
        for (long at = last; at > 0 && at > last - tried(wrong); --at) {
            const auto ran = run_with(wrong, at, ignored);
            expect_honest(ran, wrong.call + " number " + std::to_string(at) + " of " + std::to_string(last));
            if (HasFailure()) return;
        }
    }
}

TEST_P(failing_commands, a_report_that_cannot_be_printed_does_not_hide_the_change) {
    files->restore();
    const auto full =
        run_program(GetParam().arguments, {.directory = files->here().path().string(), .output_file = "/dev/full"});
    expect_honest(full, "a full disk under standard output");
    files->restore();
    std::string line = "everbloom";
    for (const std::string& word : GetParam().arguments) line += " " + word;
    const auto closed = files->here().shell(line + " >&-");
    expect_honest(closed, "a closed standard output");
    for (const auto& [what, ran] : {std::pair("full", full), std::pair("closed", closed)}) {
        if (ran.exit_code == 2) continue; // it prints before it changes, and has not changed
        EXPECT_EQ(ran.exit_code, 3) << what;
        EXPECT_NE(ran.err.find("changed, but the report could not be written"), std::string::npos) << ran.err;
    }
}

TEST(changing_commands, the_files_of_a_reproduction_are_there_though_its_table_could_not_be_printed) {
    const workbench here;
    const auto ran = run_program({"reproduce", "summary", "--only", "sizing", "--scale", "glance", "--out", "report"},
                                 {.directory = here.path().string(), .output_file = "/dev/full"});
    EXPECT_EQ(ran.exit_code, 3) << ran.err;
    EXPECT_NE(ran.err.find("more files: changed, but the report could not be written"), std::string::npos) << ran.err;
    EXPECT_TRUE(std::filesystem::exists(here / "report/summary.html"));
}

} // namespace
} // namespace everbloom::support
