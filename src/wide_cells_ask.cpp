// Queries for many keys with AVX-512: bloom, dfp, counting.
//
// An absent key mostly fails within two cells, and which one is a matter of chance, so two are looked at without a branch; those that remain
// are listed, and all of their other cells are looked at, again without a branch.
#include "wide_cells.hpp"

#include <everbloom/probe/fingerprint.hpp>

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

/// Cells up to that many bytes are likely to be in a third-level cache.
constexpr std::uint64_t cached_bytes = 16 * 1024 * 1024;

/// `mask(item)`: a cell holds the item if it has one of these bits.
template <unsigned BitsShift, unsigned Hashes, class Mask>
EVERBLOOM_WIDE void ask(const std::uint64_t* words, std::span<const digest> items, std::uint8_t* answers,
                        const probing& how, Mask mask) noexcept {
    const wide_places<BitsShift, Hashes> places(how);
    const unsigned early = std::min(Hashes != 0 ? Hashes : how.hashes, 2u);
    place_window window;
    std::array<std::uint32_t, place_window::most_keys> survivors;
    const auto cell = [&window, words ](unsigned i, std::size_t key) __attribute__((always_inline)) {
        return words[window.at[i][key].word] >> (window.at[i][key].shift % word_bits);
    };
    for (std::size_t from = 0; from < items.size(); from += place_window::most_keys) {
        const std::size_t count = std::min(place_window::most_keys, items.size() - from);
        places.template find<false>(items.data() + from, count, window);
        if (places.is_far) {
            for (std::size_t key = 0; key < count; ++key) {
                prefetch_line(words + window.at[0][key].word);
                prefetch_line(words + window.at[early - 1][key].word);
            }
        }
        std::size_t alive = 0;
        for (std::size_t key = 0; key < count; ++key) {
            const std::uint64_t wanted = mask(items[from + key]);
            const bool first = (cell(0, key) & wanted) != 0;
            const bool second = (cell(early - 1, key) & wanted) != 0;
            const bool both = first & second; // no branch: it could not be predicted
            answers[from + key] = static_cast<std::uint8_t>(both);
            survivors[alive] = static_cast<std::uint32_t>(key);
            alive += both ? 1 : 0;
        }
        if (places.is_far) {
            for (std::size_t s = 0; s < alive; ++s) {
                places.prefetch(words, window, survivors[s], early);
            }
        }
        for (std::size_t s = 0; s < alive; ++s) {
            const std::size_t key = survivors[s];
            bool all = true;
            if constexpr (BitsShift == 0) {
                std::uint64_t bits = 1;
                for_each_hash<Hashes>(early, how.hashes,
                                      [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { bits &= cell(i, key); });
                all = bits != 0;
            } else {
                const std::uint64_t wanted = mask(items[from + key]);
                for_each_hash<Hashes>(early, how.hashes,
                                      [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { all &= (cell(i, key) & wanted) != 0; });
            }
            answers[from + key] = static_cast<std::uint8_t>(all);
        }
    }
}

/// The keys of a window that have passed the first look.
struct survivor_list {
    std::array<std::uint32_t, place_window::most_keys> keys;
    std::size_t count = 0;
    std::size_t from = 0; // the first key of the window
};

/// The same for cells that no cache holds. What is sent for is looked at a window later, so that a window does not wait for its own words.
template <unsigned BitsShift, class Mask>
struct far_queries {
    static constexpr unsigned most_early = 2;

    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline std::uint64_t cell(const place_window& window, unsigned i,
                                                                               std::size_t key) const noexcept {
        return words[window.at[i][key].word] >> (window.at[i][key].shift % word_bits);
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void send_for_first(const place_window& window,
                                                                     std::size_t key) const noexcept {
        prefetch_line(words + window.at[0][key].word);
        prefetch_line(words + window.at[early - 1][key].word);
    }
    /// Looks at the first two cells of a key.
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void look(const place_window& window, std::size_t key,
                                                           survivor_list& survivors) const noexcept {
        const std::size_t index = survivors.from + key;
        const std::uint64_t wanted = mask(items[index]);
        const bool first = (cell(window, 0, key) & wanted) != 0;
        const bool second = (cell(window, early - 1, key) & wanted) != 0;
        const bool both = first & second; // no branch: it could not be predicted
        answers[index] = static_cast<std::uint8_t>(both);
        survivors.keys[survivors.count] = static_cast<std::uint32_t>(key);
        survivors.count += both ? 1 : 0;
    }
    /// Looks at all other cells of the survivors.
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void finish(const place_window& window,
                                                             const survivor_list& survivors) const noexcept {
        for (std::size_t s = 0; s < survivors.count; ++s) {
            const std::size_t key = survivors.keys[s];
            const std::size_t index = survivors.from + key;
            bool all = true;
            if constexpr (BitsShift == 0) {
                std::uint64_t bits = 1;
                for_each_hash<0>(early, places.how.hashes,
                                 [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { bits &= cell(window, i, key); });
                all = bits != 0;
            } else {
                const std::uint64_t wanted = mask(items[index]);
                for_each_hash<0>(early, places.how.hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
                    all &= (cell(window, i, key) & wanted) != 0;
                });
            }
            answers[index] = static_cast<std::uint8_t>(all);
        }
    }

    /// In three steps, each for the keys of another window: their first words are sent for, the rest of what has passed, and that is looked at.
    EVERBLOOM_WIDE static void answer(const far_queries& given) noexcept {
        const far_queries all = given; // a copy that nothing else can change, so that it stays in registers
        std::array<place_window, 3> windows;
        std::array<survivor_list, 3> survivors;
        all.places.template find<false>(all.items, std::min(most, all.count), windows[0]);
        for (std::size_t key = 0; key < std::min(most, all.count); ++key) all.send_for_first(windows[0], key);
        std::size_t now = 0;
        std::size_t before = 2;
        for (std::size_t from = 0; from < all.count; from += most) {
            const std::size_t next = 3 - now - before;
            const std::size_t here = std::min(most, all.count - from);
            const std::size_t behind = std::min(most, all.count - from - here);
            if (behind != 0) all.places.template find<false>(all.items + from + here, behind, windows[next]);
            survivors[now].count = 0;
            survivors[now].from = from;
            for (std::size_t key = 0; key < here; ++key) {
                if (key < behind) all.send_for_first(windows[next], key);
                all.look(windows[now], key, survivors[now]);
            }
            for (std::size_t s = 0; s < survivors[now].count; ++s) {
                all.places.prefetch(all.words, windows[now], survivors[now].keys[s], all.early);
            }
            all.finish(windows[before], survivors[before]);
            before = now;
            now = next;
        }
        all.finish(windows[before], survivors[before]);
    }

    static constexpr std::size_t most = place_window::most_keys;
    wide_places<BitsShift, 0> places;
    const std::uint64_t* words;
    const digest* items;
    std::size_t count;
    std::uint8_t* answers;
    Mask mask;
    unsigned early = std::min(places.how.hashes, most_early);
};

template <unsigned BitsShift, class Mask>
bool ask_widely(const std::uint64_t* words, std::span<const digest> items, std::span<std::uint8_t> answers,
                const probing& how, Mask mask) noexcept {
    if (!finds_widely(how)) return false;
    if (how.range << BitsShift >> 3 > cached_bytes) {
        using queries = far_queries<BitsShift, Mask>;
        queries::answer({wide_places<BitsShift, 0>(how), words, items.data(), items.size(), answers.data(), mask});
        return true;
    }
    const bool done = with_usual_hashes<3, 4, 7, 10>(
        how.hashes, [&]<unsigned Hashes>() { ask<BitsShift, Hashes>(words, items, answers.data(), how, mask); });
    if (!done) ask<BitsShift, 0>(words, items, answers.data(), how, mask);
    return true;
}

} // namespace

bool wide_cells::ask_bits(words bits, keys items, answer_list answers, const probing& how) noexcept {
    return ask_widely<0>(
        bits, items, answers, how, [](const digest&) __attribute__((always_inline)) { return 1; });
}
bool wide_cells::ask_fingerprints(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return ask_widely<1>(
        cells, items, answers, how,
        [](const digest& item) __attribute__((always_inline)) { return 1 + fingerprint(item, 1); });
}
bool wide_cells::ask_pairs(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return ask_widely<1>(
        cells, items, answers, how, [](const digest&) __attribute__((always_inline)) { return 3; });
}
bool wide_cells::ask_counters(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return ask_widely<2>(
        cells, items, answers, how, [](const digest&) __attribute__((always_inline)) { return 15; });
}
#else
bool wide_cells::ask_bits(words, keys, answer_list, const probing&) noexcept { return false; }
bool wide_cells::ask_fingerprints(words, keys, answer_list, const probing&) noexcept { return false; }
bool wide_cells::ask_pairs(words, keys, answer_list, const probing&) noexcept { return false; }
bool wide_cells::ask_counters(words, keys, answer_list, const probing&) noexcept { return false; }
#endif

} // namespace everbloom::kernel
