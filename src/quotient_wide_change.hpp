// Changes of many keys with AVX-512, for the functions of quotient_batch that choose (src/quotient_change.cpp).
#pragma once

#include "quotient_wide.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom {

struct quotient_batch::wide_changes {
    /// Does this processor have the instructions, and the table lines of the right shape?
    [[nodiscard, gnu::always_inline]] static bool are_for(const quotient_places& where) noexcept {
        return kernel::changes_whole_lines && where.buckets_ <= word_bits && where.has_short_rows();
    }
    // As the functions of quotient_batch with these names, where `are_for` says so.
    static void start(const quotient_places& where, const writable_line_units& lines, const digest* items,
                      group& keys) noexcept;
    [[nodiscard]] static std::size_t insert(const quotient_places& where, const group& keys, std::size_t key,
                                            std::size_t end) noexcept;
    [[nodiscard]] static std::size_t erase(const quotient_places& where, const group& keys, std::size_t key,
                                           std::size_t end) noexcept;
    static void look_to_erase(const quotient_places& where, group& keys) noexcept;

    static void put(std::uint64_t* line, const line_shape& shape, std::uint64_t stored) noexcept;

private:
    struct kernels;
};

} // namespace everbloom

#endif
