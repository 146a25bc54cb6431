// cancellation: a request to stop, for threads that may be waiting for input.
//
// A flag alone does not wake a thread that waits in poll, so an event descriptor comes with it, which poll can watch. `request` is
// safe to call from a signal handler.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace everbloom::cli {

class cancellation {
public:
    cancellation() noexcept : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    cancellation(const cancellation&) = delete;
    cancellation& operator=(const cancellation&) = delete;
    ~cancellation() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    void request() noexcept {
        requested_.store(true, std::memory_order_relaxed);
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t woken = ::write(descriptor_, &one, sizeof one);
    }

    [[nodiscard]] bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
    /// Becomes readable with the request. Negative if the system had no descriptor left: then only the flag works.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
    std::atomic<bool> requested_ = false;
};

} // namespace everbloom::cli
