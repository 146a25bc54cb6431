// Work that is done in a child, because it limits, signs away or loses something that the test program still needs.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

namespace everbloom::hostile {

/// Exit code of `work` in a forked child; 128 + the signal if it was killed; 99 if an exception came out of it.
template <class Work>
[[nodiscard]] int exit_code_in_child(Work work) {
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("cannot fork");
    if (child == 0) {
        int code = 99;
        try {
            code = work();
        } catch (const std::exception&) {
        }
        ::_exit(code); // not exit: the buffers and the report of the test program are its own
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A number out of /proc/self/<file>, for example ("status", "VmPeak:") in kB.
[[nodiscard]] inline std::uint64_t of_this_process(const std::string& file, const std::string& label) {
    std::ifstream lines("/proc/self/" + file);
    std::string word;
    std::uint64_t number = 0;
    while (lines >> word) {
        if (word == label && lines >> number) return number;
    }
    throw std::runtime_error("the system does not say " + label);
}

} // namespace everbloom::hostile
