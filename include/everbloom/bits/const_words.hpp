// const_words: a read-only view of words that live elsewhere, in a mapped file or in another filter.
//
// The view shares ownership of what it looks at, so that a mapped filter may outlive the function that opened its file.
#pragma once

#include <everbloom/bits/word_store.hpp>

#include <memory>
#include <utility>

namespace everbloom {

class const_words {
public:
    const_words() noexcept = default;
    const_words(const std::uint64_t* data, std::uint64_t words, std::shared_ptr<const void> owner) noexcept
        : data_(data), words_(words), owner_(std::move(owner)) {}

    const_words(const const_words&) = default;
    const_words& operator=(const const_words&) = default;
    const_words(const_words&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), words_(std::exchange(other.words_, 0)),
          owner_(std::move(other.owner_)) {}
    const_words& operator=(const_words&& other) noexcept {
        data_ = std::exchange(other.data_, nullptr);
        words_ = std::exchange(other.words_, 0);
        owner_ = std::move(other.owner_);
        return *this;
    }
    ~const_words() = default;

    [[nodiscard]] const std::uint64_t* data() const noexcept { return data_; }
    [[nodiscard]] std::uint64_t words() const noexcept { return words_; }

private:
    const std::uint64_t* data_ = nullptr;
    std::uint64_t words_ = 0;
    std::shared_ptr<const void> owner_;
};

static_assert(WordStore<const_words> && !WritableWordStore<const_words>);

} // namespace everbloom
