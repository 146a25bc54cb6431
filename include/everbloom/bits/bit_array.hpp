// bit_array: single bits over a word store. Bit i is bit i mod 64 of word i / 64.
//
// The array does not check indexes; its filters compute them by reducing a digest to the range.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/bits/word_store.hpp>

#include <bit>
#include <cstdint>
#include <utility>

namespace everbloom {

template <WordStore Store>
class bit_array {
public:
    bit_array() noexcept = default;

    /// The store must hold at least `bits` bits; what lies behind them stays zero.
    bit_array(std::uint64_t bits, Store store) noexcept : bits_(bits), store_(std::move(store)) {}

    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] const Store& store() const noexcept { return store_; }
    [[nodiscard]] Store& store() noexcept { return store_; }

    [[nodiscard]] bool test(std::uint64_t index) const noexcept {
        return ((store_.data()[index / word_bits] >> (index % word_bits)) & 1) != 0;
    }

    void set(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        store_.data()[index / word_bits] |= std::uint64_t{1} << (index % word_bits);
    }

    void reset(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        store_.data()[index / word_bits] &= ~(std::uint64_t{1} << (index % word_bits));
    }

    void prefetch(std::uint64_t index) const noexcept { __builtin_prefetch(store_.data() + index / word_bits); }

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
template <WordStore Store>
[[nodiscard]] bool tail_is_zero(const Store& store, std::uint64_t bits) noexcept {
    std::uint64_t word = bits / word_bits;
    if (word >= store.words()) return true;
    if ((store.data()[word] & ~low_mask(static_cast<unsigned>(bits % word_bits))) != 0) return false;
    for (++word; word < store.words(); ++word) {
        if (store.data()[word] != 0) return false;
    }
    return true;
}

} // namespace everbloom
