#include "gate/quit_key.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <system_error>

namespace everbloom::cli {

quit_key::quit_key(cancellation& cancel) {
    terminal_ = ::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    // A program in the background would be stopped for changing the terminal.
    if (terminal_ < 0 || ::tcgetpgrp(terminal_) != ::getpgrp() || ::tcgetattr(terminal_, &before_) != 0) return;
    termios passing = before_;
    passing.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    passing.c_cc[VMIN] = 1;
    passing.c_cc[VTIME] = 0;
    if (::tcsetattr(terminal_, TCSANOW, &passing) != 0) return;
    // Signals are for the thread that judges packets: they interrupt its waiting.
    sigset_t all;
    sigset_t usual;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &usual);
    try {
        waiting_ = std::thread([this, &cancel] { wait(cancel); });
    } catch (const std::system_error&) { // no thread, no key; Ctrl-C still works
        ::tcsetattr(terminal_, TCSANOW, &before_);
    }
    ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
}

quit_key::~quit_key() {
    if (active()) {
        over_.request();
        waiting_.join();
        ::tcsetattr(terminal_, TCSANOW, &before_);
    }
    if (terminal_ >= 0) ::close(terminal_);
}

void quit_key::wait(cancellation& cancel) const {
    std::array<pollfd, 2> watched{{{terminal_, POLLIN, 0}, {over_.descriptor(), POLLIN, 0}}};
    for (;;) {
        if (::poll(watched.data(), watched.size(), -1) < 0 || watched[1].revents != 0) return;
        char key = 0;
        if (::read(terminal_, &key, 1) != 1) return; // the terminal is gone
        if (key != 'q' && key != 'Q') continue;
        cancel.request();
        return;
    }
}

} // namespace everbloom::cli
