// Insertions of many keys with AVX-512: bloom, dfp with up to four hash functions, counting with up to seven.
//
// Cells are looked at and changed one by one, in a handful of instructions each. With more cells per key changing all of a key's at once is
// faster (filter/kernel/cell_batch.hpp), and so it is for removals, which look at all cells before they change one. Whatever is rare is left
// to the code for one key, in its turn: two positions that are equal, and counters that may be near their limit.
#include "wide_cells.hpp"

#include <everbloom/probe/fingerprint.hpp>

#include <utility>

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

/// Calls `act(index, key)` for every key: its index in the batch, and its number in the window. While the keys of one window are inserted,
/// the words of the next one are sent for, key by key: all at once would wait for each other.
template <bool Once, class Places, class Act>
EVERBLOOM_WIDE [[gnu::always_inline]] inline void insert(const Places& places, const std::uint64_t* words,
                                                         std::span<const digest> items, place_window* windows,
                                                         Act act) noexcept {
    constexpr std::size_t most = place_window::most_keys;
    place_window* now = &windows[0];
    place_window* next = &windows[1];
    std::size_t count = std::min(most, items.size());
    places.template find<Once>(items.data(), count, *now);
    if (places.is_far) {
        for (std::size_t key = 0; key < count; ++key) places.prefetch(words, *now, key, 0);
    }
    for (std::size_t from = 0; from < items.size(); from += most) {
        const std::size_t behind = std::min(most, items.size() - from - count);
        if (behind != 0) places.template find<Once>(items.data() + from + count, behind, *next);
        act.window = now;
        if (places.is_far) {
            for (std::size_t key = 0; key < count; ++key) {
                if (key < behind) places.prefetch(words, *next, key, 0);
                act(from + key, key);
            }
        } else {
            for (std::size_t key = 0; key < count; ++key) act(from + key, key);
        }
        count = behind;
        std::swap(now, next);
    }
}

/// The cells of the keys in a window.
struct window_cells {
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline unsigned shift(unsigned i, std::size_t key) const noexcept {
        return window->at[i][key].shift % word_bits;
    }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline std::uint64_t& word(unsigned i,
                                                                                std::size_t key) const noexcept {
        return words[window->at[i][key].word];
    }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline bool repeats(std::size_t key) const noexcept {
        return (window->repeats >> key & 1) != 0;
    }

    std::uint64_t* words;
    unsigned hashes;
    const place_window* window = nullptr;
};

template <unsigned Hashes>
struct bit_setter : window_cells {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t, std::size_t key) const noexcept {
        for_each_hash<Hashes>(
            0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { word(i, key) |= std::uint64_t{1} << shift(i, key); });
    }
};

/// What the others have in common.
struct outcome_cells : window_cells {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void leave_to_one(std::size_t index) const noexcept {
        outcomes[index] = (*one)(items[index]);
    }
    const digest* items = nullptr;
    insert_outcome* outcomes = nullptr;
    const one_key<insert_outcome>* one = nullptr;
};

/// Counters are changed while they are looked at; where that must not be, they are changed back.
template <unsigned Hashes>
struct counter_inserter : outcome_cells {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        std::uint64_t seen = 0;
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            seen |= word(i, key) >> shift(i, key);
            asm("" : "+r"(seen)); // one after the other: g++ would keep all words until the last
            word(i, key) += std::uint64_t{1} << shift(i, key);
        });
        outcomes[index] = insert_outcome::inserted;
        constexpr std::uint64_t half_full = 8; // far below the limit, and yet rare
        if ((seen & half_full) != 0) [[unlikely]] {
            asm volatile("" : : : "memory"); // nothing of the places is kept for it
            for (unsigned i = 0; i < Hashes; ++i) word(i, key) -= std::uint64_t{1} << shift(i, key);
            leave_to_one(index);
        }
    }
};

template <unsigned Hashes>
struct fingerprint_inserter : outcome_cells {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) const noexcept {
        if (repeats(key)) [[unlikely]]
            return leave_to_one(index);
        // What a cell becomes, by what it is, two bits each: the fingerprint if it is empty, 11 otherwise.
        const std::uint64_t becomes = 0xfc | (1 + fingerprint(items[index], 1));
        std::uint64_t met = 0;
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            const std::uint64_t value = word(i, key) >> shift(i, key) & 3;
            met |= value;
            word(i, key) |= (becomes >> (2 * value) & 3) << shift(i, key);
        });
        outcomes[index] = met != 0 ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    }
};

template <unsigned BitsShift, unsigned Hashes, bool Once, class Inserter>
EVERBLOOM_WIDE void insert_all(std::span<const digest> items, const probing& how, const Inserter& inserter) noexcept {
    std::array<place_window, 2> windows;
    insert<Once>(wide_places<BitsShift, Hashes>(how), inserter.words, items, windows.data(), inserter);
}

} // namespace

bool wide_cells::set_bits(changed_words bits, keys items, const probing& how) noexcept {
    if (!finds_widely(how)) return false;
    const auto act = [&]<unsigned Hashes>() {
        insert_all<0, Hashes, false>(items, how, bit_setter<Hashes>{{bits, how.hashes}});
    };
    if (!with_usual_hashes<7, 10>(how.hashes, act)) act.template operator()<0>();
    return true;
}

bool wide_cells::insert_fingerprints(changed_words cells, keys items, insertions outcomes, const probing& how,
                                     one_insertion one) noexcept {
    return finds_widely(how) && with_usual_hashes<3, 4>(how.hashes, [&]<unsigned Hashes>() {
               insert_all<1, Hashes, true>(
                   items, how, fingerprint_inserter<Hashes>{{{cells, Hashes}, items.data(), outcomes.data(), &one}});
           });
}

bool wide_cells::insert_counters(changed_words cells, keys items, insertions outcomes, const probing& how,
                                 one_insertion one) noexcept {
    return finds_widely(how) && with_usual_hashes<4, 5, 6, 7>(how.hashes, [&]<unsigned Hashes>() {
               insert_all<2, Hashes, true>(
                   items, how, counter_inserter<Hashes>{{{cells, Hashes}, items.data(), outcomes.data(), &one}});
           });
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
