#include "plain_stream.hpp"

#include "key_files.hpp"

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
    // Our own descriptor in either case, so that closing it harms nobody.
    const int descriptor =
        is_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return fail(unreadable(display_name(name)));
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL); // a hint; a pipe may refuse it
    return std::unique_ptr<plain_stream>(new plain_stream(display_name(name), descriptor, cancel));
}

plain_stream::~plain_stream() { ::close(descriptor_); }

result<std::size_t> plain_stream::read(std::span<char> into) {
    if (start_.empty()) return read_descriptor(into);
    const std::size_t count = std::min(into.size(), start_.size());
    std::copy_n(start_.begin(), count, into.begin());
    start_.erase(0, count);
    return count;
}

result<std::size_t> plain_stream::read_descriptor(std::span<char> into) {
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
    if (!start_.empty()) return true;
    pollfd look{descriptor_, POLLIN, 0};
    return ::poll(&look, 1, 0) > 0;
}

result<bool> plain_stream::starts_with(std::string_view wanted) {
    // Byte by byte in thought: a terminal that sends "a\n" must not be asked for more just to rule out a magic number.
    while (start_.size() < wanted.size() && wanted.starts_with(start_)) {
        std::array<char, 16> few{};
        const auto got = read_descriptor(std::span(few).first(wanted.size() - start_.size()));
        if (!got) return fail(got.error());
        if (*got == 0) return false;
        start_.append(few.data(), *got);
    }
    return start_.starts_with(wanted);
}

} // namespace everbloom::cli
