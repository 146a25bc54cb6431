// A program that is killed while it updates a slow filter, with one thread or with two, loses nothing that was flushed, and of the updates of
// each thread those are found that it made up to some moment since. Killed at random moments: in the middle of a frame, a merge,
// a state. How far a process comes in some milliseconds depends on the machine, so half of the kills come after every thread has flushed.
#include "hostile/child_process.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>

#include <signal.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <map>
#include <new>
#include <thread>

namespace everbloom::hostile {
namespace {

constexpr std::uint64_t buffer_bytes = 20000;                             // small: many merges
constexpr std::uint64_t most_keys = 60000;                                // of each thread; they come again, as copies
constexpr std::size_t most_writers = 2;                                   // threads that update
constexpr unsigned hash_bits = 50;                                        // of a key are stored
constexpr std::uint64_t owner_bit = std::uint64_t{1} << (64 - hash_bits); // the last of them: whose key it is

struct slow_update {
    digest item;
    bool is_erase;
};

/// The n-th update of a thread is always the same, so that both processes know it.
slow_update slow_update_at(std::size_t writer, std::uint64_t n) {
    const std::uint64_t chance = mix(n * most_writers + writer + 1);
    const bool is_erase = chance % 3 == 0;
    const std::uint64_t key = (is_erase ? n - n % 7 - chance % 5000 : n) % most_keys;
    const std::uint64_t hash = mix(key * 2 + 77);
    return {{writer == 0 ? hash & ~owner_bit : hash | owner_bit, 0}, is_erase};
}

/// How often each hash is there. Two of them are compared after every update, so there is a sum that tells nearly all of them apart at once.
class hash_counts {
public:
    void add(std::uint64_t hash, std::uint64_t copies) {
        counts_[hash] += copies;
        sum_ += mix(hash) * copies;
    }
    /// Of a key that is not there nothing is removed.
    void remove(std::uint64_t hash) {
        const auto found = counts_.find(hash);
        if (found == counts_.end()) return;
        sum_ -= mix(hash);
        if (--found->second == 0) counts_.erase(found);
    }
    [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& all() const { return counts_; }
    friend bool operator==(const hash_counts& left, const hash_counts& right) {
        return left.sum_ == right.sum_ && left.counts_ == right.counts_;
    }

private:
    std::map<std::uint64_t, std::uint64_t> counts_;
    std::uint64_t sum_ = 0;
};

void follow(hash_counts& truth, std::size_t writer, std::uint64_t n) {
    const slow_update one = slow_update_at(writer, n);
    const std::uint64_t hash = one.item.low & stored_mask(hash_bits);
    if (one.is_erase)
        truth.remove(hash);
    else
        truth.add(hash, 1);
}

struct alignas(64) writer_progress {
    std::atomic<std::uint64_t> flushed;
    std::atomic<std::uint64_t> begun;
};
using all_progress = std::array<writer_progress, most_writers>;

/// In memory that both processes see.
class shared_progress {
public:
    shared_progress() : memory_(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
        new (memory_) all_progress{};
    }
    shared_progress(const shared_progress&) = delete;
    shared_progress& operator=(const shared_progress&) = delete;
    ~shared_progress() { ::munmap(memory_, 4096); }

    [[nodiscard]] all_progress& operator*() const { return *static_cast<all_progress*>(memory_); }

private:
    void* memory_;
};

/// Updates a plain or a shared filter until the process is killed. The exit code says what failed.
template <class Filter>
[[noreturn]] void update_until_killed(std::size_t writer, Filter& filter, writer_progress& progress) {
    support::dice random(progress.flushed * most_writers + writer + 1);
    for (std::uint64_t n = progress.flushed;;) {
        for (std::uint64_t left = random.below(2000); left != 0; --left) {
            progress.begun = n + 1;
            const slow_update one = slow_update_at(writer, n++);
            if (one.is_erase) {
                if (filter.erase_later(one.item) == deferred_outcome::refused) ::_exit(3);
            } else if (!succeeded(filter.insert(one.item))) {
                ::_exit(4);
            }
        }
        if (!filter.flush()) ::_exit(5);
        progress.flushed = n;
    }
}

/// What the child does.
int update_with(std::size_t writers, const std::string& path, all_progress& progress) {
    auto file = open_slow_file(path, slow_access::write);
    if (!file) return 1;
    auto opened = slow_elastic::open(std::move(*file), slow_access::write, buffer_bytes);
    if (!opened) return 2;
    if (writers == 1) update_until_killed(0, *opened, progress[0]);
    auto shared = shared_slow_elastic::share(std::move(*opened));
    if (!shared) return 2;
    const std::jthread other([&] { update_until_killed(1, *shared, progress[1]); });
    update_until_killed(0, *shared, progress[0]);
}

bool has_ended(pid_t child) {
    siginfo_t end{};
    return ::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid != 0;
}

/// Waits until every thread has flushed more than is known of it; false if the process ended or a minute has passed.
bool wait_for_flushes(pid_t child, std::size_t writers, const all_progress& progress,
                      const std::array<std::uint64_t, most_writers>& known) {
    const auto late = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (std::size_t i = 0; i < writers; ++i)
        while (progress[i].flushed == known[i]) {
            if (std::chrono::steady_clock::now() > late || has_ended(child)) return false;
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    return true;
}

void make_small_filter(const std::string& path) {
    auto plan = plan_slow({100, 0.01}).value();
    plan.identity.geometry = {hash_bits, 3};
    auto name = new_slow_file::begin(path).value();
    auto made = slow_elastic::create(name.take_file(), plan, buffer_bytes);
    ASSERT_TRUE(made);
    ASSERT_TRUE(name.publish(new_slow_file::existing::keep));
    ASSERT_TRUE(made->close());
}

class killed_slow_writers_of : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, killed_slow_writers_of, ::testing::Values(1u, 2u));

TEST_P(killed_slow_writers_of, lose_nothing_that_was_flushed) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    make_small_filter(path);
    const shared_progress shared;
    all_progress& progress = *shared;
    std::array<hash_counts, most_writers> truth;
    std::array<std::uint64_t, most_writers> known{}; // updates in `truth`
    support::dice random(9 + GetParam());
    const std::uint64_t kills = support::rounds(25);
    for (std::uint64_t round = 0; round < kills; ++round) {
        for (std::size_t i = 0; i < GetParam(); ++i) {
            progress[i].flushed = known[i];
            progress[i].begun = known[i];
        }
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) ::_exit(update_with(GetParam(), path, progress));
        const bool all_flushed = round % 2 != 0 || wait_for_flushes(child, GetParam(), progress, known);
        std::this_thread::sleep_for(std::chrono::microseconds(500 + random.below(60000)));
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);
        ASSERT_TRUE(all_flushed) << "no flush of every thread in a minute";

        auto opened = slow_elastic::open(open_slow_file(path, slow_access::read).value(), slow_access::read);
        ASSERT_TRUE(opened) << opened.error().sentence;
        std::array<hash_counts, most_writers> found;
        ASSERT_TRUE(opened->for_each([&](std::uint64_t hash, std::uint64_t copies) {
            found[(hash & owner_bit) != 0 ? 1 : 0].add(hash, copies);
        }));
        for (std::size_t i = 0; i < most_writers; ++i) {
            for (; known[i] < progress[i].flushed; ++known[i]) follow(truth[i], i, known[i]);
            while (found[i] != truth[i] && known[i] < progress[i].begun) follow(truth[i], i, known[i]++);
            ASSERT_TRUE(found[i] == truth[i])
                << "after kill " << round << ", thread " << i << ", flushed " << progress[i].flushed;
            for (const auto& one : truth[i].all()) ASSERT_TRUE(opened->may_contain(digest{one.first, 0}));
        }
        ASSERT_TRUE(opened->verify());
        ASSERT_EQ(here.listing(), "x.eb");
    }
    for (std::size_t i = 0; i < GetParam(); ++i) EXPECT_GT(known[i], 0U) << "thread " << i;
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
