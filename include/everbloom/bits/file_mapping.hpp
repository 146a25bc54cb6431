// file_mapping: a file seen as read-only memory, for as long as the object lives.
#pragma once

#include <everbloom/core/result.hpp>

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace everbloom {

class file_mapping {
public:
    file_mapping() noexcept = default;

    /// Maps the first `bytes` of an open file; the descriptor may be closed afterwards.
    [[nodiscard]] static result<file_mapping> map(int descriptor, std::uint64_t bytes) {
        file_mapping made;
        if (bytes == 0) return made;
        void* address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
        if (address == MAP_FAILED) {
            return fail(failure_reason::input_output,
                        std::string("cannot map the file into memory: ") + std::strerror(errno));
        }
        made.address_ = address;
        made.bytes_ = bytes;
        return made;
    }

    file_mapping(file_mapping&& other) noexcept
        : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    file_mapping& operator=(file_mapping&& other) noexcept {
        std::swap(address_, other.address_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    file_mapping(const file_mapping&) = delete;
    file_mapping& operator=(const file_mapping&) = delete;
    ~file_mapping() {
        if (address_ != nullptr) munmap(address_, bytes_);
    }

    [[nodiscard]] const void* address() const noexcept { return address_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

private:
    void* address_ = nullptr;
    std::uint64_t bytes_ = 0;
};

} // namespace everbloom
