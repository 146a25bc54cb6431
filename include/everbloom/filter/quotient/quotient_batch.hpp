// Keys in vectors, on processors with AVX2 and BMI2: places and answers of many keys, without a branch that depends on a key.
//
// A branch on what was found in a line is guessed wrong every fourth time, and a wrong guess costs as much as the rest of a query. So a
// batch goes in steps over 32 keys, each of which does the same for all: compute the places, four keys at a time; prefetch the lines;
// compare the bytes of the first lines and list those in which any is equal; look at the listed ones more closely; and the same for the
// second lines of the keys that were not found. Compiled once, in src/quotient_batch.cpp. Insertions and removals go
// key by key, because one may change the line of the next; src/quotient_change.cpp has them, src/quotient_single.cpp queries for one key.
#pragma once

#include <everbloom/filter/kernel/modern_x86.hpp>
#include <everbloom/filter/quotient/line_directory.hpp>
#include <everbloom/filter/quotient/quotient_places.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace everbloom {

/// Copies of a key that take a slot each; more are counted (quotient_copies.hpp).
inline constexpr unsigned most_plain_copies = 4;

struct quotient_batch {
    static constexpr std::size_t most_keys = 32;

    /// The places of up to 32 keys: those of key i are number i and number i + 32. The fields of a packed_place, each in an array.
    struct places {
        alignas(32) std::array<std::uint64_t, 2 * most_keys> lines;
        alignas(32) std::array<std::uint64_t, 2 * most_keys> stored;

        [[gnu::always_inline]] void put(std::size_t number, const packed_place& place) noexcept {
            lines[number] = place.line;
            stored[number] = place.stored;
        }
        [[nodiscard, gnu::always_inline]] packed_place operator[](std::size_t number) const noexcept {
            return {lines[number], stored[number]};
        }
    };

    static constexpr std::size_t most_ways = 8;
    /// Items of a line that may move, and their places in their other lines.
    struct ways {
        std::uint64_t from = 0;
        std::size_t count = 0;
        std::array<std::uint8_t, most_ways> slots;
        std::array<std::uint8_t, most_ways> buckets;
        alignas(32) std::array<std::uint64_t, most_ways> lines;
        alignas(32) std::array<std::uint64_t, most_ways> stored;
        std::array<std::uint64_t*, most_ways> at;
    };

    /// Where a key may be, and the lines there.
    struct located {
        packed_place one;
        packed_place other;
        std::uint64_t* line_of_one = nullptr;
        std::uint64_t* line_of_other = nullptr;
    };

#if defined(EVERBLOOM_MODERN_X86)
    // Only where `kernel::fast_pdep` is true.
    /// Is this key there? `Lines` is what `lines_of` a store gives.
    template <table_state State, class Lines>
    [[nodiscard]] static bool holds(const quotient_places& where, Lines lines, digest item) noexcept;
    /// The same where `kernel::compares_whole_lines` is true.
    template <table_state State, class Lines>
    [[nodiscard]] static bool holds_in_wide(const quotient_places& where, Lines lines, digest item) noexcept;
    /// The same in a table for which `where.is_wide()`.
    template <class Lines>
    [[nodiscard]] static bool holds_widely(const quotient_places& where, Lines lines, digest item) noexcept;
    /// The same in fewer instructions, where `where.is_brief()`.
    template <class Lines>
    [[nodiscard]] static bool holds_briefly(const quotient_places& where, Lines lines, digest item) noexcept;
    static void locate(const quotient_places& where, std::span<const digest> items, places& found) noexcept;
    static void answer(const quotient_places& where, const line_units& lines, std::span<const digest> items,
                       std::uint8_t* answers) noexcept;
    /// The same where `where.is_wide()`.
    static void answer_widely(const quotient_places& where, const line_units& lines, std::span<const digest> items,
                              std::uint8_t* answers) noexcept;

    /// The lines of the places.
    using addresses = std::array<std::uint64_t*, 2 * most_keys>;
    /// The same for a single key: has it been done?
    [[nodiscard]] static bool insert(const quotient_places& where, const located& there) noexcept;
    [[nodiscard]] static bool erase(const quotient_places& where, const located& there) noexcept;

    /// Puts an item into a line that has room.
    static void put(std::uint64_t* line, const line_shape& shape, std::uint64_t stored) noexcept;
    /// The other places of the items in `found.slots`; `line` are the words of the line `found.from`.
    static void locate_others(const quotient_places& where, const std::uint64_t* line, ways& found) noexcept;

    /// Keys that are changed soon: their lines are on the way.
    struct group {
        places found;
        addresses at;
        std::size_t count = 0;
        std::uint32_t second = 0; // bit i: key i is likely to be in its second line
        // When they were located:
        quotient_places::size size;
        std::uint64_t moves = 0; // of the memory
        // For src/quotient_wide_change.cpp:
        bool is_wide = false; // it changes them
        alignas(64) std::array<std::array<std::uint64_t, most_keys>, 3> windows;
    };
    /// Locates the first of the keys, at most 32, and prefetches their first lines.
    static void start(const quotient_places& where, const writable_line_units& lines, std::uint64_t moves,
                      std::span<const digest> items, group& keys) noexcept;
    /// The same after the table has grown or shrunk. A split changes the places of hardly any key: only those are located again.
    static void renew(const quotient_places& where, const writable_line_units& lines, std::uint64_t moves,
                      std::span<const digest> items, group& keys) noexcept;
    /// Prefetches all second lines, too.
    static void look_to_insert(const quotient_places& where, group& keys) noexcept;
    /// Prefetches the second lines of the keys that are not in their first one.
    static void look_to_erase(const quotient_places& where, group& keys) noexcept;
    /// Stores the keys from number `key` on, up to `end` or the first for which there is no room, or which may have four copies already.
    /// The number of the first that was not stored.
    [[nodiscard]] static std::size_t insert(const quotient_places& where, const group& keys, std::size_t key,
                                            std::size_t end) noexcept;
    /// Takes them out, up to the first that is in neither of its lines.
    [[nodiscard]] static std::size_t erase(const quotient_places& where, const group& keys, std::size_t key,
                                           std::size_t end) noexcept;

private:
    struct kernels;
    struct singles;
    struct wide_kernels;
    struct wide_singles;
    struct wide_changes;
#endif
};

} // namespace everbloom
