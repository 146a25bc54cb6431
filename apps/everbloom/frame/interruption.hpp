// interruption: while a command changes a file, Ctrl-C (and its relatives) ends it in good order: the lock goes, the old file stays.
//
// The first signal asks the command to stop; it returns, everything is put away, and main ends the program by the same signal, so
// that the shell sees the truth. The second signal is not caught any more. A save that has begun is finished.
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

    /// What an interrupted command says that has printed nothing and changed nothing. Others say what they leave behind: a failure
    /// whose sentence begins with the word "interrupted".
    static constexpr const char* sentence = "interrupted; nothing was changed";

    [[nodiscard]] cancellation& wish() noexcept { return wish_; }

    /// A failure if somebody wants us to stop: the last moment to ask is before a save.
    [[nodiscard]] result<void> check() const {
        if (wish_.requested()) return fail(failure_reason::input_output, sentence);
        return {};
    }

    /// The signal that came, or 0. Stays known after the object is gone.
    [[nodiscard]] static int caught() noexcept;

private:
    cancellation wish_;
    std::array<struct sigaction, 4> before_{}; // who listened before us, by the order of the signals
};

/// Of a command that prints as it reads: how far it came ("12 keys"), and how many lines it left behind.
[[nodiscard]] failure interrupted_after(const std::string& how_far, std::uint64_t lines_printed);

} // namespace everbloom::cli
