// packed_cells: an array of cells of 1 to 32 bits that owns its words.
#pragma once

#include <everbloom/bits/cell_view.hpp>

#include <cstdint>
#include <vector>

namespace everbloom::lab::rivals {

class packed_cells {
public:
    packed_cells(std::uint64_t cells, unsigned cell_bits)
        : cells_(cells), cell_bits_(cell_bits), words_((cells * cell_bits + 63) / 64 + 1) {}

    [[nodiscard]] std::uint64_t size() const noexcept { return cells_; }
    [[nodiscard]] unsigned cell_bits() const noexcept { return cell_bits_; }
    [[nodiscard]] std::uint64_t bits() const noexcept { return cells_ * cell_bits_; }
    [[nodiscard]] std::uint64_t get(std::uint64_t index) const noexcept {
        return cell_view<const std::uint64_t>(words_.data(), cell_bits_).get(index);
    }
    void set(std::uint64_t index, std::uint64_t value) noexcept {
        cell_view<std::uint64_t>(words_.data(), cell_bits_).set(index, value);
    }

private:
    std::uint64_t cells_;
    unsigned cell_bits_;
    std::vector<std::uint64_t> words_;
};

} // namespace everbloom::lab::rivals
