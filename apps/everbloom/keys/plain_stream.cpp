#include "keys/plain_stream.hpp"

#include "keys/key_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace everbloom::cli {

result<std::unique_ptr<plain_stream>> plain_stream::open(const std::string& name, const cancellation& cancel) {
    const bool is_input = name == "-";
    // A descriptor of its own in either case, so that it can be closed.
    const int descriptor =
        is_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return fail(unreadable(display_name(name)));
#if defined(POSIX_FADV_SEQUENTIAL) && !defined(EVERBLOOM_PORTABLE)
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL); // a hint; a pipe may refuse it
#endif
    return std::unique_ptr<plain_stream>(new plain_stream(display_name(name), descriptor, cancel));
}

plain_stream::~plain_stream() { ::close(descriptor_); }

result<std::size_t> plain_stream::read(std::span<char> into) {
    for (;;) {
        std::array<pollfd, 2> wait{{{descriptor_, POLLIN, 0}, {cancel_.descriptor(), POLLIN, 0}}};
        if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return fail(unreadable(name_));
        if (cancel_.requested()) return 0;
        if (wait[0].revents == 0) continue;
        const ssize_t got = ::read(descriptor_, into.data(), into.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return fail(unreadable(name_));
        offset_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
    }
}

bool plain_stream::ready() const {
    pollfd look{descriptor_, POLLIN, 0};
    return ::poll(&look, 1, 0) > 0;
}

} // namespace everbloom::cli
