// fill_levels: how many cells of each sub-filter of a chain are occupied. Counted from the cells and kept up to date, not stored.
#pragma once

#include <everbloom/bits/heap_words.hpp>

namespace everbloom {

class fill_levels {
public:
    /// Zeros for `filters` sub-filters.
    [[nodiscard]] static result<fill_levels> make(std::uint64_t filters) {
        fill_levels made;
        if (auto room = made.reserve(filters); !room) return fail(std::move(room.error()));
        return made;
    }
    [[nodiscard]] result<fill_levels> copy() const {
        auto words = words_.copy();
        if (!words) return fail(std::move(words.error()));
        fill_levels made;
        made.words_ = std::move(*words);
        return made;
    }

    /// Makes room for that many levels; new ones are zero. Doubles its space, so that growing by one is cheap.
    [[nodiscard]] result<void> reserve(std::uint64_t filters) {
        if (filters <= words_.words()) return {};
        return words_.extend(std::max(ceil_divide(filters, line_words), 2 * words_.words() / line_words));
    }

    [[nodiscard]] std::uint64_t& operator[](std::uint64_t filter) noexcept { return words_.data()[filter]; }
    [[nodiscard]] std::uint64_t operator[](std::uint64_t filter) const noexcept { return words_.data()[filter]; }
    [[nodiscard]] const std::uint64_t* data() const noexcept { return words_.data(); }
    void clear() noexcept {
        for (std::uint64_t i = 0; i < words_.words(); ++i) words_.data()[i] = 0;
    }

private:
    heap_words words_;
};

} // namespace everbloom
