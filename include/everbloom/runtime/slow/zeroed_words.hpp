// zeroed_words: memory that goes back to the system when it is released.
//
// Blocks and buffers of a slow filter come and go in sizes that never repeat. From malloc's heap they would leave holes, and a process
// with little memory to spare would run out of it; so large ones come from the system in whole pages.
#pragma once

#include <everbloom/core/units.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace everbloom {

class zeroed_words {
public:
    zeroed_words() noexcept = default;
    /// Aligned to a cache line. `data` is null if there is no memory.
    [[nodiscard]] static zeroed_words make(std::uint64_t count) noexcept;
    /// Asks the system for all of the memory at once, for words that will all be filled soon. Otherwise it comes page by page as it is touched,
    /// and twice for pages that are read first, which holds up the other threads of the process for a moment each time.
    void provide() noexcept;

    zeroed_words(zeroed_words&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    zeroed_words& operator=(zeroed_words&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }
    zeroed_words(const zeroed_words&) = delete;
    zeroed_words& operator=(const zeroed_words&) = delete;
    ~zeroed_words() {
        if (data_ != nullptr) release();
    }

    [[nodiscard]] std::uint64_t* data() noexcept { return data_; }
    [[nodiscard]] const std::uint64_t* data() const noexcept { return data_; }
    [[nodiscard]] std::uint64_t& operator[](std::size_t i) noexcept { return data_[i]; }
    [[nodiscard]] const std::uint64_t& operator[](std::size_t i) const noexcept { return data_[i]; }
    [[nodiscard]] std::uint64_t size() const noexcept { return count_; }

private:
    void release() noexcept;

    std::uint64_t* data_ = nullptr;
    std::uint64_t count_ = 0;
};

} // namespace everbloom
