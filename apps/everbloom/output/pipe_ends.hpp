// open_pipe: both ends of a pipe, not inherited by programs that are started.
//
// pipe2 does that in one step. Where it is missing, a program that another thread starts between the two steps inherits the ends.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace everbloom::cli {

/// ends[0] is for reading. False: errno says why.
[[nodiscard]] inline bool open_pipe(int (&ends)[2]) noexcept {
#if defined(__linux__) && !defined(EVERBLOOM_PORTABLE)
    return ::pipe2(ends, O_CLOEXEC) == 0;
#else
    if (::pipe(ends) != 0) return false;
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    return true;
#endif
}

} // namespace everbloom::cli
