// bit_array: single bits over a word store. Bit i is bit i mod 64 of word i / 64.
//
// The array does not check indexes; its filters compute them by reducing a digest to the range.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/bits/word_store.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace everbloom {

/// Access to bits by a value that a loop can keep in registers (see cell_view.hpp for why). Does not own the words.
template <class Word>
class bit_view {
public:
    explicit bit_view(Word* words) noexcept : words_(words) {}

    [[nodiscard]] bool test(std::uint64_t index) const noexcept {
        return ((words_[index / word_bits] >> (index % word_bits)) & 1) != 0;
    }
    void set(std::uint64_t index) const noexcept
        requires(!std::is_const_v<Word>)
    {
        words_[index / word_bits] |= std::uint64_t{1} << (index % word_bits);
    }
    void reset(std::uint64_t index) const noexcept
        requires(!std::is_const_v<Word>)
    {
        words_[index / word_bits] &= ~(std::uint64_t{1} << (index % word_bits));
    }
    /// If `wanted`, without a branch.
    void set(std::uint64_t index, bool wanted) const noexcept
        requires(!std::is_const_v<Word>)
    {
        words_[index / word_bits] |= std::uint64_t{wanted} << (index % word_bits);
    }
    void reset(std::uint64_t index, bool wanted) const noexcept
        requires(!std::is_const_v<Word>)
    {
        words_[index / word_bits] &= ~(std::uint64_t{wanted} << (index % word_bits));
    }
    void prefetch(std::uint64_t index) const noexcept { prefetch_line(words_ + index / word_bits); }
    [[nodiscard]] Word* words() const noexcept { return words_; }

private:
    Word* words_;
};

template <WordStore Store>
class bit_array {
public:
    bit_array() noexcept = default;

    /// The store must hold at least `bits` bits; what lies behind them stays zero.
    bit_array(std::uint64_t bits, Store store) noexcept : bits_(bits), store_(std::move(store)) {}

    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] const Store& store() const noexcept { return store_; }
    [[nodiscard]] Store& store() noexcept { return store_; }

    [[nodiscard]] bit_view<const std::uint64_t> view() const noexcept { return bit_view(store_.data()); }
    [[nodiscard]] bit_view<std::uint64_t> view() noexcept
        requires WritableWordStore<Store>
    {
        return bit_view(store_.data());
    }

    [[nodiscard]] bool test(std::uint64_t index) const noexcept { return view().test(index); }
    void set(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        view().set(index);
    }
    void reset(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        view().reset(index);
    }

    [[nodiscard]] std::uint64_t count_ones() const noexcept {
        std::uint64_t ones = 0;
        for (std::uint64_t word = 0; word < store_.words(); ++word) {
            ones += static_cast<std::uint64_t>(std::popcount(store_.data()[word]));
        }
        return ones;
    }

private:
    std::uint64_t bits_ = 0;
    Store store_;
};

/// Whether every bit from `bits` on is zero: what a file may not hide behind the end of an array.
[[nodiscard]] inline bool tail_is_zero(std::span<const std::uint64_t> words, std::uint64_t bits) noexcept {
    const std::uint64_t last = bits / word_bits;
    if (last >= words.size()) return true;
    const std::span<const std::uint64_t> behind = words.subspan(static_cast<std::size_t>(last) + 1);
    return (words[last] & ~low_mask(static_cast<unsigned>(bits % word_bits))) == 0 &&
           std::all_of(behind.begin(), behind.end(), [](std::uint64_t word) { return word == 0; });
}
template <WordStore Store>
[[nodiscard]] bool tail_is_zero(const Store& store, std::uint64_t bits) noexcept {
    return tail_is_zero(std::span<const std::uint64_t>(store.data(), store.words()), bits);
}

} // namespace everbloom
