// quotient_table: entries of a few bits, each filed under a quotient, in an array that is hardly larger [Bender12].
//
// An entry belongs to slot `quotient`; entries of one quotient (a run) are neighbours and sorted, runs are in the order of their
// quotients, and runs that touch or push each other to the right form a cluster. Three bits per slot tell which is which:
//
//   occupied       some entry has this slot's number as its quotient
//   continuation   the entry in this slot continues the run of the slot before
//   shifted        the entry in this slot is not in its own slot
//
// A change rewrites the cluster: it is read into a list, changed, and written back. Clusters are short as long as the table is not nearly
// full. The array has some slots behind the last quotient instead of wrapping around.
#pragma once

#include "lab/rivals/packed_cells.hpp"
#include "lab/rivals/rival.hpp"

#include <optional>

namespace everbloom::lab::rivals {

class quotient_table {
public:
    struct entry {
        std::uint64_t quotient;
        std::uint64_t value;
        friend auto operator<=>(const entry&, const entry&) = default;
    };

    /// `value_bits` is 1 to 29.
    quotient_table(unsigned quotient_bits, unsigned value_bits);

    [[nodiscard]] unsigned quotient_bits() const noexcept { return quotient_bits_; }
    [[nodiscard]] unsigned value_bits() const noexcept { return slots_.cell_bits() - 3; }
    [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
    [[nodiscard]] std::uint64_t bits() const noexcept { return slots_.bits(); }
    [[nodiscard]] double load() const noexcept {
        return static_cast<double>(entries_) / static_cast<double>(std::uint64_t{1} << quotient_bits_);
    }

    /// The first entry of the run for which `matches(value)` holds.
    template <class Matches>
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t quotient, Matches matches, line_log* log) const {
        const auto read = [&](std::uint64_t slot) {
            if (log != nullptr) log->note_bits(0, slot * slots_.cell_bits(), slots_.cell_bits());
            return slots_.get(slot);
        };
        std::uint64_t content = read(quotient);
        if ((content & occupied) == 0) return std::nullopt;
        // To the start of the cluster, counting the runs that lie between; then forward over as many.
        std::uint64_t slot = quotient;
        std::uint64_t runs = 0;
        while ((content & shifted) != 0) {
            content = read(--slot);
            runs += content & occupied;
        }
        for (; runs > 0; --runs) {
            do content = read(++slot);
            while ((content & continuation) != 0);
        }
        do {
            if (matches(content >> 3)) return content >> 3;
            if (++slot == slots_.size()) break;
            content = read(slot);
        } while ((content & continuation) != 0);
        return std::nullopt;
    }

    /// False if the cluster would reach beyond the last slot.
    [[nodiscard]] bool insert(const entry& added);
    /// False if there is no such entry.
    bool erase(const entry& gone);
    /// All entries, in order.
    [[nodiscard]] std::vector<entry> all() const;

private:
    static constexpr std::uint64_t occupied = 1;
    static constexpr std::uint64_t continuation = 2;
    static constexpr std::uint64_t shifted = 4;

    [[nodiscard]] bool has(std::uint64_t slot, std::uint64_t mark) const noexcept {
        return (slots_.get(slot) & mark) != 0;
    }
    /// An empty slot: no run of its own, and no entry of another.
    [[nodiscard]] bool is_empty(std::uint64_t slot) const noexcept { return (slots_.get(slot) & 7) == 0; }
    [[nodiscard]] std::uint64_t cluster_start(std::uint64_t slot) const noexcept;
    /// The entries from the start of a cluster to its end.
    [[nodiscard]] std::vector<entry> read_cluster(std::uint64_t start) const;
    /// Writes sorted entries whose first one lies in its own slot; false, and nothing written, if they do not fit.
    [[nodiscard]] bool write(const std::vector<entry>& sorted);
    void wipe(std::uint64_t start, std::uint64_t slots) noexcept;

    unsigned quotient_bits_;
    packed_cells slots_;
    std::uint64_t entries_ = 0;
};

} // namespace everbloom::lab::rivals
