// Queries of the d-left table that is made for them: two subtables, buckets of one cache line, cells of 15 + 1 bits.
//
// With counters of one bit a present key's cell has a known value, remainder and 1, so that a query compares whole cells: 64 of them in four
// instructions (kernel/bucket_line.hpp). A batch computes both places of a key once; in a large table it asks for their lines, and comes back to
// them sixteen keys later.
#pragma once

#include <everbloom/bits/choose.hpp>
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/filter/dleft/dleft_layout.hpp>
#include <everbloom/filter/kernel/bucket_line.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(EVERBLOOM_MODERN_X86) && !defined(EVERBLOOM_SMALL)
#define EVERBLOOM_DLEFT_LINES 1

namespace everbloom {

class dleft_lines {
public:
    [[nodiscard]] static bool suit(const dleft_layout& layout) noexcept {
        return layout.shape == dleft_shape::two_by_32 && layout.counter_bits == 1 && layout.is_modern;
    }

    [[gnu::always_inline]] dleft_lines(const dleft_layout& layout, const std::uint64_t* words) noexcept
        : left_(words), right_(words + layout.buckets * line_words), places_(layout.places),
          is_near_(layout.buckets <= most_near) {}

    [[nodiscard, gnu::always_inline]] bool hold(const digest& item) const noexcept {
        return hold<false>(places_of(item));
    }

    /// `Items` is a span of digests, or digests_on_demand.
    template <class Items>
    void hold(const Items& items, std::span<std::uint8_t> answers) const noexcept {
        if (kernel::has_wide_lines()) return hold_in_flight<true>(items, answers);
        hold_in_flight<false>(items, answers);
    }

    /// Removes an item with exactly one cell from these words, which are those of the table. Otherwise returns false and changes nothing.
    [[nodiscard, gnu::always_inline]] bool erase_lone(const digest& item, std::uint64_t* words) const noexcept {
        const two_places where = places_of(item);
        const std::uint64_t* const left = line(left_, where.left);
        const std::uint64_t* const right = line(right_, where.right);
        const std::uint64_t equal = kernel::cells_of_two_lines(left, 2 * where.left + 1, right, 2 * where.right + 1);
        if (equal == 0 || (equal & (equal - 1)) != 0) [[unlikely]]
            return false;
        // Which of the two lines it is cannot be predicted, so it must not become a branch.
        const auto found = static_cast<unsigned>(std::countr_zero(equal));
        const auto of_left = static_cast<std::uint64_t>(left - left_);
        const auto of_right = static_cast<std::uint64_t>(right - left_);
        const std::uint64_t first_word = choose(found >= 32, of_right, of_left);
        constexpr std::uint16_t empty = 0;
        std::memcpy(reinterpret_cast<char*>(words + first_word) + found % 32 * sizeof empty, &empty, sizeof empty);
        return true;
    }

private:
    static constexpr unsigned remainder_bits = 15;
    /// Subtables of up to this many buckets are in the second-level cache: sending for lines costs more than it saves.
    static constexpr std::uint64_t most_near = 4096;

    template <bool Wide, class Items>
    void hold_in_flight(const Items& given, std::span<std::uint8_t> answers) const noexcept {
        const dleft_lines lines = *this; // answers are bytes, which might be anything: copies need not be read again
        const Items items = given;
        const std::size_t count = items.size();
        std::uint8_t* const into = answers.data();
        if (is_near_) {
            for (std::size_t i = 0; i < count; ++i) {
                into[i] = static_cast<std::uint8_t>(lines.hold<Wide>(lines.places_of(items[i])));
            }
            return;
        }
        constexpr std::size_t lead = 16;
        std::array<two_places, lead> ahead;
        for (std::size_t i = 0; i < std::min(lead, count); ++i) ahead[i] = lines.begin(items[i]);
        std::size_t i = 0;
        for (; i + lead < count; ++i) {
            const two_places now = ahead[i % lead];
            ahead[i % lead] = lines.begin(items[i + lead]);
            into[i] = static_cast<std::uint8_t>(lines.hold<Wide>(now));
        }
        for (; i < count; ++i) into[i] = static_cast<std::uint8_t>(lines.hold<Wide>(ahead[i % lead]));
    }

    /// Bucket and remainder in one number, for each subtable.
    struct two_places {
        std::uint64_t left;
        std::uint64_t right;
    };

    [[nodiscard, gnu::always_inline]] two_places places_of(const digest& item) const noexcept {
        const std::uint64_t left = places_.fingerprint(item);
        return {left, places_.permuted(left, 1)};
    }
    [[nodiscard, gnu::always_inline]] static const std::uint64_t* line(const std::uint64_t* subtable,
                                                                       std::uint64_t place) noexcept {
        return subtable + (place >> remainder_bits) * line_words;
    }
    [[nodiscard, gnu::always_inline]] two_places begin(const digest& item) const noexcept {
        const two_places where = places_of(item);
        prefetch_line(line(left_, where.left));
        prefetch_line(line(right_, where.right));
        return where;
    }
    template <bool Wide>
    [[nodiscard, gnu::always_inline]] bool hold(const two_places& where) const noexcept {
        if constexpr (Wide) {
            return kernel::two_wide_lines_have(line(left_, where.left), 2 * where.left + 1, line(right_, where.right),
                                               2 * where.right + 1);
        }
        return kernel::two_lines_have(line(left_, where.left), 2 * where.left + 1, line(right_, where.right),
                                      2 * where.right + 1);
    }

    const std::uint64_t* left_;
    const std::uint64_t* right_;
    permuted_places places_;
    bool is_near_;
};

} // namespace everbloom
#endif
