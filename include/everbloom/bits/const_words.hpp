// const_words: a read-only view of words that live elsewhere, in a mapped file or in another filter.
//
// The view shares ownership of what it looks at, so that a mapped filter may outlive the function that opened its file. Words of another
// filter may lie in pieces (word_pieces.hpp); `data` is for those that lie in one.
#pragma once

#include <everbloom/bits/word_pieces.hpp>
#include <everbloom/bits/word_store.hpp>

#include <memory>
#include <utility>

namespace everbloom {

class const_words {
public:
    const_words() noexcept = default;
    const_words(const std::uint64_t* data, std::uint64_t words, std::shared_ptr<const void> owner) noexcept
        : data_(data), words_(words), owner_(std::move(owner)) {}
    const_words(const word_pieces& pieces, std::shared_ptr<const void> owner) noexcept
        : data_(pieces.whole().data()), words_(pieces.size()), units_(pieces.table()),
          unit_word_bits_(pieces.piece_bits()), owner_(std::move(owner)) {}

    const_words(const const_words&) = default;
    const_words& operator=(const const_words&) = default;
    const_words(const_words&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), words_(std::exchange(other.words_, 0)),
          units_(std::exchange(other.units_, nullptr)), unit_word_bits_(other.unit_word_bits_),
          owner_(std::move(other.owner_)) {}
    const_words& operator=(const_words&& other) noexcept {
        data_ = std::exchange(other.data_, nullptr);
        words_ = std::exchange(other.words_, 0);
        units_ = std::exchange(other.units_, nullptr);
        unit_word_bits_ = other.unit_word_bits_;
        owner_ = std::move(other.owner_);
        return *this;
    }
    ~const_words() = default;

    [[nodiscard]] const std::uint64_t* data() const noexcept { return data_; }
    [[nodiscard]] std::uint64_t words() const noexcept { return words_; }

    /// The addresses of pieces of 2^unit_word_bits words. Words in one piece are a single one, far larger than they are.
    [[nodiscard]] const std::uint64_t* const* units() const noexcept { return units_ != nullptr ? units_ : &data_; }
    [[nodiscard]] unsigned unit_word_bits() const noexcept { return units_ != nullptr ? unit_word_bits_ : 63; }
    /// The first `words` of them.
    [[nodiscard]] word_pieces pieces(std::uint64_t words) const noexcept {
        if (units_ != nullptr) return {units_, unit_word_bits_, words};
        return std::span(data_, static_cast<std::size_t>(words));
    }
    [[nodiscard]] word_pieces pieces() const noexcept { return pieces(words_); }

private:
    const std::uint64_t* data_ = nullptr;
    std::uint64_t words_ = 0;
    const std::uint64_t* const* units_ = nullptr; // null: in one piece
    unsigned unit_word_bits_ = 0;
    std::shared_ptr<const void> owner_;
};

static_assert(WordStore<const_words> && !WritableWordStore<const_words>);

} // namespace everbloom
