// Operations on one fingerprint in a d-left table: insert, erase, count.
//
// Putting in looks for the remainder in all d buckets first and counts it up if it is there; otherwise it goes to the bucket with
// the fewest cells in use, the leftmost of equals. So a fingerprint has one cell, unless it came more often than a counter can
// count: then it has a second one, and all that matters is the sum.
#pragma once

#include <everbloom/bits/choose.hpp>
#include <everbloom/filter/dleft/dleft_moves.hpp>
#include <everbloom/filter/outcomes.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace everbloom {

/// What happened to a table since it was made or loaded; not stored in files.
struct dleft_history {
    std::uint64_t potential_overflows = 0; // insertions that found all their buckets full
    std::uint64_t largest_count = 1;       // of one fingerprint; 1 until one comes twice
};

template <class Table>
class dleft_operations {
public:
    explicit dleft_operations(const Table& table) noexcept : table_(table) {}

    /// Inserts a fingerprint that is not present into its emptiest bucket. Returns false, and changes nothing, if it is present or finds no
    /// room: `insert` handles those cases. Nothing here is a call, so that the table stays in registers.
    [[nodiscard, gnu::always_inline]] bool insert_lone(std::uint64_t fingerprint) const noexcept {
        if constexpr (Table::has_two_subtables) return insert_lone_in_two(fingerprint);
        std::array<std::uint64_t, max_subtables> occupied;
        std::uint64_t equal = 0;
        // Cells in use and subtable in one number: the least is the emptiest bucket, leftmost of equals. Which one that is cannot be
        // predicted, so it must not become a branch.
        unsigned least = ~0u;
        table_.scan_all(
            fingerprint, [&](unsigned i, const kernel::bucket_marks& marks) __attribute__((always_inline)) {
                equal |= marks.equal;
                occupied[i] = marks.occupied;
                least = std::min(least, static_cast<unsigned>(std::popcount(marks.occupied)) * max_subtables + i);
            });
        if (equal != 0 || least / max_subtables >= table_.bucket_cells()) return false;
        const unsigned chosen = least % max_subtables;
        const bucket_place where = table_.places().place(fingerprint, chosen);
        const auto empty = static_cast<unsigned>(std::countr_one(occupied[chosen]));
        table_.put(table_.first_cell(chosen, where.bucket) + empty, {where.remainder, 1});
        return true;
    }

    /// `copies` insertions at once; all of them or none.
    insert_outcome insert(std::uint64_t fingerprint, std::uint64_t copies, unsigned moves,
                          dleft_history& history) const noexcept {
        if (count(fingerprint) != 0) return count_up(fingerprint, copies, moves, history);
        note_count(copies, history);
        return place(fingerprint, copies, moves, history);
    }

    /// For a cell of another table: stays in its subtable if there is room, so that a table that grows keeps its balance. Copies
    /// beyond the limit for one fingerprint are not refused: they were present before.
    insert_outcome carry_over(std::uint64_t fingerprint, unsigned home, std::uint64_t copies, unsigned moves,
                              dleft_history& history) const noexcept {
        const bucket_place where = table_.places().place(fingerprint, home);
        const std::uint64_t first = table_.first_cell(home, where.bucket);
        const kernel::bucket_marks marks = table_.scan(first, where.remainder);
        if (marks.equal != 0) {
            const std::uint64_t at = first + static_cast<unsigned>(std::countr_zero(marks.equal));
            const std::uint64_t sum = table_.cell(at).count + copies;
            if (sum <= table_.cell_copies()) {
                table_.put(at, {where.remainder, sum});
                return insert_outcome::inserted_counted;
            }
        }
        if (copies <= table_.cell_copies() && !table_.is_full(marks)) {
            table_.put(first + table_.first_empty(marks), {where.remainder, copies});
            return insert_outcome::inserted;
        }
        return place(fingerprint, copies, moves, history);
    }

    /// The number of copies of the fingerprint.
    [[nodiscard]] std::uint64_t count(std::uint64_t fingerprint) const noexcept {
        std::uint64_t sum = 0;
        for_each_equal(fingerprint, [&](std::uint64_t, const dleft_cell& cell) { sum += cell.count; });
        return sum;
    }

    [[nodiscard]] erase_outcome can_erase(std::uint64_t fingerprint) const noexcept {
        const std::uint64_t copies = count(fingerprint);
        if (copies == 0) return erase_outcome::not_present;
        return copies == 1 ? erase_outcome::removed : erase_outcome::removed_still_positive;
    }

    /// Removes a fingerprint with exactly one copy. Otherwise returns false and changes nothing: `erase` handles those cases.
    [[nodiscard, gnu::always_inline]] bool erase_lone(std::uint64_t fingerprint) const noexcept {
        if constexpr (Table::has_two_subtables) return erase_lone_in_two(fingerprint);
        std::array<std::uint64_t, max_subtables> equal;
        unsigned where_equal = 0; // bit i: subtable i has such a cell
        std::uint64_t several = 0;
        table_.scan_all(
            fingerprint, [&](unsigned i, const kernel::bucket_marks& marks) __attribute__((always_inline)) {
                equal[i] = marks.equal;
                where_equal |= (marks.equal != 0 ? 1u : 0u) << i;
                several |= marks.equal & (marks.equal - 1);
            });
        if (!std::has_single_bit(where_equal) || several != 0) return false;
        const auto subtable = static_cast<unsigned>(std::countr_zero(where_equal));
        const std::uint64_t bucket = table_.places().place(fingerprint, subtable).bucket;
        const std::uint64_t at =
            table_.first_cell(subtable, bucket) + static_cast<unsigned>(std::countr_zero(equal[subtable]));
        if (table_.cell(at).count != 1) return false;
        table_.clear(at);
        return true;
    }

    /// Removes one copy, from the fullest cell last, so that second cells become empty first.
    erase_outcome erase(std::uint64_t fingerprint) const noexcept {
        std::uint64_t least_at = 0;
        dleft_cell least{0, ~std::uint64_t{0}};
        std::uint64_t sum = 0;
        for_each_equal(fingerprint, [&](std::uint64_t at, const dleft_cell& cell) {
            sum += cell.count;
            if (cell.count < least.count) {
                least = cell;
                least_at = at;
            }
        });
        if (sum == 0) return erase_outcome::not_present;
        if (least.count == 1) {
            table_.clear(least_at);
        } else {
            table_.put(least_at, {least.remainder, least.count - 1});
        }
        return sum == 1 ? erase_outcome::removed : erase_outcome::removed_still_positive;
    }

private:
    /// insert_lone for two subtables of 32 cells, without an array and without a branch that depends on the loads.
    [[nodiscard, gnu::always_inline]] bool insert_lone_in_two(std::uint64_t fingerprint) const noexcept {
        const bucket_place left = table_.places().place(fingerprint, 0);
        const bucket_place right = table_.places().place(fingerprint, 1);
        const std::uint64_t left_first = table_.first_cell(0, left.bucket);
        const std::uint64_t right_first = table_.first_cell(1, right.bucket);
        std::array<kernel::bucket_marks, 2> marks;
        table_.scan_all(
            fingerprint, [&](unsigned i, const kernel::bucket_marks& one)
                             __attribute__((always_inline)) { marks[i] = one; });
        const bool is_right = std::popcount(marks[1].occupied) < std::popcount(marks[0].occupied);
        const std::uint64_t occupied = choose(is_right, marks[1].occupied, marks[0].occupied);
        const auto empty = static_cast<unsigned>(std::countr_one(occupied));
        if ((marks[0].equal | marks[1].equal) != 0 || empty >= table_.bucket_cells()) return false;
        table_.put(choose(is_right, right_first, left_first) + empty,
                   {choose(is_right, right.remainder, left.remainder), 1});
        return true;
    }

    [[nodiscard, gnu::always_inline]] bool erase_lone_in_two(std::uint64_t fingerprint) const noexcept {
        const bucket_place left = table_.places().place(fingerprint, 0);
        const bucket_place right = table_.places().place(fingerprint, 1);
        const std::uint64_t left_first = table_.first_cell(0, left.bucket);
        const std::uint64_t right_first = table_.first_cell(1, right.bucket);
        std::uint64_t equal = 0;
        if constexpr (Table::is_vector_shape) {
            equal = table_.equal(left_first, left.remainder) | table_.equal(right_first, right.remainder) << 32;
        } else {
            table_.scan_all(
                fingerprint, [&](unsigned i, const kernel::bucket_marks& marks)
                                 __attribute__((always_inline)) { equal |= marks.equal << (32 * i); });
        }
        if (!std::has_single_bit(equal)) return false;
        const auto found = static_cast<unsigned>(std::countr_zero(equal));
        const std::uint64_t at = choose(found >= 32, right_first, left_first) + found % 32;
        if (table_.cell_copies() != 1 && table_.cell(at).count != 1) return false;
        table_.clear(at);
        return true;
    }

    template <class Visit>
    void for_each_equal(std::uint64_t fingerprint, Visit visit) const noexcept {
        for (unsigned i = 0; i < table_.subtables(); ++i) {
            const bucket_place where = table_.places().place(fingerprint, i);
            const std::uint64_t first = table_.first_cell(i, where.bucket);
            for (std::uint64_t equal = table_.equal(first, where.remainder); equal != 0; equal &= equal - 1) {
                const std::uint64_t at = first + static_cast<unsigned>(std::countr_zero(equal));
                visit(at, table_.cell(at));
            }
        }
    }

    static void note_count(std::uint64_t copies, dleft_history& history) noexcept {
        if (copies > history.largest_count) history.largest_count = copies;
    }

    /// The fingerprint is present: its counters are incremented up to their limit, the rest takes another cell.
    insert_outcome count_up(std::uint64_t fingerprint, std::uint64_t copies, unsigned moves,
                            dleft_history& history) const noexcept {
        const std::uint64_t before = count(fingerprint);
        if (before + copies > table_.most_copies()) return insert_outcome::full_counter;
        std::uint64_t room = 0;
        for_each_equal(fingerprint,
                       [&](std::uint64_t, const dleft_cell& cell) { room += table_.cell_copies() - cell.count; });
        if (copies > room) {
            // The new cell first: only that can fail.
            const insert_outcome placed = place(fingerprint, copies - room, moves, history);
            if (!succeeded(placed)) return placed;
        }
        std::uint64_t left = std::min(copies, room);
        for_each_equal(fingerprint, [&](std::uint64_t at, const dleft_cell& cell) {
            const std::uint64_t more = std::min(left, table_.cell_copies() - cell.count);
            if (more != 0) table_.put(at, {cell.remainder, cell.count + more});
            left -= more;
        });
        note_count(before + copies, history);
        return insert_outcome::inserted_counted;
    }

    /// New cells for more copies than one counter holds; all of them or none.
    insert_outcome place(std::uint64_t fingerprint, std::uint64_t copies, unsigned moves,
                         dleft_history& history) const noexcept {
        const std::uint64_t part = std::min(copies, table_.cell_copies());
        const auto room = find_room(fingerprint, moves, history);
        if (!room) return insert_outcome::full_bucket;
        const std::uint64_t remainder = table_.places().place(fingerprint, room->subtable).remainder;
        table_.put(room->cell, {remainder, part});
        if (copies > part && !succeeded(place(fingerprint, copies - part, moves, history))) {
            remove_copies(fingerprint, part);
            return insert_outcome::full_bucket;
        }
        return insert_outcome::inserted;
    }

    /// Undoes `place`; a chain of moves may have moved the cell.
    void remove_copies(std::uint64_t fingerprint, std::uint64_t copies) const noexcept {
        for (std::uint64_t i = 0; i < copies; ++i) (void)erase(fingerprint);
    }

    /// An empty cell for the fingerprint, made by moving others if there is none.
    std::optional<dleft_room> find_room(std::uint64_t fingerprint, unsigned moves,
                                        dleft_history& history) const noexcept {
        std::optional<dleft_room> found;
        unsigned fewest = table_.bucket_cells();
        for (unsigned i = 0; i < table_.subtables(); ++i) {
            const std::uint64_t first = table_.first_cell(i, table_.places().place(fingerprint, i).bucket);
            const kernel::bucket_marks marks = table_.scan(first, 0);
            const auto used = static_cast<unsigned>(std::popcount(marks.occupied));
            if (used >= fewest) continue;
            fewest = used;
            found = dleft_room{i, first + table_.first_empty(marks)};
        }
        if (found) return found;
        ++history.potential_overflows;
        return dleft_mover<Table>(table_).make_room(fingerprint, moves);
    }

    const Table& table_;
};

} // namespace everbloom
