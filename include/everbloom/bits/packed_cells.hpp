// packed_cells: an array of small unsigned numbers, 1 to 32 bits each, without a bit between them.
//
// The array owns the words; a cell_view reads and changes them. Arithmetic saturates at both ends: the largest value stays,
// zero stays.
#pragma once

#include <everbloom/bits/cell_view.hpp>
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
        : cells_(cells), cell_bits_(cell_bits), store_(std::move(store)) {}

    [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
    [[nodiscard]] unsigned cell_bits() const noexcept { return cell_bits_; }
    [[nodiscard]] std::uint64_t largest() const noexcept { return low_mask(cell_bits_); }
    [[nodiscard]] const Store& store() const noexcept { return store_; }
    [[nodiscard]] Store& store() noexcept { return store_; }

    [[nodiscard]] cell_view<const std::uint64_t> view() const noexcept { return {store_.data(), cell_bits_}; }
    [[nodiscard]] cell_view<std::uint64_t> view() noexcept
        requires WritableWordStore<Store>
    {
        return {store_.data(), cell_bits_};
    }

    /// Calls `body(view)` with a view whose width is a constant for the widths that filters use most.
    template <class Body>
    auto with_view(Body body) const {
        return dispatch(store_.data(), body);
    }
    template <class Body>
    auto with_view(Body body)
        requires WritableWordStore<Store>
    {
        return dispatch(store_.data(), body);
    }

    [[nodiscard]] std::uint64_t get(std::uint64_t index) const noexcept { return view().get(index); }
    void set(std::uint64_t index, std::uint64_t value) noexcept
        requires WritableWordStore<Store>
    {
        view().set(index, value);
    }
    std::uint64_t increment(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        return view().increment(index);
    }
    std::uint64_t decrement(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        return view().decrement(index);
    }

private:
    template <class Word, class Body>
    auto dispatch(Word* words, Body& body) const {
        switch (cell_bits_) {
        case 2: return body(cell_view<Word, 2>(words, 2));
        case 4: return body(cell_view<Word, 4>(words, 4));
        default: return body(cell_view<Word>(words, cell_bits_));
        }
    }

    std::uint64_t cells_ = 0;
    unsigned cell_bits_ = 1;
    Store store_;
};

} // namespace everbloom
