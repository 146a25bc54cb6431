// sparse_words: zeroed words of which only those that are touched cost memory, so that structures larger than any test machine can
// be tried.
#pragma once

#include <everbloom/bits/word_store.hpp>

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

namespace everbloom::support {

class sparse_words {
public:
    explicit sparse_words(std::uint64_t lines) : words_(lines * line_words) {
        void* const reserved = mmap(nullptr, words_ * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (reserved == MAP_FAILED) throw std::bad_alloc();
        data_ = static_cast<std::uint64_t*>(reserved);
    }
    sparse_words(sparse_words&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), words_(std::exchange(other.words_, 0)) {}
    sparse_words& operator=(sparse_words&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(words_, other.words_);
        return *this;
    }
    ~sparse_words() {
        if (data_ != nullptr) munmap(data_, words_ * sizeof(std::uint64_t));
    }

    [[nodiscard]] std::uint64_t* data() noexcept { return data_; }
    [[nodiscard]] const std::uint64_t* data() const noexcept { return data_; }
    [[nodiscard]] std::uint64_t words() const noexcept { return words_; }

private:
    std::uint64_t* data_ = nullptr;
    std::uint64_t words_ = 0;
};

static_assert(WritableWordStore<sparse_words>);

} // namespace everbloom::support
