// interruption: Ctrl-C, SIGTERM, SIGHUP and SIGPIPE as an orderly end of a command: the lock is released, the old file stays.
//
// The first signal requests a cancellation; the command returns, destructors clean up, and main ends the program by the same signal, so
// that the shell sees the true cause. The second signal is not caught any more. A save that has begun is finished.
#pragma once

#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>

#include <array>
#include <csignal>
#include <cstdint>
#include <string>

namespace everbloom::cli {

class interruption {
public:
    interruption();
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;
    ~interruption();

    /// The message of an interrupted command that has printed nothing and changed nothing. Other commands return a failure whose
    /// sentence begins with the word "interrupted" and says what was done.
    static constexpr const char* sentence = "interrupted; nothing was changed";

    [[nodiscard]] cancellation& cancel() noexcept { return cancel_; }

    /// A failure if a signal came. The last call is the one before a save.
    [[nodiscard]] result<void> check() const {
        if (cancel_.requested()) return fail(failure_reason::input_output, sentence);
        return {};
    }

    /// The signal that came, or 0. Valid after the object is gone.
    [[nodiscard]] static int caught() noexcept;

private:
    cancellation cancel_;
    std::array<struct sigaction, 4> before_{}; // the handlers to restore, in the order of the signals
};

/// For a command that prints while it reads: how far it came ("12 keys"), and how many lines it printed.
[[nodiscard]] failure interrupted_after(const std::string& how_far, std::uint64_t lines_printed);

} // namespace everbloom::cli
