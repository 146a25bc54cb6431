#include "frame/cancellation.hpp"

#if __has_include(<sys/eventfd.h>) && !defined(EVERBLOOM_PORTABLE)
#include <sys/eventfd.h>
#define EVERBLOOM_HAVE_EVENTFD
#else
#include "output/pipe_ends.hpp"

#include <fcntl.h>
#endif

namespace everbloom::cli {

#if defined(EVERBLOOM_HAVE_EVENTFD)

cancellation::cancellation() noexcept : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), waking_(descriptor_) {}

#else

cancellation::cancellation() noexcept {
    int ends[2];
    if (!open_pipe(ends)) return;
    for (const int end : ends) ::fcntl(end, F_SETFL, O_NONBLOCK); // a handler of signals must not wait in `request`
    descriptor_ = ends[0];
    waking_ = ends[1];
}

#endif

} // namespace everbloom::cli
