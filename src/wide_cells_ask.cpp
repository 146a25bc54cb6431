// Queries for many keys with AVX-512: bloom, dfp, counting.
//
// An absent key mostly fails within two cells, and which one is a matter of chance, so two are looked at without a branch; those that remain
// are listed, and all of their other cells are looked at, again without a branch.
#include "wide_cells.hpp"

#include <everbloom/probe/fingerprint.hpp>

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

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

template <unsigned BitsShift, class Mask>
bool ask_widely(const std::uint64_t* words, std::span<const digest> items, std::span<std::uint8_t> answers,
                const probing& how, Mask mask) noexcept {
    if (!finds_widely(how)) return false;
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
