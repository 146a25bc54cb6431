// Insertions and removals of many keys with AVX-512 for cells of two bits: dfp (removals), quaternary, ternary in two bits.
//
// All cells of a key are looked at before one is changed, without a branch: what is in a cell is a matter of chance.
#include "wide_cells_update.hpp"

#include <everbloom/probe/fingerprint.hpp>

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

constexpr std::uint32_t low_bits = 0x55555555;

template <unsigned Hashes>
struct fingerprint_eraser : outcome_cells<erase_outcome> {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        const std::uint32_t tags = low_bits << fingerprint(items[index], 1);
        std::uint32_t missing = 0;
        std::uint32_t alone = 0;
        const window_cells at = *this; // nothing that is written can change a copy
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            const std::uint32_t absent = at.bits(i, key) & ~at.unit(i, key);
            missing |= absent & tags;
            alone |= absent & ~tags; // the bit of the other fingerprint
        });
        if (missing != 0) {
            outcomes[index] = erase_outcome::not_present;
            return;
        }
        // If no cell has the fingerprint alone, this changes nothing.
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            auto unit = at.change(i, key);
            const std::uint32_t cell = at.bits(i, key);
            unit.become((unit.found() & cell) == cell ? unit.found() : unit.found() & ~cell);
        });
        outcomes[index] = alone != 0 ? erase_outcome::removed : erase_outcome::not_deletable;
    }
};

/// Cells that count to `stuck`, 2 or 3.
template <class Outcome>
struct pair_cells : outcome_cells<Outcome> {
    /// The bits of a cell that are set if it is stuck, and only then if no other is.
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline std::uint32_t
    stuck_bits(std::uint32_t cell) const noexcept {
        return cell & stuck;
    }
    std::uint32_t stuck; // in every cell of a unit
};

template <unsigned Hashes>
struct pair_inserter : pair_cells<insert_outcome> {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        const std::uint32_t nearly_stuck =
            stuck == ~low_bits ? ~std::uint32_t{0} : ~low_bits; // 1 or 2: from the value 1 or 2 on
        std::uint32_t met = 0;
        const pair_inserter at = *this; // nothing that is written can change a copy
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            auto unit = at.change(i, key);
            const std::uint32_t cell = at.bits(i, key);
            const std::uint32_t found = unit.found() & cell;
            const std::uint32_t one_more = unit.found() + (cell & low_bits);
            met |= found & nearly_stuck;
            unit.become(found == at.stuck_bits(cell) ? unit.found() : one_more);
        });
        outcomes[index] = met != 0 ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    }
};

template <unsigned Hashes>
struct pair_eraser : pair_cells<erase_outcome> {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        std::uint32_t missing = 0;
        std::uint32_t last = 0;
        std::uint32_t free = 0; // not stuck
        const pair_eraser at = *this;
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            const std::uint32_t found = at.unit(i, key);
            const std::uint32_t low = at.bits(i, key) & low_bits;
            const std::uint32_t upper = found >> 1;
            missing |= low & ~(found | upper);
            last |= low & found & ~upper;
            free |= (found & at.bits(i, key)) ^ at.stuck_bits(at.bits(i, key));
        });
        if (missing != 0) {
            outcomes[index] = erase_outcome::not_present;
            return;
        }
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            auto unit = at.change(i, key);
            const std::uint32_t cell = at.bits(i, key);
            const std::uint32_t one_less = unit.found() - (cell & low_bits);
            unit.become((unit.found() & cell) == at.stuck_bits(cell) ? unit.found() : one_less);
        });
        const erase_outcome not_last = free != 0 ? erase_outcome::removed_still_positive : erase_outcome::not_deletable;
        outcomes[index] = last != 0 ? erase_outcome::removed : not_last;
    }
};

template <unsigned Hashes, class Act>
EVERBLOOM_WIDE void change_all(const probing& how, std::span<const digest> items, const Act& act) noexcept {
    update_windows<1, Hashes, true>(how, items, equal_places{3}, act);
}

template <template <unsigned> class Act, class Outcome>
bool change_pairs(std::uint64_t* cells, unsigned stuck, std::span<const digest> items, std::span<Outcome> outcomes,
                  const probing& how, const one_key<Outcome>& one) noexcept {
    if (!finds_widely(how)) return false;
    const auto act = [&]<unsigned Hashes>() {
        change_all<Hashes>(
            how, items,
            Act<Hashes>{{{{reinterpret_cast<wide_unit*>(cells), how.hashes}, items.data(), outcomes.data(), &one},
                         stuck * low_bits}});
    };
    if (!with_usual_hashes<7>(how.hashes, act)) act.template operator()<0>();
    return true;
}

} // namespace

bool wide_cells::erase_fingerprints(changed_words cells, keys items, removals outcomes, const probing& how,
                                    one_removal one) noexcept {
    if (!finds_widely(how)) return false;
    const auto act = [&]<unsigned Hashes>() {
        change_all<Hashes>(
            how, items,
            fingerprint_eraser<Hashes>{
                {{reinterpret_cast<wide_unit*>(cells), how.hashes}, items.data(), outcomes.data(), &one}});
    };
    if (!with_usual_hashes<3, 4, 7>(how.hashes, act)) act.template operator()<0>();
    return true;
}
bool wide_cells::insert_pairs(changed_words cells, unsigned stuck, keys items, insertions outcomes, const probing& how,
                              one_insertion one) noexcept {
    return change_pairs<pair_inserter>(cells, stuck, items, outcomes, how, one);
}
bool wide_cells::erase_pairs(changed_words cells, unsigned stuck, keys items, removals outcomes, const probing& how,
                             one_removal one) noexcept {
    return change_pairs<pair_eraser>(cells, stuck, items, outcomes, how, one);
}
#else
bool wide_cells::erase_fingerprints(changed_words, keys, removals, const probing&, one_removal) noexcept {
    return false;
}
bool wide_cells::insert_pairs(changed_words, unsigned, keys, insertions, const probing&, one_insertion) noexcept {
    return false;
}
bool wide_cells::erase_pairs(changed_words, unsigned, keys, removals, const probing&, one_removal) noexcept {
    return false;
}
#endif

} // namespace everbloom::kernel
