// quit_key: the key q on the terminal as an orderly end of a live run.
//
// A thread waits for the key and requests the cancellation, which also wakes a source that waits for packets. Standard input may be the
// packets, so the key is read from the controlling terminal. While the object lives, the terminal passes keys on at once and does
// not show them; Ctrl-C works as before.
#pragma once

#include "frame/cancellation.hpp"

#include <termios.h>

#include <thread>

namespace everbloom::cli {

class quit_key {
public:
    /// `cancel` must outlive the object.
    explicit quit_key(cancellation& cancel);
    quit_key(const quit_key&) = delete;
    quit_key& operator=(const quit_key&) = delete;
    /// Restores the terminal.
    ~quit_key();

    /// False if there is no terminal, or another program has it in the foreground.
    [[nodiscard]] bool active() const noexcept { return waiting_.joinable(); }

private:
    void wait(cancellation& cancel) const;

    int terminal_ = -1;
    termios before_{};
    cancellation over_;
    std::thread waiting_;
};

} // namespace everbloom::cli
