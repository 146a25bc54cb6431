// slow_updates: memory, disk space and speed of a slow filter: filled, then updated at that size, asked, and opened again. Prints the table
// of docs/slow.md.
//
//   everbloom_slow_updates FILE [keys, 1e7] [buffer in MB, 32; 0: by the number of keys] [fpr, 0.001] [threads, 0]
//
// With threads, only updates are measured: this number of threads of a shared filter (shared_slow.hpp) insert, then insert and remove. Where other
// programs take a part of the machine, speed says little about the filter; so it is also printed how much processor time an update takes, and
// for which share of their time the threads waited for locks and for the disk (Linux tells it: neither running nor ready to run).
//
// Wall-clock time, because waiting for the disk counts. To see that little memory suffices: (ulimit -v 293000; everbloom_slow_updates FILE 1e8)
#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace everbloom {
namespace {

constexpr std::size_t batch = 256;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

digest item_of(std::uint64_t key) { return {mix(key * 2 + 1), 0}; }

void print_memory(const char* when) {
    std::ifstream lines("/proc/self/status");
    std::string word;
    double resident = 0;
    double peak = 0;
    while (lines >> word) {
        if (word == "VmRSS:") lines >> resident;
        if (word == "VmHWM:") lines >> peak;
    }
    std::printf("memory %-14s %6.0f MB resident, %.0f MB at the most\n", when, resident * 1024 / 1e6,
                peak * 1024 / 1e6);
}

void print_sizes(const slow_elastic& filter) {
    const slow_statistics seen = filter.statistics();
    const auto keys = static_cast<double>(seen.keys + seen.pending_insertions);
    const auto bits = [&](std::uint64_t bytes) { return 8 * static_cast<double>(bytes) / keys; };
    std::printf("bits per key          %6.2f in memory, %.2f in runs, %.2f of file; log %.0f MB, buffers %.0f MB\n",
                bits(seen.fast_bytes), bits(seen.run_bytes), bits(seen.file_bytes),
                static_cast<double>(seen.log_bytes) / 1e6, static_cast<double>(seen.buffer_bytes) / 1e6);
}

/// Calls `update(i)` for batches of updates and prints how fast they were.
template <class Update>
bool print_speed(const char* what, std::uint64_t updates, slow_elastic& filter, Update update) {
    const double begin = seconds();
    double longest = 0;
    for (std::uint64_t i = 0; i < updates; i += batch) {
        const double before = seconds();
        if (!update(i)) return false;
        longest = std::max(longest, seconds() - before);
    }
    if (!filter.flush()) return false;
    std::printf("%-21s %6.2f M/s, longest batch of %zu: %.0f ms\n", what,
                static_cast<double>(updates) / (seconds() - begin) / 1e6, batch, longest * 1e3);
    return true;
}

result<slow_elastic> new_filter(const std::string& path, std::uint64_t keys, std::uint64_t buffer_bytes, double fpr) {
    auto plan = plan_slow({keys, fpr});
    if (!plan) return fail(plan.error());
    auto name = new_slow_file::begin(path);
    if (!name) return fail(name.error());
    auto made = slow_elastic::create(name->take_file(), *plan, buffer_bytes);
    if (!made) return fail(made.error());
    if (auto published = name->publish(new_slow_file::existing::keep); !published) return fail(published.error());
    return made;
}

/// Seconds in which this thread ran or could have run.
double ready_seconds() {
    std::ifstream line("/proc/thread-self/schedstat");
    double ran = 0;
    double queued = 0;
    line >> ran >> queued; // in ns
    return (ran + queued) / 1e9;
}

/// Wall-clock and processor time of `count` threads that call `update(thread, i)` for their batches of updates, and of a flush behind.
template <class Update>
bool print_speed_of_threads(const char* what, std::uint64_t count, std::uint64_t updates, shared_slow_elastic& filter,
                            Update update) {
    const double begin = seconds();
    const std::clock_t work_before = std::clock();
    std::atomic<bool> all_well = true;
    std::vector<double> waited(count);
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t t = 0; t < count; ++t) {
            threads.emplace_back([&, t] {
                const double thread_begin = seconds();
                const double ready_before = ready_seconds();
                for (std::uint64_t i = 0; i < updates / count && all_well; i += batch) {
                    if (!update(t, i)) all_well = false;
                }
                const double lasted = seconds() - thread_begin;
                waited[t] = (lasted - (ready_seconds() - ready_before)) / lasted / static_cast<double>(count);
            });
        }
    }
    if (!all_well || !filter.flush()) return false;
    const auto made = static_cast<double>(updates);
    std::printf("%-21s %6.2f M/s, %.0f ns of processor time per update, waiting %.1f %%; %zu threads\n", what,
                made / (seconds() - begin) / 1e6,
                static_cast<double>(std::clock() - work_before) / CLOCKS_PER_SEC * 1e9 / made,
                100 * std::accumulate(waited.begin(), waited.end(), 0.0), waited.size());
    return true;
}

result<void> run_threads(const std::string& path, std::uint64_t keys, std::uint64_t buffer_bytes, double fpr,
                         std::uint64_t count) {
    auto made = new_filter(path, keys, buffer_bytes, fpr);
    if (!made) return fail(made.error());
    auto filter = shared_slow_elastic::share(std::move(*made));
    if (!filter) return fail(filter.error());
    const auto insert = [&](std::uint64_t first, std::size_t some) {
        std::array<digest, batch> items;
        std::array<insert_outcome, batch> outcomes;
        for (std::size_t i = 0; i < some; ++i) items[i] = item_of(first + i);
        filter->insert(std::span(items).first(some), std::span(outcomes).first(some));
        return std::all_of(outcomes.begin(), outcomes.begin() + static_cast<std::ptrdiff_t>(some),
                           [](insert_outcome one) { return succeeded(one); });
    };
    constexpr std::uint64_t range = std::uint64_t{1} << 32; // keys of a thread
    const bool inserted = print_speed_of_threads(
        "insert", count, keys, *filter, [&](std::uint64_t t, std::uint64_t i) { return insert(t * range + i, batch); });
    const bool updated =
        inserted &&
        print_speed_of_threads("3 inserts : 1 erase", count, keys, *filter, [&](std::uint64_t t, std::uint64_t i) {
            if (!insert(t * range + range / 2 + i, batch / 4 * 3)) return false;
            for (std::uint64_t j = 0; j < batch / 4; ++j) {
                if (filter->erase_later(item_of(t * range + i / 4 + j)) == deferred_outcome::refused) return false;
            }
            return true;
        });
    const bool in_batches =
        updated &&
        print_speed_of_threads("the same, in batches", count, keys, *filter, [&](std::uint64_t t, std::uint64_t i) {
            if (!insert(t * range + range / 4 * 3 + i, batch / 4 * 3)) return false;
            std::array<digest, batch / 4> items;
            std::array<deferred_outcome, batch / 4> outcomes;
            for (std::size_t j = 0; j < items.size(); ++j) items[j] = item_of(t * range + range / 2 + i / 4 + j);
            filter->erase_later(items, outcomes);
            return std::find(outcomes.begin(), outcomes.end(), deferred_outcome::refused) == outcomes.end();
        });
    if (!in_batches) return fail(filter->last_error().value_or(failure{failure_reason::no_room, "a key was refused"}));
    return filter->close();
}

result<void> run(const std::string& path, std::uint64_t keys, std::uint64_t buffer_bytes, double fpr) {
    auto made = new_filter(path, keys, buffer_bytes, fpr);
    if (!made) return fail(made.error());
    slow_elastic& filter = *made;
    const auto refused = [&] {
        return fail(filter.last_error().value_or(failure{failure_reason::no_room, "a key was refused"}));
    };

    std::array<digest, batch> items;
    std::array<insert_outcome, batch> outcomes;
    std::uint64_t next = 0; // keys that were inserted
    std::uint64_t gone = 0; // the first of them are removed
    const auto insert = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) items[i] = item_of(next++);
        filter.insert(std::span(items).first(count), std::span(outcomes).first(count));
        return std::all_of(outcomes.begin(), outcomes.begin() + static_cast<std::ptrdiff_t>(count),
                           [](insert_outcome one) { return succeeded(one); });
    };
    if (!print_speed("insert", keys, filter, [&](std::uint64_t) { return insert(batch); })) return refused();
    print_sizes(filter);
    print_memory("then");
    const bool updated =
        print_speed("3 inserts : 1 erase", std::max<std::uint64_t>(keys / 4, 4'000'000), filter, [&](auto) {
            if (!insert(batch / 4 * 3)) return false;
            for (std::size_t i = 0; i < batch / 4; ++i) {
                if (filter.erase_later(item_of(gone++)) == deferred_outcome::refused) return false;
            }
            return true;
        });
    if (!updated) return refused();
    print_sizes(filter);
    print_memory("then");

    constexpr std::uint64_t questions = batch * 16384;
    std::array<std::uint8_t, batch> answers;
    const auto ask = [&](const char* what, auto key_of) {
        std::uint64_t found = 0;
        const double begin = seconds();
        for (std::uint64_t i = 0; i < questions; i += batch) {
            for (std::size_t j = 0; j < batch; ++j) items[j] = item_of(key_of(i + j));
            filter.may_contain(items, answers);
            for (const std::uint8_t one : answers) found += one;
        }
        std::printf("%-21s %6.1f M/s, %.4f %% found\n", what,
                    static_cast<double>(questions) / (seconds() - begin) / 1e6,
                    100 * static_cast<double>(found) / static_cast<double>(questions));
    };
    ask("queries, members", [&](std::uint64_t i) { return gone + i * 7 % (next - gone); });
    ask("queries, absent", [&](std::uint64_t i) { return next + 1'000'000'000 + i; });

    constexpr std::uint64_t verdicts = 100'000;
    std::uint64_t removed = 0;
    double begin = seconds();
    for (std::uint64_t i = 0; i < verdicts; ++i) {
        const auto done = filter.erase(item_of(gone++));
        if (!done) return fail(done.error());
        removed += *done == erase_outcome::removed ? 1 : 0;
    }
    std::printf("erase with a verdict  %6.1f us, %.0f %% removed\n", (seconds() - begin) * 1e6 / verdicts,
                100 * static_cast<double>(removed) / verdicts);

    if (auto closed = filter.close(); !closed) return closed;
    { const slow_elastic given_back = std::move(filter); } // its memory is needed for the next one
    begin = seconds();
    auto file = open_slow_file(path, slow_access::read);
    if (!file) return fail(file.error());
    const auto opened = slow_elastic::open(std::move(*file), slow_access::read, buffer_bytes);
    if (!opened) return fail(opened.error());
    std::printf("open                  %6.2f s\n", seconds() - begin);
    return {};
}

} // namespace
} // namespace everbloom

int main(int count, char** arguments) {
    if (count < 2) {
        std::fputs("usage: everbloom_slow_updates FILE [keys, 1e7] [buffer in MB, 32] [fpr, 0.001] [threads, 0]\n",
                   stderr);
        return 2;
    }
    const auto number = [&](int at, double otherwise) { return count > at ? std::atof(arguments[at]) : otherwise; };
    const auto keys = static_cast<std::uint64_t>(number(2, 1e7)) / everbloom::batch * everbloom::batch;
    const auto buffer_bytes = static_cast<std::uint64_t>(number(3, 32)) << 20;
    const auto threads = static_cast<std::uint64_t>(number(5, 0));
    const auto done = threads == 0
                          ? everbloom::run(arguments[1], keys, buffer_bytes, number(4, 0.001))
                          : everbloom::run_threads(arguments[1], keys, buffer_bytes, number(4, 0.001), threads);
    if (done) return 0;
    std::fprintf(stderr, "%s: %s\n", arguments[1], done.error().sentence.c_str());
    return 1;
}
