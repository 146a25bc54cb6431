// Making room by moves: when all buckets of a key are full, one of their cells may move to another of its own buckets.
//
// Remainder and place of a cell give back its fingerprint, and with it its other buckets. The failsafe of [Bonomi06 §5.2] looks at
// the cells of the first subtable's bucket and moves one whose other bucket has room. A longer chain lets that other bucket make
// room first, by moving one of its own: a search in breadth, over all subtables, finds a shortest chain. Moves are made from the
// far end, each into a cell that is empty, so that every key can be found at any moment and a search that fails changes nothing.
#pragma once

#include <everbloom/filter/dleft/dleft_table.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace everbloom {

/// An empty cell in one of a key's buckets.
struct dleft_room {
    unsigned subtable;
    std::uint64_t cell;
};

template <class Table>
class dleft_mover {
public:
    explicit dleft_mover(Table table) noexcept : table_(table) {}

    /// Empties a cell in one of the fingerprint's buckets, all of which are full, with at most `longest` moves. With one move
    /// only the first subtable is searched.
    [[nodiscard]] std::optional<dleft_room> make_room(std::uint64_t fingerprint, unsigned longest) noexcept {
        if (longest == 0) return std::nullopt;
        const unsigned roots = longest == 1 ? 1 : table_.subtables();
        for (unsigned i = 0; i < roots; ++i) {
            const bucket_place where = table_.places().place(fingerprint, i);
            visit({i, where.bucket, none, 0, 1});
        }
        for (std::uint32_t next = 0; next < visited_; ++next) {
            if (auto found = search_around(next, longest)) return found;
        }
        return std::nullopt;
    }

private:
    /// A full bucket, and how it was reached.
    struct visit_record {
        unsigned subtable;
        std::uint64_t bucket;
        std::uint32_t parent; // the visit from which a cell would move here
        unsigned cell;        // that cell, within the parent's bucket
        unsigned moves;       // that are needed if a cell of this bucket can go elsewhere
    };

    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t most_visits = 1024;

    void visit(const visit_record& one) noexcept {
        if (visited_ < most_visits) visits_[visited_++] = one;
    }

    /// Looks at the other buckets of all cells of a bucket: one with room ends the search, the others are visited later.
    std::optional<dleft_room> search_around(std::uint32_t here, unsigned longest) noexcept {
        const visit_record at = visits_[here];
        for (unsigned c = 0; c < table_.bucket_cells(); ++c) {
            const std::uint64_t fingerprint = fingerprint_of(at.subtable, at.bucket, c);
            for (unsigned i = 0; i < table_.subtables(); ++i) {
                if (i == at.subtable) continue;
                const std::uint64_t bucket = table_.places().place(fingerprint, i).bucket;
                const unsigned empty = first_empty(i, bucket);
                if (empty < table_.bucket_cells()) return move_along({i, bucket, here, c, 0}, empty);
                if (at.moves < longest && !is_on_the_way(here, i, bucket)) visit({i, bucket, here, c, at.moves + 1});
            }
        }
        return std::nullopt;
    }

    /// A bucket must not be on the chain twice: it would lose two cells.
    [[nodiscard]] bool is_on_the_way(std::uint32_t here, unsigned subtable, std::uint64_t bucket) const noexcept {
        for (; here != none; here = visits_[here].parent) {
            if (visits_[here].subtable == subtable && visits_[here].bucket == bucket) return true;
        }
        return false;
    }

    /// `target` has an empty cell: moves one cell into it, another into the one left by that, and so on up to the root.
    dleft_room move_along(visit_record target, unsigned empty) noexcept {
        for (;;) {
            const visit_record from = visits_[target.parent];
            const std::uint64_t leaving = table_.first_cell(from.subtable, from.bucket) + target.cell;
            const std::uint64_t fingerprint = fingerprint_of(from.subtable, from.bucket, target.cell);
            const bucket_place where = table_.places().place(fingerprint, target.subtable);
            table_.put(table_.first_cell(target.subtable, target.bucket) + empty,
                       {where.remainder, table_.cell(leaving).count});
            table_.clear(leaving);
            if (from.parent == none) return {from.subtable, leaving};
            empty = target.cell;
            target = from;
        }
    }

    [[nodiscard]] std::uint64_t fingerprint_of(unsigned subtable, std::uint64_t bucket, unsigned cell) const noexcept {
        const std::uint64_t remainder = table_.cell(table_.first_cell(subtable, bucket) + cell).remainder;
        return table_.places().fingerprint_at({bucket, remainder}, subtable);
    }
    [[nodiscard]] unsigned first_empty(unsigned subtable, std::uint64_t bucket) const noexcept {
        return table_.first_empty(table_.scan(table_.first_cell(subtable, bucket), 0));
    }

    Table table_;
    std::uint32_t visited_ = 0;
    std::array<visit_record, most_visits> visits_; // only the first `visited_` are ever read
};

} // namespace everbloom
