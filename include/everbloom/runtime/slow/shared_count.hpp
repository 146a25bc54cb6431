// shared_count: a number that threads read and change at the same time, each change as a whole. It orders nothing else.
//
// Copied and moved it is like any number: by one thread, while no other has it.
#pragma once

#include <atomic>
#include <cstdint>

namespace everbloom {

class shared_count {
public:
    shared_count(std::uint64_t value = 0) noexcept : value_(value) {} // NOLINT(google-explicit-constructor)
    shared_count(const shared_count& other) noexcept : value_(other.now()) {}
    shared_count& operator=(const shared_count& other) noexcept {
        value_.store(other.now(), std::memory_order_relaxed);
        return *this;
    }
    ~shared_count() = default;

    [[nodiscard]] std::uint64_t now() const noexcept { return value_.load(std::memory_order_relaxed); }
    operator std::uint64_t() const noexcept { return now(); } // NOLINT(google-explicit-constructor)

    /// What it was before.
    std::uint64_t add(std::uint64_t more) noexcept { return value_.fetch_add(more, std::memory_order_relaxed); }
    shared_count& operator+=(std::uint64_t more) noexcept {
        add(more);
        return *this;
    }
    shared_count& operator-=(std::uint64_t less) noexcept {
        value_.fetch_sub(less, std::memory_order_relaxed);
        return *this;
    }

private:
    std::atomic<std::uint64_t> value_;
};

} // namespace everbloom
