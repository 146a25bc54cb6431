// What can be done to one fingerprint in a d-left table: put it in, take it out, count it.
//
// Putting in looks for the remainder in all d buckets first and counts it up if it is there; otherwise it goes to the bucket with
// the fewest cells in use, the leftmost of equals. So a fingerprint has one cell, unless it came more often than a counter can
// count: then it has a second one, and all that matters is the sum.
#pragma once

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

    /// Puts a fingerprint that is not in yet into its emptiest bucket. False, and nothing has changed, if it is in or finds no room:
    /// then `insert` knows what to do. Nothing here is a call, so that the table stays in registers.
    [[nodiscard, gnu::always_inline]] bool insert_lone(std::uint64_t fingerprint) const noexcept {
        std::array<std::uint64_t, max_subtables> occupied;
        std::uint64_t equal = 0;
        // Cells in use and subtable in one number: the least is the emptiest bucket, leftmost of equals. Which one that is nobody can
        // foresee, so it must not become a branch.
        unsigned least = ~0u;
        for (unsigned i = 0; i < table_.subtables(); ++i) {
            const bucket_place where = table_.places().place(fingerprint, i);
            const kernel::bucket_marks marks = table_.scan(table_.first_cell(i, where.bucket), where.remainder);
            equal |= marks.equal;
            occupied[i] = marks.occupied;
            least = std::min(least, static_cast<unsigned>(std::popcount(marks.occupied)) * max_subtables + i);
        }
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
    /// beyond what one fingerprint may have are not refused: they were in before.
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

    /// How often the fingerprint is in.
    [[nodiscard]] std::uint64_t count(std::uint64_t fingerprint) const noexcept {
        std::uint64_t sum = 0;
        for_each_equal(fingerprint, [&](std::uint64_t, const dleft_cell& cell) { sum += cell.count; });
        return sum;
    }

    [[nodiscard]] erase_outcome judge_erase(std::uint64_t fingerprint) const noexcept {
        const std::uint64_t copies = count(fingerprint);
        if (copies == 0) return erase_outcome::not_present;
        return copies == 1 ? erase_outcome::removed : erase_outcome::removed_still_positive;
    }

    /// Takes out a fingerprint that is in exactly once. False, and nothing has changed, if it is not: then `erase` knows more.
    [[nodiscard, gnu::always_inline]] bool erase_lone(std::uint64_t fingerprint) const noexcept {
        std::array<std::uint64_t, max_subtables> equal;
        unsigned where_equal = 0; // bit i: subtable i has such a cell
        std::uint64_t several = 0;
        for (unsigned i = 0; i < table_.subtables(); ++i) {
            const bucket_place where = table_.places().place(fingerprint, i);
            equal[i] = table_.scan(table_.first_cell(i, where.bucket), where.remainder).equal;
            where_equal |= (equal[i] != 0 ? 1u : 0u) << i;
            several |= equal[i] & (equal[i] - 1);
        }
        if (!std::has_single_bit(where_equal) || several != 0) return false;
        const auto subtable = static_cast<unsigned>(std::countr_zero(where_equal));
        const std::uint64_t bucket = table_.places().place(fingerprint, subtable).bucket;
        const std::uint64_t at =
            table_.first_cell(subtable, bucket) + static_cast<unsigned>(std::countr_zero(equal[subtable]));
        if (table_.cell(at).count != 1) return false;
        table_.clear(at);
        return true;
    }

    /// Takes one copy out, from the fullest cell last, so that second cells become empty first.
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
    template <class Visit>
    void for_each_equal(std::uint64_t fingerprint, Visit visit) const noexcept {
        for (unsigned i = 0; i < table_.subtables(); ++i) {
            const bucket_place where = table_.places().place(fingerprint, i);
            const std::uint64_t first = table_.first_cell(i, where.bucket);
            for (std::uint64_t equal = table_.scan(first, where.remainder).equal; equal != 0; equal &= equal - 1) {
                const std::uint64_t at = first + static_cast<unsigned>(std::countr_zero(equal));
                visit(at, table_.cell(at));
            }
        }
    }

    static void note_count(std::uint64_t copies, dleft_history& history) noexcept {
        if (copies > history.largest_count) history.largest_count = copies;
    }

    /// The fingerprint is in already: its counters go up as far as they can, the rest takes another cell.
    insert_outcome count_up(std::uint64_t fingerprint, std::uint64_t copies, unsigned moves,
                            dleft_history& history) const noexcept {
        const std::uint64_t before = count(fingerprint);
        if (before + copies > table_.most_copies()) return insert_outcome::full_counter;
        std::uint64_t room = 0;
        for_each_equal(fingerprint,
                       [&](std::uint64_t, const dleft_cell& cell) { room += table_.cell_copies() - cell.count; });
        if (copies > room) {
            // The new cell first: it is the one thing that can fail.
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

    /// Takes back what `place` has put in; a chain of moves may have carried it elsewhere.
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
