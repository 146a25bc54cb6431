#include "frame/interruption.hpp"

#include "output/wording.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace everbloom::cli {
namespace {

// A signal handler reaches nothing but globals; only the class below sets these.
std::atomic<cancellation*> listener = nullptr;
std::atomic<cancellation*> outer_listener = nullptr; // of a command that runs another one, as `watch` does
volatile std::sig_atomic_t caught_signal = 0;

// SIGPIPE: the reader of standard output is gone.
constexpr std::array<int, 4> handled{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

void remember(int number) {
    caught_signal = number;
    if (cancellation* cancel = listener.load()) cancel->request();
}

} // namespace

interruption::interruption() {
    outer_listener = listener.exchange(&cancel_);
    struct sigaction action {};
    action.sa_handler = &remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND); // not SA_RESTART: a waiting read must return
    for (std::size_t i = 0; i < handled.size(); ++i) {
        // A signal that is ignored from the start (nohup) stays ignored.
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
    listener = outer_listener.exchange(nullptr);
}

int interruption::caught() noexcept { return caught_signal; }

failure interrupted_after(const std::string& how_far, std::uint64_t lines_printed) {
    if (lines_printed == 0) return {failure_reason::input_output, "interrupted after " + how_far};
    return {failure_reason::input_output, "interrupted after " + how_far + "; the output up to there is complete (" +
                                              counted(lines_printed, "line") + ")"};
}

} // namespace everbloom::cli
