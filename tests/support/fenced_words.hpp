// Words with nothing around them: memory that may not be touched lies before the first word, or behind the last one.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace everbloom::support {

class fenced_words {
public:
    enum class side : std::uint8_t { front, back };

    explicit fenced_words(std::size_t most_words)
        : unit_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          bytes_((most_words * sizeof(std::uint64_t) + unit_ - 1) / unit_ * unit_) {
        void* const mapped = mmap(nullptr, bytes_ + 2 * unit_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) throw std::runtime_error("no memory for words between fences");
        mapped_ = static_cast<char*>(mapped);
        if (mprotect(mapped_ + unit_, bytes_, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect");
    }
    fenced_words(const fenced_words&) = delete;
    fenced_words& operator=(const fenced_words&) = delete;
    ~fenced_words() { munmap(mapped_, bytes_ + 2 * unit_); }

    /// A copy of some words, at one of the fences.
    [[nodiscard]] std::uint64_t* put(const std::vector<std::uint64_t>& words, side at) {
        const std::size_t size = words.size() * sizeof(std::uint64_t);
        char* const to = mapped_ + unit_ + (at == side::front ? 0 : bytes_ - size);
        std::memcpy(to, words.data(), size);
        return reinterpret_cast<std::uint64_t*>(to);
    }

private:
    std::size_t unit_;
    std::size_t bytes_;
    char* mapped_ = nullptr;
};

} // namespace everbloom::support
