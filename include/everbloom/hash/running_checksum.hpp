// running_checksum: the checksum of data that comes in pieces; equal to `checksum` of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace everbloom {

class running_checksum {
public:
    running_checksum(); // may throw std::bad_alloc
    ~running_checksum();
    running_checksum(const running_checksum&) = delete;
    running_checksum& operator=(const running_checksum&) = delete;

    void add(const void* data, std::size_t bytes) noexcept;
    /// The bytes of a number or of an array of numbers, as they are in memory.
    template <class Number>
    void add(const Number& number) noexcept {
        add(&number, sizeof number);
    }

    /// Of all bytes so far.
    [[nodiscard]] std::uint64_t value() const noexcept;

private:
    struct state; // of xxhash, whose header is not needed here
    std::unique_ptr<state> state_;
};

} // namespace everbloom
