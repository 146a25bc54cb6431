#include "frame/last_words.hpp"

#include "frame/command.hpp"
#include "output/change_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace everbloom::cli {
namespace {

// Initialised at compile time: valid before the first initialiser runs.
constinit std::atomic<bool> memory_was_short = false;

void write_sentence(const char* sentence) noexcept {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, sentence, std::strlen(sentence));
}

/// The default behaviour of operator new, plus a note.
void note_shortage() {
    memory_was_short = true;
    throw std::bad_alloc();
}

[[noreturn]] void end_with_message() noexcept {
    if (memory_was_short) {
        // The lock of a file ends with the process; the next save deletes a half-written new file.
        ::_exit(report_no_memory());
    }
    write_sentence("everbloom: internal error; nothing was changed; please report the command that caused it\n");
    std::abort();
}

// Initialisers with a number below 101 belong to the compiler; this one runs before all of ours and of CLI11.
__attribute__((constructor(101))) void stand_by() {
    std::set_new_handler(&note_shortage);
    std::set_terminate(&end_with_message);
}

void announce(int number) {
    write_sentence("everbloom: interrupted\n");
    ::signal(number, SIG_DFL);
    ::raise(number);
}

} // namespace

int report_after_change(const char* what) noexcept {
    std::fprintf(stderr, "everbloom: %s", first_changed_file());
    if (changed_files() > 1) {
        std::fprintf(stderr, " and %zu more file%s", changed_files() - 1, changed_files() > 2 ? "s" : "");
    }
    std::fprintf(stderr, ": changed, but %s\n", what);
    return exit_changed;
}

int report_failure(const failure& what) noexcept {
    if (changed_files() != 0 && what.reason != failure_reason::not_durable) {
        return report_after_change(what.sentence.c_str());
    }
    std::fprintf(stderr, "everbloom: %s\n", what.sentence.c_str());
    return changed_files() != 0 ? exit_changed : exit_error;
}

int report_unwritten_output(int reason) noexcept {
    if (changed_files() == 0) {
        std::fprintf(stderr, "everbloom: cannot write to standard output: %s\n", std::strerror(reason));
        return exit_error;
    }
    std::array<char, 256> words{};
    std::snprintf(words.data(), words.size(),
                  "the report could not be written to standard output: %s; the change is complete, do not repeat it",
                  std::strerror(reason));
    return report_after_change(words.data());
}

int report_no_memory() noexcept {
    if (changed_files() != 0)
        return report_after_change("memory ran out before the command was done; do not repeat it");
    std::fputs("everbloom: out of memory; nothing was changed\n", stderr);
    return exit_error;
}

void occupy_closed_streams() noexcept {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
        // Opened for the other direction, so that reading or writing fails as with a closed stream. All lower numbers are taken.
        const int mode = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", mode) != stream) ::_exit(exit_error); // without a stream for the reason
    }
}

void announce_interruptions() noexcept {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction old {};
        if (::sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) ::signal(number, &announce);
    }
}

} // namespace everbloom::cli
