// Promises P3 and P4: whichever system call goes wrong while a file is being changed, the old file is there, the failure says why, and
// nothing is left lying about. One failure comes too late for that, and says so: `not_durable`, with the new file in its place.
//
// The driver is not sanitized (see cmake/tests.cmake), so these tests are the same in every build.
#include "hostile/driver_process.hpp"

#include <cerrno>

namespace everbloom::hostile {
namespace {

constexpr std::uint64_t more_than_any_makes = 5000;

/// Lets call 1, 2, 3... go wrong until the driver makes no call of that number. `check` looks at each run. Returns how many went wrong.
template <class Check>
std::uint64_t fail_each_call(const file_in_change& file, const std::vector<std::string>& words, fault wrong,
                             Check check) {
    for (wrong.at = 1; wrong.at < more_than_any_makes; ++wrong.at) {
        file.restore();
        const driver_result ran = run_driver(words, wrong);
        if (ran.faults == 0) {
            EXPECT_EQ(ran.exit_code, 0) << wrong << ": " << ran.sentence;
            break;
        }
        check(ran, wrong);
        if (::testing::Test::HasFailure()) break;
    }
    return wrong.at - 1;
}

/// A failure, in words; the old file, or the new one if the words say so; and nothing beside it.
void expect_clean_failure(const file_in_change& file, const driver_result& ran, const fault& wrong) {
    EXPECT_EQ(ran.exit_code, 1) << wrong << ": " << ran.sentence;
    EXPECT_NE(ran.sentence.find(": "), std::string::npos) << wrong << ": " << ran.sentence;
    const bool too_late = ran.sentence.starts_with("not_durable: ");
    EXPECT_TRUE(too_late ? file.is_new() : file.is_old()) << wrong << ": " << ran.sentence;
    EXPECT_EQ(too_late, ran.sentence.find("changed, but ") != std::string::npos) << wrong << ": " << ran.sentence;
    EXPECT_TRUE(open_filter(file.path())) << wrong;
    EXPECT_EQ(file.listing(), "x.eb") << wrong;
}

std::uint64_t expect_clean_failures(const file_in_change& file, const fault& wrong) {
    return fail_each_call(file, file.change(), wrong, [&](const driver_result& ran, const fault& which) {
        expect_clean_failure(file, ran, which);
    });
}

TEST(failing_calls, the_driver_does_what_the_tests_believe) {
    for (const std::string& kind : kinds_for_processes()) {
        const file_in_change file(kind);
        EXPECT_TRUE(file.is_old());
        const driver_result ran = run_driver(file.change());
        EXPECT_EQ(ran.exit_code, 0) << ran.sentence;
        EXPECT_TRUE(file.is_new()) << kind;
        EXPECT_EQ(file.listing(), "x.eb");
    }
}

TEST(failing_calls, any_one_failing_call_leaves_the_old_file_or_says_that_it_changed) {
    const std::vector<fault> faults{
        {"open", 1, "once", EMFILE}, {"pread", 1, "once", EIO},     {"ftruncate", 1, "once", EIO},
        {"lseek", 1, "once", EIO},   {"fchmod", 1, "once", EPERM},  {"write", 1, "once", ENOSPC},
        {"fsync", 1, "once", EIO},   {"rename", 1, "once", EACCES}, {"aligned_alloc", 1, "once", ENOMEM}};
    for (const std::string& kind : kinds_for_processes()) {
        const file_in_change file(kind);
        for (const fault& wrong : faults) {
            EXPECT_GE(expect_clean_failures(file, wrong), 1u) << kind << ": the driver makes no such call: " << wrong;
        }
    }
}

TEST(failing_calls, a_system_that_stays_broken_leaves_the_old_file_or_says_that_it_changed) {
    const file_in_change file(kinds_for_processes().front());
    for (const auto& [call, error] : std::vector<std::pair<std::string, int>>{{"open", ENFILE},
                                                                              {"pread", EIO},
                                                                              {"ftruncate", EROFS},
                                                                              {"write", EDQUOT},
                                                                              {"write", EIO},
                                                                              {"fsync", ENOSPC},
                                                                              {"rename", EROFS}}) {
        EXPECT_GE(expect_clean_failures(file, {call, 1, "forever", error}), 1u) << call;
    }
}

TEST(failing_calls, every_refused_allocation_is_a_failure_value) {
    const file_in_change file(kinds_for_processes().front());
    for (const char* how : {"once", "forever"}) {
        EXPECT_GE(expect_clean_failures(file, {"malloc", 1, how, ENOMEM}), 10u) << how;
    }
}

TEST(failing_calls, interrupted_and_short_calls_are_continued) {
    const file_in_change file(kinds_for_processes().front());
    for (const char* call : {"write", "pread"}) {
        for (const fault& wrong : {fault{call, 1, "once", EINTR}, fault{call, 1, "short", 0}}) {
            const auto check = [&](const driver_result& ran, const fault& which) {
                EXPECT_EQ(ran.exit_code, 0) << which << ": " << ran.sentence;
                EXPECT_TRUE(file.is_new()) << which;
                EXPECT_EQ(file.listing(), "x.eb") << which;
            };
            EXPECT_GE(fail_each_call(file, file.change(), wrong, check), 1u) << wrong;
        }
    }
}

TEST(failing_calls, a_lock_that_cannot_be_taken_is_a_failure_and_not_busy) {
    const file_in_change file(kinds_for_processes().front());
    const driver_result ran = run_driver(file.change(), fault{"flock", 1, "once", ENOLCK});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.sentence.rfind("input_output: ", 0), 0u) << ran.sentence;
    EXPECT_TRUE(file.is_old());
    // Without a lock nobody knows whose the temporary file is, so it stays; the next writer takes it over.
    EXPECT_EQ(run_driver(file.change()).exit_code, 0);
    EXPECT_TRUE(file.is_new());
    EXPECT_EQ(file.listing(), "x.eb");
}

TEST(failing_calls, a_large_filter_for_which_there_is_no_memory_is_a_failure) {
    const support::temporary_directory here;
    const std::string kind = kinds_for_processes().front();
    const std::vector<std::string> create{"create", here / "large.eb", kind, "4000000"};
    const driver_result refused = run_driver(create, fault{"mmap", 1, "forever", ENOMEM});
    ASSERT_GE(refused.faults, 1u);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_EQ(refused.sentence.rfind("out_of_memory: ", 0), 0u) << refused.sentence;
    EXPECT_EQ(here.listing(), "");
    ASSERT_EQ(run_driver(create).exit_code, 0);
    for (const char* command : {"query", "insert"}) {
        const driver_result ran = run_driver({command, here / "large.eb", "0", "0"}, fault{"mmap", 1, "once", ENOMEM});
        EXPECT_EQ(ran.faults, 1u) << command;
        EXPECT_EQ(ran.exit_code, 1) << command;
    }
    EXPECT_TRUE(open_filter(here / "large.eb"));
    EXPECT_EQ(here.listing(), "large.eb");
}

TEST(failing_calls, creating_a_file_fails_without_a_trace) {
    const std::string kind = kinds_for_processes().front();
    for (const fault& first : {fault{"malloc", 1, "once", ENOMEM}, fault{"write", 1, "once", ENOSPC},
                               fault{"fsync", 1, "once", EIO}, fault{"rename", 1, "once", EIO}}) {
        fault wrong = first;
        for (wrong.at = 1; wrong.at < more_than_any_makes; ++wrong.at) {
            const support::temporary_directory here;
            const driver_result ran = run_driver({"create", here / "x.eb", kind, "100"}, wrong);
            const bool there = here.listing() == "x.eb";
            if (ran.faults == 0) {
                EXPECT_EQ(ran.exit_code, 0) << ran.sentence;
                break;
            }
            EXPECT_EQ(ran.exit_code, 1) << wrong << ": " << ran.sentence;
            EXPECT_EQ(there, ran.sentence.starts_with("not_durable: ")) << wrong << ": " << ran.sentence;
            EXPECT_TRUE(there ? open_filter(here / "x.eb").has_value() : here.listing().empty()) << wrong;
            if (HasFailure()) return;
        }
        EXPECT_GT(wrong.at, 1u);
    }
}

} // namespace
} // namespace everbloom::hostile
