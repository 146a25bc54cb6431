#include "output/standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace everbloom::cli {

result<void> write_output(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            return fail(failure_reason::input_output,
                        std::string("cannot write to standard output: ") + std::strerror(errno));
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

bool output_is_terminal() noexcept { return ::isatty(STDOUT_FILENO) != 0; }
bool messages_are_on_terminal() noexcept { return ::isatty(STDERR_FILENO) != 0; }
bool input_is_terminal() noexcept { return ::isatty(STDIN_FILENO) != 0; }

} // namespace everbloom::cli
