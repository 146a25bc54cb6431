// Queries for many keys with AVX-512: bloom, the kinds with its bits or with cells of two bits, dfp, counting.
//
// An absent key mostly fails within two cells, and which one is a matter of chance, so two are looked at for every key, without a branch;
// all other cells are looked at of those keys that remain. Loading is left to scalar code, deciding is not:
//
//   units of the first two cells   ->   rows of 32 units   ->   one bit per key: alive
//   of the keys that are alive, the units of all other cells   ->   rows   ->   answers
#include "wide_cells.hpp"

#include <everbloom/probe/fingerprint.hpp>

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

/// Cells up to that many bytes are likely to be in a third-level cache.
constexpr std::uint64_t cached_bytes = 16 * 1024 * 1024;

/// The keys of a window on their way to an answer.
struct asked_window {
    place_window<32> places;
    alignas(64) number_rows<32> found; // the units of their cells
    std::uint32_t alive;               // bit i: no cell of key i that was looked at proves it absent
    std::size_t from;                  // the first key of the window
    std::size_t count;
};

/// The bit of a tag for each key: 1 or 2.
struct fingerprint_places {
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline sixteen_units operator()(eight_words front,
                                                                                     eight_words back) const noexcept {
        constexpr std::uint64_t factor = fingerprint_factor;
        const auto tags = __builtin_shufflevector(reinterpret_cast<sixteen_units>(front * factor),
                                                  reinterpret_cast<sixteen_units>(back * factor), 1, 3, 5, 7, 9, 11, 13,
                                                  15, 17, 19, 21, 23, 25, 27, 29, 31);
        return 1 + (tags >> 31);
    }
};

/// The steps of a query. `bits`: a cell holds a key if it has one of these bits.
template <unsigned BitsShift, unsigned Hashes, class Bits>
struct queries {
    static constexpr std::size_t most = decltype(asked_window::places)::keys;
    static constexpr unsigned most_early = 2;

    EVERBLOOM_WIDE [[gnu::always_inline]] inline void begin(asked_window& window, std::size_t from) const noexcept {
        window.from = from;
        window.count = std::min(most, count - from);
        place_finder<BitsShift, false, Bits> finder(how.range, bits);
        for (std::size_t first = 0; first < window.count; first += 16) {
            finder.begin(items + from + first, std::min<std::size_t>(16, window.count - first));
            for_each_hash<Hashes>(0, how.hashes,
                                  [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { finder.step(i, window.places, first); });
        }
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void send_for_first(const asked_window& window,
                                                                     std::size_t key) const noexcept {
        prefetch_line(units + window.places.unit[0][key]);
        prefetch_line(units + window.places.unit[early() - 1][key]);
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void load_first(asked_window& window, std::size_t key) const noexcept {
        load(window, 0, key);
        load(window, early() - 1, key);
    }
    /// Looks at the first two cells of all keys.
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void look(asked_window& window) const noexcept {
        const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << window.count) - 1);
        window.alive = all & occupied(window, 0) & occupied(window, early() - 1);
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void send_for_rest(const asked_window& window) const noexcept {
        for (std::uint32_t left = window.alive; left != 0; left &= left - 1) {
            const auto key = static_cast<unsigned>(__builtin_ctz(left));
            for_each_hash<Hashes>(early(), how.hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
                prefetch_line(units + window.places.unit[i][key]);
            });
        }
    }
    /// Looks at all other cells of the keys that are alive, and answers.
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void finish(asked_window& window) const noexcept {
        for (std::uint32_t left = window.alive; left != 0; left &= left - 1) {
            const auto key = static_cast<unsigned>(__builtin_ctz(left));
            for_each_hash<Hashes>(early(), how.hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { load(window, i, key); });
        }
        std::uint32_t alive = window.alive;
        for_each_hash<Hashes>(early(), how.hashes,
                              [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { alive &= occupied(window, i); });
        const auto written = static_cast<__mmask32>((std::uint64_t{1} << window.count) - 1);
        _mm256_mask_storeu_epi8(answers + window.from, written, _mm256_maskz_set1_epi8(alive, 1));
    }

    /// Window by window. Cells that are far away are sent for first.
    EVERBLOOM_WIDE static void answer(const queries& given) noexcept {
        const queries all = given; // a copy that nothing else can change, so that it stays in registers
        const bool is_far = all.how.range << BitsShift >> 3 > wide_near_bytes;
        asked_window window;
        for (std::size_t from = 0; from < all.count; from += most) {
            all.begin(window, from);
            if (is_far) {
                for (std::size_t key = 0; key < window.count; ++key) all.send_for_first(window, key);
            }
            for (std::size_t key = 0; key < window.count; ++key) all.load_first(window, key);
            all.look(window);
            if (is_far) all.send_for_rest(window);
            all.finish(window);
        }
    }

    /// For cells that no cache holds. What is sent for is looked at a window later, so that a window does not wait for its own cells. In
    /// three steps, each for the keys of another window: their first cells are sent for, the rest of what has passed, and that is looked at.
    EVERBLOOM_WIDE static void answer_from_afar(const queries& given) noexcept {
        const queries all = given;
        std::array<asked_window, 3> windows;
        asked_window* now = &windows[0];
        asked_window* next = &windows[1];
        asked_window* before = &windows[2];
        before->alive = 0;
        before->from = before->count = 0;
        all.begin(*now, 0);
        for (std::size_t key = 0; key < now->count; ++key) all.send_for_first(*now, key);
        for (std::size_t from = 0; from < all.count; from += most) {
            all.begin(*next, std::min(from + most, all.count));
            for (std::size_t key = 0; key < now->count; ++key) {
                if (key < next->count) all.send_for_first(*next, key);
                all.load_first(*now, key);
            }
            all.look(*now);
            all.send_for_rest(*now);
            all.finish(*before);
            asked_window* const done = before;
            before = now;
            now = next;
            next = done;
        }
        all.finish(*before);
    }

    probing how;
    const wide_unit* units;
    const digest* items;
    std::size_t count;
    std::uint8_t* answers;
    Bits bits;

private:
    [[nodiscard, gnu::always_inline]] unsigned early() const noexcept {
        return std::min(Hashes != 0 ? Hashes : how.hashes, most_early);
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void load(asked_window& window, unsigned i,
                                                           std::size_t key) const noexcept {
        window.found[i][key] = units[window.places.unit[i][key]];
    }
    /// Bit k: cell i of key k has one of the bits.
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] static inline std::uint32_t occupied(const asked_window& window,
                                                                                          unsigned i) noexcept {
        const auto half = [&](std::size_t first) EVERBLOOM_WIDE_LAMBDA {
            return std::uint32_t{_mm512_test_epi32_mask(_mm512_load_si512(window.found[i].data() + first),
                                                        _mm512_load_si512(window.places.bits[i].data() + first))};
        };
        return half(0) | half(16) << 16;
    }
};

template <unsigned BitsShift, class Bits>
bool ask_widely(const std::uint64_t* words, std::span<const digest> items, std::span<std::uint8_t> answers,
                const probing& how, Bits bits) noexcept {
    if (!finds_widely(how)) return false;
    const auto* const units = reinterpret_cast<const wide_unit*>(words);
    if (how.range << BitsShift >> 3 > cached_bytes) {
        using far_queries = queries<BitsShift, 0, Bits>;
        far_queries::answer_from_afar({how, units, items.data(), items.size(), answers.data(), bits});
        return true;
    }
    const auto ask = [&]<unsigned Hashes>() {
        queries<BitsShift, Hashes, Bits>::answer({how, units, items.data(), items.size(), answers.data(), bits});
    };
    if (!with_usual_hashes<3, 4, 7, 10>(how.hashes, ask)) ask.template operator()<0>();
    return true;
}

} // namespace

bool wide_cells::ask_bits(words bits, keys items, answer_list answers, const probing& how) noexcept {
    return ask_widely<0>(bits, items, answers, how, equal_places{1});
}
bool wide_cells::ask_fingerprints(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return ask_widely<1>(cells, items, answers, how, fingerprint_places{});
}
bool wide_cells::ask_pairs(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return ask_widely<1>(cells, items, answers, how, equal_places{3});
}
bool wide_cells::ask_counters(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return ask_widely<2>(cells, items, answers, how, equal_places{15});
}
#else
bool wide_cells::ask_bits(words, keys, answer_list, const probing&) noexcept { return false; }
bool wide_cells::ask_pairs(words, keys, answer_list, const probing&) noexcept { return false; }
bool wide_cells::ask_fingerprints(words, keys, answer_list, const probing&) noexcept { return false; }
bool wide_cells::ask_counters(words, keys, answer_list, const probing&) noexcept { return false; }
#endif

} // namespace everbloom::kernel
