// Promise P4: a program that dies while it saves leaves the old or the new file, whole; and whatever it leaves beside it does not
// hinder the next one. Deaths before and after every system call of a save, and at moments that nobody chose.
#include "hostile/driver_process.hpp"
#include "support/dice.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace everbloom::hostile {
namespace {

constexpr int killed = 128 + SIGKILL;

TEST(killed_savers, a_death_at_any_call_leaves_the_old_or_the_new_file) {
    // The calls are the same for all kinds; what differs is how much is written.
    std::vector<std::string> calls{"write", "rename", "open", "flock", "ftruncate", "fchmod", "fsync"};
    for (const std::string& kind : kinds_for_processes()) {
        const file_in_change file(kind);
        std::uint64_t deaths = 0;
        for (const std::string& call : calls) {
            for (const char* how : {"kill", "kill_after"}) {
                for (fault wrong{call, 1, how, 0};; ++wrong.at) {
                    file.restore();
                    const driver_result ran = run_driver(file.change(), wrong);
                    if (ran.exit_code != killed) {
                        ASSERT_EQ(ran.exit_code, 0) << wrong;
                        break;
                    }
                    ++deaths;
                    ASSERT_TRUE(file.is_old() || file.is_new()) << kind << ", " << wrong;
                    // The next writer takes over what was left.
                    ASSERT_EQ(run_driver(file.change()).exit_code, 0) << kind << ", " << wrong;
                    ASSERT_EQ(file.listing(), "x.eb") << kind << ", " << wrong;
                }
            }
        }
        EXPECT_GE(deaths, 2 * calls.size());
        calls.resize(2);
    }
}

TEST(killed_savers, a_death_at_any_moment_loses_nothing_that_was_saved) {
    constexpr std::uint64_t keys = 3;
    constexpr std::uint64_t items = 20000;
    support::dice random(11);
    const auto kinds = kinds_for_processes();
    const std::uint64_t kills = support::rounds(50);
    for (std::uint64_t i = 0; i < kills; ++i) {
        const support::temporary_directory here;
        const std::string path = here / "x.eb";
        filter_file expected = empty_filter(kinds[i % kinds.size()], items);
        ASSERT_TRUE(save_filter(expected, path));
        support::running_program driver({"repeat", path, std::to_string(keys)}, driver_setting());
        ASSERT_TRUE(driver.says("saved\n"));
        driver.close_input(); // it goes on, until we say stop
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(30000)));
        driver.signal(SIGKILL);
        const auto ended = driver.wait();
        ASSERT_EQ(ended.exit_code, killed) << ended.err;
        const auto saved = static_cast<std::uint64_t>(std::count(ended.out.begin(), ended.out.end(), '\n'));
        // What the driver said is there; at most one save more, which it had no time to mention.
        insert_keys(expected, 0, saved * keys);
        const file_bytes old_bytes = write_filter(expected);
        insert_keys(expected, saved * keys, (saved + 1) * keys);
        const file_bytes new_bytes = write_filter(expected);
        const auto found = open_filter(path);
        ASSERT_TRUE(found) << found.error().sentence;
        const file_bytes bytes = write_filter(*found);
        ASSERT_TRUE(bytes == old_bytes || bytes == new_bytes) << "after " << saved << " saves";
        ASSERT_EQ(run_driver({"insert", path, "0", "1"}).exit_code, 0);
        ASSERT_EQ(here.listing(), "x.eb");
    }
}

} // namespace
} // namespace everbloom::hostile
