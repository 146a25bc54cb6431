#include "interruption.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace everbloom::cli {
namespace {

// A handler has no other way to reach what it must tell; the object below is the only one that sets these.
std::atomic<cancellation*> listener = nullptr;
volatile std::sig_atomic_t caught_signal = 0;

// SIGPIPE: whoever reads our output has gone.
constexpr std::array handled{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

void remember(int number) {
    caught_signal = number;
    if (cancellation* wish = listener.load()) wish->request();
}

} // namespace

interruption::interruption() {
    listener = &wish_;
    struct sigaction action {};
    action.sa_handler = &remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND); // not SA_RESTART: a read that waits must come back
    for (const int number : handled) {
        struct sigaction old {};
        // Who started us with a signal ignored (nohup) meant it.
        if (::sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
            ::sigaction(number, &action, nullptr);
        }
    }
}

interruption::~interruption() {
    for (const int number : handled) {
        struct sigaction current {};
        if (::sigaction(number, nullptr, &current) == 0 && current.sa_handler == &remember) {
            ::signal(number, SIG_DFL);
        }
    }
    listener = nullptr;
}

int interruption::caught() noexcept { return caught_signal; }

} // namespace everbloom::cli
