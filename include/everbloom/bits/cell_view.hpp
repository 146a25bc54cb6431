// cell_view: reading and changing packed cells, by a value that a loop can keep in registers.
//
// A loop that changes cells through their owner must fetch the owner's fields again after every write, because the write might
// have changed them for all the compiler knows. A view is a copy of those fields; it does not own the words.
//
// Cell i occupies the bits [i * width, (i + 1) * width), lowest bit first; where the width does not divide 64 a cell may lie
// across two words:
//
//      word 0                       word 1
//   ...| cell 11 | cell 12 |  cell 13 low | cell 13 high | cell 14 | ...
//
// `FixedBits` is the width where the compiler may know it, 0 where it is known at run time only.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/units.hpp>

#include <cstdint>
#include <type_traits>

namespace everbloom {

/// The widest cell of a filter.
inline constexpr unsigned max_cell_bits = 32;

template <class Word, unsigned FixedBits = 0>
class cell_view {
public:
    static constexpr bool writable = !std::is_const_v<Word>;
    static constexpr unsigned fixed_bits = FixedBits;

    cell_view(Word* words, unsigned cell_bits) noexcept
        : words_(words), cell_bits_(cell_bits), mask_(low_mask(cell_bits)) {}

    [[nodiscard]] unsigned cell_bits() const noexcept {
        if constexpr (FixedBits != 0) return FixedBits;
        return cell_bits_;
    }
    [[nodiscard]] std::uint64_t largest() const noexcept {
        if constexpr (FixedBits != 0) return low_mask(FixedBits);
        return mask_;
    }

    [[nodiscard]] std::uint64_t get(std::uint64_t index) const noexcept {
        const std::uint64_t bit = index * cell_bits();
        const unsigned shift = bit % word_bits;
        const Word* const at = words_ + bit / word_bits;
        std::uint64_t value = at[0] >> shift;
        if (straddles(shift)) [[unlikely]]
            value |= at[1] << (word_bits - shift);
        return value & largest();
    }

    /// `value` fits the cell.
    void set(std::uint64_t index, std::uint64_t value) const noexcept
        requires writable
    {
        const std::uint64_t bit = index * cell_bits();
        const unsigned shift = bit % word_bits;
        Word* const at = words_ + bit / word_bits;
        at[0] = (at[0] & ~(largest() << shift)) | (value << shift);
        if (straddles(shift)) [[unlikely]] {
            const auto moved = static_cast<unsigned>(word_bits - shift);
            at[1] = (at[1] & ~(largest() >> moved)) | (value >> moved);
        }
    }

    /// Requires that the sum fits the cell: within a word this is a single addition, since it cannot carry.
    void add_within(std::uint64_t index, std::uint64_t amount) const noexcept
        requires writable
    {
        const std::uint64_t bit = index * cell_bits();
        const unsigned shift = bit % word_bits;
        if (straddles(shift)) [[unlikely]]
            return set(index, get(index) + amount);
        words_[bit / word_bits] += amount << shift;
    }

    /// Requires that the cell holds at least `amount`.
    void subtract_within(std::uint64_t index, std::uint64_t amount) const noexcept
        requires writable
    {
        const std::uint64_t bit = index * cell_bits();
        const unsigned shift = bit % word_bits;
        if (straddles(shift)) [[unlikely]]
            return set(index, get(index) - amount);
        words_[bit / word_bits] -= amount << shift;
    }

    [[nodiscard]] Word* words() const noexcept { return words_; }

    void prefetch(std::uint64_t index) const noexcept { prefetch_line(words_ + index * cell_bits() / word_bits); }

private:
    [[nodiscard]] bool straddles(unsigned shift) const noexcept {
        if constexpr (FixedBits != 0) {
            if constexpr (word_bits % FixedBits == 0) return false;
        }
        return shift + cell_bits() > word_bits;
    }

    Word* words_;
    unsigned cell_bits_;
    std::uint64_t mask_;
};

} // namespace everbloom
