// A program that is killed while it updates a slow filter loses nothing that was flushed, and what is found afterwards is what was there
// at some moment since. Killed at moments that nobody chose: in the middle of a frame, a merge, a state.
#include "hostile/child_process.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <map>
#include <thread>

namespace everbloom::hostile {
namespace {

constexpr std::uint64_t buffer_bytes = 20000; // small: many merges

struct slow_update {
    digest item;
    bool is_erase;
};

/// The n-th update is always the same, so that both processes know it.
slow_update slow_update_at(std::uint64_t n) {
    const std::uint64_t chance = mix(n * 2 + 1);
    const bool is_erase = chance % 3 == 0;
    const std::uint64_t key = is_erase ? n - n % 7 - chance % 5000 : n;
    return {{mix(key * 2 + 77), 0}, is_erase};
}

using hash_counts = std::map<std::uint64_t, std::uint64_t>;

/// Of a key that is not there nothing is removed.
void follow(hash_counts& truth, std::uint64_t n) {
    const slow_update one = slow_update_at(n);
    const std::uint64_t hash = one.item.low & stored_mask(50);
    if (!one.is_erase) {
        ++truth[hash];
    } else if (const auto found = truth.find(hash); found != truth.end() && --found->second == 0) {
        truth.erase(found);
    }
}

/// In memory that both processes see.
struct progress_of_child {
    std::atomic<std::uint64_t> flushed;
    std::atomic<std::uint64_t> begun;
};

int update_until_killed(const std::string& path, progress_of_child& progress) {
    auto file = open_slow_file(path, slow_access::write);
    if (!file) return 1;
    auto opened = slow_elastic::open(std::move(*file), slow_access::write, buffer_bytes);
    if (!opened) return 2;
    support::dice random(progress.flushed + 1);
    for (std::uint64_t n = progress.flushed;;) {
        for (std::uint64_t left = random.below(2000); left != 0; --left, ++n) {
            progress.begun = n + 1;
            const slow_update one = slow_update_at(n);
            if (one.is_erase) {
                if (opened->erase_later(one.item) == deferred_outcome::refused) return 3;
            } else if (!succeeded(opened->insert(one.item))) {
                return 4;
            }
        }
        if (!opened->flush()) return 5;
        progress.flushed = n;
    }
}

TEST(killed_slow_writers, lose_nothing_that_was_flushed) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    auto plan = plan_slow({100, 0.01}).value();
    plan.identity.geometry.part_bits = 3;
    {
        auto name = new_slow_file::begin(path).value();
        auto made = slow_elastic::create(name.take_file(), plan, buffer_bytes);
        ASSERT_TRUE(made);
        ASSERT_TRUE(name.publish(new_slow_file::existing::keep));
        ASSERT_TRUE(made->close());
    }
    void* const shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto& progress = *new (shared) progress_of_child{};
    hash_counts truth;
    std::uint64_t known = 0; // updates in `truth`
    support::dice random(9);
    const std::uint64_t kills = support::rounds(25);
    for (std::uint64_t round = 0; round < kills; ++round) {
        progress.flushed = known;
        progress.begun = known;
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) ::_exit(update_until_killed(path, progress));
        std::this_thread::sleep_for(std::chrono::microseconds(500 + random.below(60000)));
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);

        auto opened = slow_elastic::open(open_slow_file(path, slow_access::read).value(), slow_access::read);
        ASSERT_TRUE(opened) << opened.error().sentence;
        hash_counts found;
        ASSERT_TRUE(opened->for_each([&](std::uint64_t hash, std::uint64_t copies) { found[hash] = copies; }));
        for (; known < progress.flushed; ++known) follow(truth, known);
        while (found != truth && known < progress.begun) {
            follow(truth, known++);
        }
        ASSERT_TRUE(found == truth) << "after kill " << round << ", flushed " << progress.flushed;
        for (const auto& one : truth) ASSERT_TRUE(opened->may_contain(digest{one.first, 0}));
        ASSERT_EQ(here.listing(), "x.eb");
    }
    EXPECT_GT(known, 0U);
    ::munmap(shared, 4096);
}

TEST(killed_slow_writers, a_second_writer_is_refused_and_a_reader_is_not) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    auto name = new_slow_file::begin(path).value();
    auto made = slow_elastic::create(name.take_file(), plan_slow({100, 0.01}).value());
    ASSERT_TRUE(name.publish(new_slow_file::existing::keep));
    ASSERT_TRUE(succeeded(made->insert({mix(1), 0})));
    ASSERT_TRUE(made->flush());
    EXPECT_EQ(open_slow_file(path, slow_access::write).error().reason, failure_reason::busy);
    auto reader = slow_elastic::open(open_slow_file(path, slow_access::read).value(), slow_access::read);
    ASSERT_TRUE(reader);
    EXPECT_TRUE(reader->may_contain({mix(1), 0}));

    // Replaced under its writer: said at the next flush, and nothing of the other file is touched.
    here.write("other", "something else");
    ASSERT_EQ(std::rename((here / "other").c_str(), path.c_str()), 0);
    ASSERT_TRUE(succeeded(made->insert({mix(2), 0})));
    const auto flushed = made->flush();
    ASSERT_FALSE(flushed);
    EXPECT_NE(flushed.error().sentence.find("deleted or replaced"), std::string::npos);
    EXPECT_EQ(here.read("x.eb"), "something else");
    EXPECT_TRUE(reader->may_contain({mix(1), 0}));
    EXPECT_EQ(open_slow_file(here / "missing", slow_access::read).error().reason, failure_reason::input_output);
    EXPECT_EQ(open_slow_file(here.path().string(), slow_access::read).error().reason, failure_reason::input_output);
    const auto other = slow_elastic::open(open_slow_file(path, slow_access::read).value(), slow_access::read);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().reason, failure_reason::damaged);

    // An existing file is not replaced unless that was asked for, and a file without `publish` leaves nothing behind.
    {
        auto again = new_slow_file::begin(path).value();
        ASSERT_TRUE(slow_elastic::create(again.take_file(), plan_slow({100, 0.01}).value()));
        EXPECT_FALSE(again.publish(new_slow_file::existing::keep));
    }
    EXPECT_EQ(here.listing(), "x.eb");
    EXPECT_EQ(here.read("x.eb"), "something else");
}

} // namespace
} // namespace everbloom::hostile
