// A program that is killed while two of its threads update a slow filter loses nothing that was flushed, and of the updates of each thread
// those are found that it made up to some moment since. Killed at moments that nobody chose.
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
#include <thread>

namespace everbloom::hostile {
namespace {

constexpr std::uint64_t shared_buffer_bytes = 20000; // small: many merges
constexpr std::uint64_t writers = 2;
constexpr std::uint64_t owner_bit = std::uint64_t{1} << 14; // the last bit of a stored hash of 50: whose key it is

struct owned_update {
    digest item;
    bool is_erase;
};

/// The n-th update of a thread is always the same, so that both processes know it.
owned_update owned_update_at(std::uint64_t thread, std::uint64_t n) {
    const std::uint64_t chance = mix(n * 4 + 1 + thread);
    const bool is_erase = chance % 3 == 0;
    const std::uint64_t key = is_erase ? n - n % 7 - chance % 5000 : n;
    const std::uint64_t hash = mix(key * 2 + 78);
    return {{thread == 0 ? hash & ~owner_bit : hash | owner_bit, 0}, is_erase};
}

using counts = std::map<std::uint64_t, std::uint64_t>;

/// Of a key that is not there nothing is removed.
void follow_owned(counts& truth, std::uint64_t thread, std::uint64_t n) {
    const owned_update one = owned_update_at(thread, n);
    const std::uint64_t hash = one.item.low & stored_mask(50);
    if (!one.is_erase) {
        ++truth[hash];
    } else if (const auto found = truth.find(hash); found != truth.end() && --found->second == 0) {
        truth.erase(found);
    }
}

/// In memory that both processes see.
struct progress_of_threads {
    struct alignas(64) progress {
        std::atomic<std::uint64_t> flushed;
        std::atomic<std::uint64_t> begun;
    };
    std::array<progress, writers> of;
};

/// Updates until it is killed. The exit code says what failed.
void update_as(std::uint64_t thread, shared_slow_elastic& filter, progress_of_threads::progress& progress) {
    support::dice random(progress.flushed * writers + thread + 1);
    for (std::uint64_t n = progress.flushed;;) {
        for (std::uint64_t left = random.below(2000); left != 0; --left) {
            progress.begun = n + 1;
            const owned_update one = owned_update_at(thread, n++);
            if (one.is_erase) {
                if (filter.erase_later(one.item) == deferred_outcome::refused) ::_exit(4);
            } else if (!succeeded(filter.insert(one.item))) {
                ::_exit(5);
            }
        }
        if (!filter.flush()) ::_exit(6);
        progress.flushed = n;
    }
}

int update_with_two_threads(const std::string& path, progress_of_threads& progress) {
    auto file = open_slow_file(path, slow_access::write);
    if (!file) return 1;
    auto opened = slow_elastic::open(std::move(*file), slow_access::write, shared_buffer_bytes);
    if (!opened) return 2;
    auto shared = shared_slow_elastic::share(std::move(*opened));
    if (!shared) return 2;
    const std::jthread other([&] { update_as(1, *shared, progress.of[1]); });
    update_as(0, *shared, progress.of[0]);
    return 0;
}

TEST(killed_slow_threads, lose_nothing_that_was_flushed) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    auto plan = plan_slow({100, 0.01}).value();
    plan.identity.geometry.part_bits = 3;
    {
        auto name = new_slow_file::begin(path).value();
        auto made = slow_elastic::create(name.take_file(), plan, shared_buffer_bytes);
        ASSERT_TRUE(made);
        ASSERT_TRUE(name.publish(new_slow_file::existing::keep));
        ASSERT_TRUE(made->close());
    }
    void* const shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto& progress = *new (shared) progress_of_threads{};
    std::array<counts, writers> truth;
    std::array<std::uint64_t, writers> known{}; // updates in `truth`
    support::dice random(10);
    const std::uint64_t kills = support::rounds(25);
    for (std::uint64_t round = 0; round < kills; ++round) {
        for (std::uint64_t i = 0; i < writers; ++i) {
            progress.of[i].flushed = known[i];
            progress.of[i].begun = known[i];
        }
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) ::_exit(update_with_two_threads(path, progress));
        std::this_thread::sleep_for(std::chrono::microseconds(500 + random.below(60000)));
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);

        auto opened = slow_elastic::open(open_slow_file(path, slow_access::read).value(), slow_access::read);
        ASSERT_TRUE(opened) << opened.error().sentence;
        std::array<counts, writers> found;
        ASSERT_TRUE(opened->for_each(
            [&](std::uint64_t hash, std::uint64_t copies) { found[(hash & owner_bit) != 0 ? 1 : 0][hash] = copies; }));
        for (std::uint64_t i = 0; i < writers; ++i) {
            for (; known[i] < progress.of[i].flushed; ++known[i]) follow_owned(truth[i], i, known[i]);
            while (found[i] != truth[i] && known[i] < progress.of[i].begun) follow_owned(truth[i], i, known[i]++);
            ASSERT_TRUE(found[i] == truth[i])
                << "after kill " << round << ", thread " << i << ", flushed " << progress.of[i].flushed;
            for (const auto& one : truth[i]) ASSERT_TRUE(opened->may_contain(digest{one.first, 0}));
        }
        ASSERT_TRUE(opened->verify());
    }
    EXPECT_GT(known[0] + known[1], 0U);
    ::munmap(shared, 4096);
}

} // namespace
} // namespace everbloom::hostile
