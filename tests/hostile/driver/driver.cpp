// What the hostile suite runs in a process of its own, to have its system calls refused and itself killed: a small user of the
// library.
//
//   hostile_driver create FILE KIND ITEMS       a new filter, saved
//   hostile_driver insert FILE FROM TO          open, insert the keys FROM to TO - 1, save, as one update
//   hostile_driver query FILE FROM TO           map, look for these keys
//   hostile_driver repeat FILE KEYS             insert KEYS keys and save, again and again; a line on stdout after each save; after
//                                               the first it waits for the end of stdin
//   hostile_driver share FILE FROM TO           as insert, a save per key; waits while another writer is busy
//   hostile_driver overflow - KIND ITEMS        a new filter, and little more memory than it has: takes keys until one is refused
//
// Exit code 0: done; 1: the library returned a failure, printed as "reason: sentence"; 2: a key is missing. With the shim
// preloaded, "faults N" on stdout says how often it struck.
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/file_update.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace everbloom;

using arguments = char**;

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

/// Puts the key in a buffer: the driver itself must not allocate while allocations are being refused.
std::string_view key(std::uint64_t index, std::span<char> buffer) {
    const int length = std::snprintf(buffer.data(), buffer.size(), "key %llu", static_cast<unsigned long long>(index));
    return {buffer.data(), static_cast<std::size_t>(length)};
}

result<void> insert_range(filter_file& file, std::uint64_t from, std::uint64_t to) {
    std::array<char, 32> buffer;
    for (std::uint64_t i = from; i < to; ++i) {
        if (auto done = file.handle.insert(key(i, buffer)); !done) return fail(std::move(done.error()));
    }
    return {};
}

result<void> create(const std::string& path, const build_request& wanted) {
    auto built = build(wanted);
    if (!built) return fail(std::move(built.error()));
    filter_file file;
    file.handle = keyed(std::move(*built), any_hasher(hash_id::siphash, hash_key::from_seed(20)));
    file.target = {*wanted.items, *wanted.fpr};
    return save_filter(file, path);
}

result<void> insert(const std::string& path, std::uint64_t from, std::uint64_t to) {
    auto update = file_update::begin(path);
    if (!update) return fail(std::move(update.error()));
    auto file = open_filter(path);
    if (!file) return fail(std::move(file.error()));
    if (auto done = insert_range(*file, from, to); !done) return done;
    return save_filter(*file, *update);
}

result<void> query(const std::string& path, std::uint64_t from, std::uint64_t to) {
    const auto file = map_filter(path);
    if (!file) return fail(file.error());
    std::array<char, 32> buffer;
    for (std::uint64_t i = from; i < to; ++i) {
        if (!file->handle.may_contain(key(i, buffer))) ::_exit(2);
    }
    return {};
}

result<void> repeat(const std::string& path, std::uint64_t keys) {
    for (std::uint64_t round = 0;; ++round) {
        if (auto done = insert(path, round * keys, (round + 1) * keys); !done) return done;
        std::puts("saved");
        std::fflush(stdout);
        while (round == 0 && std::getchar() != EOF) {
        }
    }
}

result<void> share(const std::string& path, std::uint64_t from, std::uint64_t to) {
    while (from < to) {
        auto done = insert(path, from, from + 1);
        if (done) {
            ++from;
        } else if (done.error().reason == failure_reason::busy) {
            ::usleep(200);
        } else {
            return done;
        }
    }
    return {};
}

/// A filter that is planned for ITEMS keys takes them, and more, until the memory ends; then all of them are there.
result<void> overflow(const build_request& wanted) {
    auto built = build(wanted);
    if (!built) return fail(std::move(built.error()));
    keyed handle(std::move(*built), any_hasher(hash_id::xxh3, hash_key::from_seed(20)));
    unsigned long pages = 0;
    std::FILE* const statm = std::fopen("/proc/self/statm", "r"); // its first number is the address space, in pages
    if (statm == nullptr || std::fscanf(statm, "%lu", &pages) != 1) return fail(failure_reason::input_output, "statm");
    std::fclose(statm);
    const rlim_t allowance = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{8} << 20);
    const rlimit limit{allowance, allowance};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return fail(failure_reason::input_output, "setrlimit");

    constexpr std::uint64_t endless = 50'000'000;
    std::array<char, 32> buffer;
    std::uint64_t taken = 0;
    while (taken < endless) {
        const auto outcome = handle.insert(key(taken, buffer));
        if (!outcome) return fail(outcome.error());
        if (!succeeded(*outcome)) break;
        ++taken;
    }
    if (taken < *wanted.items) return fail(failure_reason::no_room, "it refused a key that it was planned for");
    if (taken == endless) return fail(failure_reason::no_room, "the memory did not end");
    for (std::uint64_t i = 0; i < taken; ++i) {
        if (!handle.may_contain(key(i, buffer))) ::_exit(2);
    }
    return {};
}

/// The command, with its words turned into numbers and strings beforehand: what may fail from here on is the library.
result<void> run(int count, arguments words) {
    const std::string command = count > 1 ? words[1] : "";
    const std::string path = count > 2 ? words[2] : "";
    const build_request wanted{count > 3 ? words[3] : "", count > 4 ? number(words[4]) : 0, 0.01, {}};
    const std::uint64_t from = count > 3 ? number(words[3]) : 0;
    const std::uint64_t to = count > 4 ? number(words[4]) : 0;
    const auto arm = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "fault_arm"));
    const auto disarm = reinterpret_cast<long (*)()>(::dlsym(RTLD_DEFAULT, "fault_disarm"));
    if (arm != nullptr) arm();
    result<void> done = fail(failure_reason::bad_parameter, "unknown");
    if (command == "create") done = create(path, wanted);
    if (command == "insert") done = insert(path, from, to);
    if (command == "query") done = query(path, from, to);
    if (command == "repeat") done = repeat(path, from);
    if (command == "share") done = share(path, from, to);
    if (command == "overflow") done = overflow(wanted);
    if (disarm != nullptr) std::printf("faults %ld\n", disarm());
    return done;
}

} // namespace

int main(int count, char** words) {
    const auto done = run(count, words);
    if (done) return 0;
    const std::string_view reason = name_of(done.error().reason);
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(reason.size()), reason.data(), done.error().sentence.c_str());
    return 1;
}
