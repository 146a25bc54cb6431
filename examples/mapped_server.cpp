// One filter file, many readers.
//
// The job: a nightly program builds a filter and saves it; the workers of a server map the file read-only. All of them share one copy in
// the page cache, and `verify::header` opens a file of any size at once. A `mapped_filter` fits: it answers from the file, and nothing can
// change it by mistake. Here the workers are threads; processes do the same.
//
// The output: what version 1 and version 2 of the file answer. A save replaces the file in one step: old mappings go on answering from
// the old one until a worker maps again. The program fails if any worker sees a mixture.
#include <everbloom/everbloom.hpp>

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace {

// The kind is fixed: its query is inlined into the worker's loop.
using blocklist = everbloom::filter<std::uint64_t, everbloom::blocked>;

constexpr std::uint64_t keys = 50'000;

struct temporary_folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("everbloom-" + std::to_string(::getpid()));
    temporary_folder() { std::filesystem::create_directory(path); }
    ~temporary_folder() { std::filesystem::remove_all(path); }
};

/// Version v holds the keys [v * keys, (v + 1) * keys).
void publish(const std::string& path, std::uint64_t version) {
    blocklist made({.capacity = keys, .fpr = 0.001});
    for (std::uint64_t i = 0; i < keys; ++i) made.insert(version * keys + i);
    made.save(path);
}

std::uint64_t positives(const everbloom::mapped_filter<std::uint64_t, everbloom::blocked>& list,
                        std::uint64_t version) {
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < keys; ++i) found += list.may_contain(version * keys + i) ? 1 : 0;
    return found;
}

} // namespace

int main() try {
    constexpr int workers = 3;
    const temporary_folder folder;
    const std::string path = (folder.path / "blocklist.eb").string();
    publish(path, 1);

    std::latch mapped(workers);
    std::atomic<bool> replaced = false;
    std::atomic<int> rounds = 0;
    std::atomic<int> wrong = 0;
    const auto serve = [&] {
        const auto list =
            blocklist::map(path, everbloom::verify::header); // a file of our own needs no check of every byte
        mapped.count_down();
        for (bool last = false; !last; ++rounds) {
            last = replaced; // one round after the file was replaced: this mapping must not notice
            if (positives(list, 1) != keys) ++wrong;
        }
    };
    {
        std::vector<std::jthread> at_work;
        for (int i = 0; i < workers; ++i) at_work.emplace_back(serve);
        mapped.wait();
        publish(path, 2);
        replaced = true;
    }                                       // joins the workers
    const auto list = blocklist::map(path); // a worker maps again when it likes
    std::printf("old mappings: %d wrong answers while the file was replaced\n", static_cast<int>(wrong));
    std::printf("new mapping: %d of %d members of version 2, %d false positives of version 1\n",
                static_cast<int>(positives(list, 2)), static_cast<int>(keys), static_cast<int>(positives(list, 1)));
    return wrong == 0 && rounds >= workers && positives(list, 2) == keys && positives(list, 1) < keys / 200 ? 0 : 1;
} catch (const everbloom::error& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
}
