#include "frame/interruption.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace everbloom::cli {
namespace {

// A handler has no other way to reach what it must tell; the object below is the only one that sets these.
std::atomic<cancellation*> listener = nullptr;
volatile std::sig_atomic_t caught_signal = 0;

// SIGPIPE: whoever reads our output has gone.
constexpr std::array<int, 4> handled{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

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
    for (std::size_t i = 0; i < handled.size(); ++i) {
        // Who started us with a signal ignored (nohup) meant it.
        if (::sigaction(handled[i], nullptr, &before_[i]) == 0 && before_[i].sa_handler != SIG_IGN) {
            ::sigaction(handled[i], &action, nullptr);
        }
    }
}

interruption::~interruption() {
    for (std::size_t i = 0; i < handled.size(); ++i) {
        struct sigaction current {};
        if (::sigaction(handled[i], nullptr, &current) == 0 && current.sa_handler == &remember) {
            ::sigaction(handled[i], &before_[i], nullptr);
        }
    }
    listener = nullptr;
}

int interruption::caught() noexcept { return caught_signal; }

failure interrupted_after(const std::string& how_far, std::uint64_t lines_printed) {
    if (lines_printed == 0) return {failure_reason::input_output, "interrupted after " + how_far};
    return {failure_reason::input_output, "interrupted after " + how_far + "; the " + std::to_string(lines_printed) +
                                              (lines_printed == 1 ? " line printed is" : " lines printed are") +
                                              " complete up to there"};
}

} // namespace everbloom::cli
