// A library to be preloaded (LD_PRELOAD) that makes a chosen system call of a program go wrong.
//
//   FAIL_CALL   which: open, write, pread, fsync, rename, ftruncate, lseek, flock, fchmod, mmap, malloc, aligned_alloc
//   FAIL_AT     the number of the call that goes wrong, counted from 1
//   FAIL_HOW    once      it fails, later ones do not                    forever    it fails, and so do all later ones
//               kill      the process is killed before the call          kill_after the process is killed after it
//               short     it and all later ones move at most 7 bytes (write, pread)
//   FAIL_ERRNO  what a failing call says, as a number
//
// Nothing happens before the program calls fault_arm(), nor after fault_disarm(): only the code under test is meant.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace {

struct plan {
    const char* call = std::getenv("FAIL_CALL");
    const char* how = std::getenv("FAIL_HOW");
    long at = number("FAIL_AT");
    int error = static_cast<int>(number("FAIL_ERRNO"));

    static long number(const char* name) {
        const char* text = std::getenv(name);
        return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
    }
};

plan planned;       // read by fault_arm
bool armed = false; // one thread, as the driver has
long seen = 0;
long happened = 0;

bool is(const char* word) { return planned.how != nullptr && std::strcmp(planned.how, word) == 0; }

enum class verdict { real, failing, shortened, deadly };

/// What is to happen to this call.
verdict judge(const char* call) {
    if (!armed || planned.call == nullptr || std::strcmp(planned.call, call) != 0) return verdict::real;
    ++seen;
    const bool lasting = is("forever") || is("short");
    if (lasting ? seen < planned.at : seen != planned.at) return verdict::real;
    ++happened;
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

} // namespace

extern "C" {

void fault_arm() {
    planned = plan();
    seen = happened = 0;
    armed = true;
}
long fault_disarm() {
    armed = false;
    return happened;
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

void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) noexcept {
    static const auto real = next<void* (*)(void*, size_t, int, int, int, off_t)>("mmap");
    return perform(real, "mmap", MAP_FAILED, address, length, protection, flags, file, offset);
}

// glibc's own names of the allocator: looking them up with dlsym could allocate.
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) noexcept { return perform(__libc_malloc, "malloc", static_cast<void*>(nullptr), bytes); }

void* calloc(size_t count, size_t bytes) noexcept {
    return perform(__libc_calloc, "malloc", static_cast<void*>(nullptr), count, bytes);
}

void* realloc(void* memory, size_t bytes) noexcept {
    return perform(__libc_realloc, "malloc", static_cast<void*>(nullptr), memory, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
    return perform(__libc_memalign, "aligned_alloc", static_cast<void*>(nullptr), alignment, bytes);
}

} // extern "C"
