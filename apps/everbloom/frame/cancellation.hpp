// cancellation: a request to stop, for threads that may be waiting for input.
//
// A flag alone does not wake a thread that waits in poll, so a descriptor comes with it, which poll can watch: an event descriptor of
// Linux, or the reading end of a pipe. `request` is safe to call from a signal handler.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace everbloom::cli {

class cancellation {
public:
    cancellation() noexcept; // cancellation.cpp
    cancellation(const cancellation&) = delete;
    cancellation& operator=(const cancellation&) = delete;
    ~cancellation() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (waking_ >= 0 && waking_ != descriptor_) ::close(waking_);
    }

    void request() noexcept {
        requested_.store(true, std::memory_order_relaxed);
        const std::uint64_t one = 1; // an event descriptor takes eight bytes at once, and a pipe any
        [[maybe_unused]] const ssize_t woken = ::write(waking_, &one, sizeof one);
    }

    [[nodiscard]] bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
    /// Becomes readable with the request. Negative if the system had no descriptor left: then only the flag works.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_ = -1;
    int waking_ = -1; // what is written here makes the other one readable; both may be one
    std::atomic<bool> requested_ = false;
};

} // namespace everbloom::cli
