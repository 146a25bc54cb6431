// Insertions and removals of many keys with AVX-512 for bits that have a companion flag: collision.
//
// A bit that was set already gets its flag, and a bit without a flag is cleared, by masks: no branch could be predicted.
#include "wide_cells_update.hpp"

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

template <class Outcome>
struct flagged_cells : outcome_cells<Outcome> {
    wide_unit* flags;
};

template <unsigned Hashes>
struct flag_inserter : flagged_cells<insert_outcome> {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        std::uint32_t met = 0;
        const flag_inserter at = *this; // nothing that is written can change a copy
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            const std::uint32_t wanted = at.bits(i, key);
            auto unit = at.change(i, key);
            const std::uint32_t found = unit.found() & wanted;
            unit.become(unit.found() | wanted);
            at.flags[at.index(i, key)] |= found;
            met |= found;
        });
        outcomes[index] = met != 0 ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    }
};

template <unsigned Hashes>
struct flag_eraser : flagged_cells<erase_outcome> {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        std::uint32_t missing = 0;
        std::uint32_t alone = 0;
        const flag_eraser at = *this;
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            missing |= at.bits(i, key) & ~at.unit(i, key);
            alone |= at.bits(i, key) & ~at.flags[at.index(i, key)];
        });
        if (missing != 0) {
            outcomes[index] = erase_outcome::not_present;
            return;
        }
        // If no bit is without a flag, this changes nothing.
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            at.unit(i, key) &= at.flags[at.index(i, key)] | ~at.bits(i, key);
        });
        outcomes[index] = alone != 0 ? erase_outcome::removed : erase_outcome::not_deletable;
    }
};

template <unsigned Hashes, class Act>
EVERBLOOM_WIDE void change_all(const probing& how, std::span<const digest> items, const Act& act) noexcept {
    update_windows<0, Hashes, true>(how, items, equal_places{1}, act);
}

template <template <unsigned> class Act, class Outcome>
bool change_flagged(std::uint64_t* bits, std::uint64_t* flags, std::span<const digest> items,
                    std::span<Outcome> outcomes, const probing& how, const one_key<Outcome>& one) noexcept {
    if (!finds_widely(how)) return false;
    const auto act = [&]<unsigned Hashes>() {
        change_all<Hashes>(
            how, items,
            Act<Hashes>{{{{reinterpret_cast<wide_unit*>(bits), how.hashes}, items.data(), outcomes.data(), &one},
                         reinterpret_cast<wide_unit*>(flags)}});
    };
    if (!with_usual_hashes<7>(how.hashes, act)) act.template operator()<0>();
    return true;
}

} // namespace

bool wide_cells::insert_flagged(changed_words bits, changed_words flags, keys items, insertions outcomes,
                                const probing& how, one_insertion one) noexcept {
    return change_flagged<flag_inserter>(bits, flags, items, outcomes, how, one);
}
bool wide_cells::erase_flagged(changed_words bits, changed_words flags, keys items, removals outcomes,
                               const probing& how, one_removal one) noexcept {
    return change_flagged<flag_eraser>(bits, flags, items, outcomes, how, one);
}
#else
bool wide_cells::insert_flagged(changed_words, changed_words, keys, insertions, const probing&,
                                one_insertion) noexcept {
    return false;
}
bool wide_cells::erase_flagged(changed_words, changed_words, keys, removals, const probing&, one_removal) noexcept {
    return false;
}
#endif

} // namespace everbloom::kernel
