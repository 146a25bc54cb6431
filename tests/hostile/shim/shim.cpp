// A library to be preloaded (LD_PRELOAD) that makes a chosen system call of a program go wrong.
//
//   FAIL_CALL   which: open, write, pread, fsync, syncfs, rename, ftruncate, lseek, flock, fchmod, fchown, close, unlink, mmap,
//               malloc, aligned_alloc; memory: the last two
//   FAIL_AT     the number of the call that goes wrong, counted from 1
//   FAIL_HOW    once      it fails, later ones do not                    forever    it fails, and so do all later ones
//               kill      the process is killed before the call          kill_after the process is killed after it
//               short     it and all later ones move at most 7 bytes (write, pread)
//   FAIL_ERRNO  what a failing call says, as a number
//   FAIL_LEAST  only allocations of at least so many bytes are meant
//   FAIL_FROM   start: from the first initialiser of the program on; otherwise the program says when, by fault_arm
//   FAIL_COUNT  a file of 16 bytes: how many of the calls there were and how many went wrong, as two numbers of 8 bytes that are there
//               however the program ends
//
//   FAIL_REPORT a file: the program need not know of the shim. It counts from the start of main, or a little before, and at the end
//               the file holds a line "CALL N" for every kind of call, N of them; and "faults N": so many went wrong
//
// Without FAIL_FROM and FAIL_REPORT nothing happens before the program calls fault_arm(), nor after fault_disarm(): only the code under
// test is meant.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct plan {
    const char* call = std::getenv("FAIL_CALL");
    const char* how = std::getenv("FAIL_HOW");
    long at = number("FAIL_AT");
    int error = static_cast<int>(number("FAIL_ERRNO"));
    std::size_t least_bytes = static_cast<std::size_t>(number("FAIL_LEAST"));

    static long number(const char* name) {
        const char* text = std::getenv(name);
        return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
    }
};

plan planned; // read by fault_arm
std::atomic<bool> armed = false;
std::atomic<long> own_counts[2]; // calls seen of the kind that is to go wrong, calls that went wrong
std::atomic<long>* counts = own_counts;

bool is(const char* word) { return planned.how != nullptr && std::strcmp(planned.how, word) == 0; }

enum class verdict { real, failing, shortened, deadly };

/// How many calls of each kind there were.
struct counted_kind {
    const char* call;
    std::atomic<long> count;
};
counted_kind kinds[] = {{"open", 0},   {"write", 0},  {"pread", 0},     {"fsync", 0},
                        {"syncfs", 0}, {"rename", 0}, {"lseek", 0},     {"flock", 0},
                        {"fchmod", 0}, {"fchown", 0}, {"close", 0},     {"unlink", 0},
                        {"mmap", 0},   {"malloc", 0}, {"ftruncate", 0}, {"aligned_alloc", 0}};

bool is_meant(const char* call) {
    if (planned.call == nullptr) return false;
    if (std::strcmp(planned.call, "memory") != 0) return std::strcmp(planned.call, call) == 0;
    return std::strcmp(call, "malloc") == 0 || std::strcmp(call, "aligned_alloc") == 0;
}

/// What is to happen to this call.
verdict judge(const char* call) {
    if (!armed) return verdict::real;
    for (counted_kind& kind : kinds) {
        if (std::strcmp(kind.call, call) == 0) ++kind.count;
    }
    if (!is_meant(call)) return verdict::real;
    const long seen = ++counts[0];
    const bool lasting = is("forever") || is("short");
    if (lasting ? seen < planned.at : seen != planned.at) return verdict::real;
    ++counts[1];
    if (is("kill")) ::raise(SIGKILL);
    if (is("kill_after")) return verdict::deadly;
    if (is("short")) return verdict::shortened;
    errno = planned.error;
    return verdict::failing;
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// The call as judged. `name` is that of the function, `call` the one it counts as.
template <class Function, class Result, class... Arguments>
Result perform(Function real, const char* call, Result failed, Arguments... arguments) {
    const verdict found = judge(call);
    if (found == verdict::failing) return failed;
    const Result result = real(arguments...);
    if (found == verdict::deadly) ::raise(SIGKILL);
    return result;
}

constexpr std::size_t short_bytes = 7;

/// The name under which an allocation counts, or one that nobody asks for.
const char* large(const char* call, std::size_t bytes) { return bytes >= planned.least_bytes ? call : "small"; }

/// Libraries that are preloaded are initialised before the program.
__attribute__((constructor)) void arm_from_the_start() {
    if (const char* path = std::getenv("FAIL_COUNT"); path != nullptr) {
        const int file = ::open(path, O_RDWR | O_CLOEXEC);
        void* memory = ::mmap(nullptr, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED) counts = static_cast<std::atomic<long>*>(memory);
        ::close(file);
    }
    const char* from = std::getenv("FAIL_FROM");
    if (from != nullptr && std::strcmp(from, "start") == 0) {
        planned = plan();
        armed = true;
    }
}

} // namespace

extern "C" {

void fault_arm() {
    planned = plan();
    counts[0] = counts[1] = 0;
    armed = true;
}
long fault_disarm() {
    armed = false;
    return counts[1];
}

// For programs that do not know of the shim.
__attribute__((constructor)) void arm_by_itself() {
    if (std::getenv("FAIL_REPORT") != nullptr) fault_arm();
}
__attribute__((destructor)) void report_faults() {
    const char* path = std::getenv("FAIL_REPORT");
    if (path == nullptr) return;
    armed = false;
    const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) std::abort();
    for (const counted_kind& kind : kinds) ::dprintf(file, "%s %ld\n", kind.call, kind.count.load());
    ::dprintf(file, "faults %ld\n", counts[1].load());
    ::close(file);
}

int open(const char* path, int flags, ...) {
    static const auto real = next<int (*)(const char*, int, ...)>("open");
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return perform(real, "open", -1, path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t count) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
    if (armed && is("short") && judge("write") == verdict::shortened) count = std::min(count, short_bytes);
    if (is("short")) return real(file, bytes, count);
    return perform(real, "write", ssize_t{-1}, file, bytes, count);
}

ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
    static const auto real = next<ssize_t (*)(int, void*, size_t, off_t)>("pread");
    if (armed && is("short") && judge("pread") == verdict::shortened) count = std::min(count, short_bytes);
    if (is("short")) return real(file, bytes, count, offset);
    return perform(real, "pread", ssize_t{-1}, file, bytes, count, offset);
}

int fsync(int file) {
    static const auto real = next<int (*)(int)>("fsync");
    return perform(real, "fsync", -1, file);
}

int rename(const char* from, const char* to) noexcept {
    static const auto real = next<int (*)(const char*, const char*)>("rename");
    return perform(real, "rename", -1, from, to);
}

int ftruncate(int file, off_t length) noexcept {
    static const auto real = next<int (*)(int, off_t)>("ftruncate");
    return perform(real, "ftruncate", -1, file, length);
}

off_t lseek(int file, off_t offset, int whence) noexcept {
    static const auto real = next<off_t (*)(int, off_t, int)>("lseek");
    return perform(real, "lseek", off_t{-1}, file, offset, whence);
}

int flock(int file, int operation) noexcept {
    static const auto real = next<int (*)(int, int)>("flock");
    return perform(real, "flock", -1, file, operation);
}

int fchmod(int file, mode_t mode) noexcept {
    static const auto real = next<int (*)(int, mode_t)>("fchmod");
    return perform(real, "fchmod", -1, file, mode);
}

int syncfs(int file) noexcept {
    static const auto real = next<int (*)(int)>("syncfs");
    return perform(real, "syncfs", -1, file);
}

int fchown(int file, uid_t owner, gid_t group) noexcept {
    static const auto real = next<int (*)(int, uid_t, gid_t)>("fchown");
    return perform(real, "fchown", -1, file, owner, group);
}

int close(int file) {
    static const auto real = next<int (*)(int)>("close");
    return perform(real, "close", -1, file);
}

int unlink(const char* path) noexcept {
    static const auto real = next<int (*)(const char*)>("unlink");
    return perform(real, "unlink", -1, path);
}

void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) noexcept {
    static const auto real = next<void* (*)(void*, size_t, int, int, int, off_t)>("mmap");
    return perform(real, "mmap", MAP_FAILED, address, length, protection, flags, file, offset);
}

// glibc's own names of the allocator: looking them up with dlsym could allocate.
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) noexcept {
    return perform(__libc_malloc, large("malloc", bytes), static_cast<void*>(nullptr), bytes);
}

void* calloc(size_t count, size_t bytes) noexcept {
    return perform(__libc_calloc, large("malloc", count * bytes), static_cast<void*>(nullptr), count, bytes);
}

void* realloc(void* memory, size_t bytes) noexcept {
    return perform(__libc_realloc, large("malloc", bytes), static_cast<void*>(nullptr), memory, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
    return perform(__libc_memalign, large("aligned_alloc", bytes), static_cast<void*>(nullptr), alignment, bytes);
}

} // extern "C"
