// packed_cells: an array of small unsigned numbers, 1 to 32 bits each, without a bit between them.
//
// Cell i occupies the bits [i * width, (i + 1) * width) of the store, lowest bit first; where the width does not divide 64
// a cell may lie across two words:
//
//      word 0                       word 1
//   ...| cell 11 | cell 12 |  cell 13 low | cell 13 high | cell 14 | ...
//
// Arithmetic saturates at both ends: the largest value stays, zero stays.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/bits/word_store.hpp>

#include <cstdint>
#include <utility>

namespace everbloom {

inline constexpr unsigned max_cell_bits = 32;

template <WordStore Store>
class packed_cells {
public:
    packed_cells() noexcept = default;

    /// `cell_bits` is 1 to 32; the store holds at least cells * cell_bits bits.
    packed_cells(std::uint64_t cells, unsigned cell_bits, Store store) noexcept
        : cells_(cells), cell_bits_(cell_bits), mask_(low_mask(cell_bits)), store_(std::move(store)) {}

    [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
    [[nodiscard]] unsigned cell_bits() const noexcept { return cell_bits_; }
    [[nodiscard]] std::uint64_t largest() const noexcept { return mask_; }
    [[nodiscard]] const Store& store() const noexcept { return store_; }
    [[nodiscard]] Store& store() noexcept { return store_; }

    [[nodiscard]] std::uint64_t get(std::uint64_t index) const noexcept {
        const place at = locate(index);
        const std::uint64_t* words = store_.data();
        std::uint64_t value = words[at.word] >> at.shift;
        if (at.straddles) value |= words[at.word + 1] << (word_bits - at.shift);
        return value & mask_;
    }

    /// `value` fits the cell.
    void set(std::uint64_t index, std::uint64_t value) noexcept
        requires WritableWordStore<Store>
    {
        const place at = locate(index);
        std::uint64_t* words = store_.data();
        words[at.word] = (words[at.word] & ~(mask_ << at.shift)) | (value << at.shift);
        if (at.straddles) {
            const auto moved = static_cast<unsigned>(word_bits - at.shift);
            words[at.word + 1] = (words[at.word + 1] & ~(mask_ >> moved)) | (value >> moved);
        }
    }

    /// Returns the value afterwards, `largest()` at most.
    std::uint64_t increment(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        const std::uint64_t value = get(index);
        if (value == mask_) return value;
        set(index, value + 1);
        return value + 1;
    }

    /// Returns the value afterwards, zero at least.
    std::uint64_t decrement(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        const std::uint64_t value = get(index);
        if (value == 0) return 0;
        set(index, value - 1);
        return value - 1;
    }

    void prefetch(std::uint64_t index) const noexcept { __builtin_prefetch(store_.data() + locate(index).word); }

private:
    struct place {
        std::uint64_t word;
        unsigned shift;
        bool straddles;
    };

    [[nodiscard]] place locate(std::uint64_t index) const noexcept {
        const std::uint64_t bit = index * cell_bits_;
        const auto shift = static_cast<unsigned>(bit % word_bits);
        return {bit / word_bits, shift, shift + cell_bits_ > word_bits};
    }

    std::uint64_t cells_ = 0;
    unsigned cell_bits_ = 1;
    std::uint64_t mask_ = 1;
    Store store_;
};

} // namespace everbloom
