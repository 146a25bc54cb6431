// Insertions of many keys with AVX-512: bloom, the kinds with its bits, dfp, counting.
//
// Cells are changed one by one, in a handful of instructions each. Whatever is rare is left to the code for one key, in its turn: two
// positions that are equal, and counters that may be near their limit.
#include "wide_cells_update.hpp"

#include <everbloom/probe/fingerprint.hpp>

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

template <unsigned Hashes>
struct bit_setter : window_cells {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t, std::size_t key) const noexcept {
        const window_cells at = *this; // nothing that is written can change a copy
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { at.unit(i, key) |= at.bits(i, key); });
    }
};

using insertion_cells = outcome_cells<insert_outcome>;

/// Counters are changed without looking. If a counter in one of their units, any of eight, was half full, which is far below the limit and yet
/// rare, they are changed back, and looked at.
template <unsigned Hashes>
struct counter_inserter : insertion_cells {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        std::uint32_t seen = 0;
        const window_cells at = *this; // nothing that is written can change a copy
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            auto unit = at.change(i, key);
            seen |= unit.found();
            unit.become(unit.found() + at.bits(i, key));
        });
        outcomes[index] = insert_outcome::inserted;
        if ((seen & half_full_counters) != 0) [[unlikely]] {
            if (was_near_limit(key)) leave_to_one(index);
        }
    }

    /// Whether it was one of the key's own counters; then they are as before.
    EVERBLOOM_WIDE [[nodiscard, gnu::noinline]] bool was_near_limit(std::size_t key) const noexcept {
        std::uint32_t seen = 0;
        for (unsigned i = 0; i < hashes; ++i) unit(i, key) -= bits(i, key);
        for (unsigned i = 0; i < hashes; ++i) seen |= unit(i, key) & (bits(i, key) << 3);
        if (seen != 0) return true;
        for (unsigned i = 0; i < hashes; ++i) unit(i, key) += bits(i, key);
        return false;
    }
};

template <unsigned Hashes>
struct fingerprint_inserter : insertion_cells {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        constexpr std::uint32_t low_bits = 0x55555555;
        const std::uint32_t tags = low_bits << fingerprint(items[index], 1);
        std::uint32_t met = 0;
        const window_cells at = *this;
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            auto unit = at.change(i, key);
            const std::uint32_t cell = at.bits(i, key);
            const std::uint32_t found = unit.found() & cell;
            met |= found;
            // An empty cell gets the fingerprint, any other becomes 11.
            unit.become(unit.found() | (found != 0 ? cell : cell & tags));
        });
        outcomes[index] = met != 0 ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    }
};

template <unsigned BitsShift, unsigned Hashes, bool Once, class Inserter>
EVERBLOOM_WIDE void insert_all(std::span<const digest> items, const probing& how, std::uint32_t bits,
                               const Inserter& inserter) noexcept {
    update_windows<BitsShift, Hashes, Once>(how, items, equal_places{bits}, inserter);
}

} // namespace

bool wide_cells::set_bits(changed_words bits, keys items, const probing& how) noexcept {
    if (!finds_widely(how)) return false;
    const auto act = [&]<unsigned Hashes>() {
        insert_all<0, Hashes, false>(items, how, 1,
                                     bit_setter<Hashes>{{reinterpret_cast<wide_unit*>(bits), how.hashes}});
    };
    if (!with_usual_hashes<7, 10>(how.hashes, act)) act.template operator()<0>();
    return true;
}

bool wide_cells::insert_fingerprints(changed_words cells, keys items, insertions outcomes, const probing& how,
                                     one_insertion one) noexcept {
    if (!finds_widely(how)) return false;
    const auto act = [&]<unsigned Hashes>() {
        insert_all<1, Hashes, true>(
            items, how, 3,
            fingerprint_inserter<Hashes>{
                {{reinterpret_cast<wide_unit*>(cells), how.hashes}, items.data(), outcomes.data(), &one}});
    };
    if (!with_usual_hashes<3, 4, 7>(how.hashes, act)) act.template operator()<0>();
    return true;
}

bool wide_cells::insert_counters(changed_words cells, keys items, insertions outcomes, const probing& how,
                                 one_insertion one) noexcept {
    if (!finds_widely(how)) return false;
    const auto act = [&]<unsigned Hashes>() {
        insert_all<2, Hashes, true>(
            items, how, 1,
            counter_inserter<Hashes>{
                {{reinterpret_cast<wide_unit*>(cells), how.hashes}, items.data(), outcomes.data(), &one}});
    };
    if (!with_usual_hashes<4, 5, 6, 7>(how.hashes, act)) act.template operator()<0>();
    return true;
}
#else
bool wide_cells::set_bits(changed_words, keys, const probing&) noexcept { return false; }
bool wide_cells::insert_fingerprints(changed_words, keys, insertions, const probing&, one_insertion) noexcept {
    return false;
}
bool wide_cells::insert_counters(changed_words, keys, insertions, const probing&, one_insertion) noexcept {
    return false;
}
#endif

} // namespace everbloom::kernel
