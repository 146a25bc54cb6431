// Removals of many keys with AVX-512: counting.
//
// A member's counters are neither empty nor full, so they are changed without looking. An empty or a full one leaves a number of eight or
// more behind, as few others do: then the key's counters are changed back, and looked at. What the units of a key were afterwards is kept, and
// says for a whole window at once which keys are surely gone: those that have a counter of zero now.
#include "wide_cells_update.hpp"

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

constexpr std::uint32_t largest_counter = 15;
constexpr int most_absent = 16; // of the 32 keys of a window that are changed without looking

template <unsigned Hashes>
struct counter_eraser : outcome_cells<erase_outcome> {
    explicit counter_eraser(const outcome_cells<erase_outcome>& cells) noexcept : outcome_cells<erase_outcome>(cells) {}

    EVERBLOOM_WIDE [[gnu::always_inline]] inline void operator()(std::size_t index, std::size_t key) noexcept {
        if (repeats(key)) [[unlikely]]
            return settle(index, key);
        if (expects_absent) [[unlikely]] {
            if (has_empty(key)) return refuse(index, key);
        }
        std::uint32_t seen = 0;
        const window_cells at = *this; // nothing that is written can change a copy
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            auto unit = at.change(i, key);
            const std::uint32_t made = unit.found() - at.bits(i, key);
            unit.become(made);
            seen |= made;
            left[i][key] = made;
        });
        if ((seen & half_full_counters) != 0) [[unlikely]] {
            look_again(index, key);
        }
    }

    EVERBLOOM_WIDE [[gnu::noinline]] void look_again(std::size_t index, std::size_t key) noexcept {
        const window_cells at = *this;
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            auto unit = at.change(i, key);
            unit.become(unit.found() + at.bits(i, key));
        });
        if (has_empty(key)) return refuse(index, key);
        std::uint32_t stuck = 0; // or nearly
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            stuck |= (at.unit(i, key) - at.bits(i, key)) & (at.bits(i, key) << 3);
        });
        if (stuck != 0) {
            settle(index, key);
        } else { // a neighbour
            for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
                auto unit = at.change(i, key);
                unit.become(unit.found() - at.bits(i, key));
            });
        }
    }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline bool has_empty(std::size_t key) const noexcept {
        bool empty = false;
        const window_cells at = *this;
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            empty |= (at.unit(i, key) & at.bits(i, key) * largest_counter) == 0;
        });
        return empty;
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void refuse(std::size_t index, std::size_t key) noexcept {
        outcomes[index] = erase_outcome::not_present;
        settled |= 1u << key;
    }
    EVERBLOOM_WIDE [[gnu::noinline]] void settle(std::size_t index, std::size_t key) noexcept {
        settled |= 1u << key;
        leave_to_one(index);
    }

    /// The outcomes of all keys that are not settled.
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void finish(std::size_t from, std::size_t count) noexcept {
        std::uint32_t still_positive = ~0u;
        for_each_hash<Hashes>(0, hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            const auto half = [&](std::size_t first) EVERBLOOM_WIDE_LAMBDA {
                const auto ones = *reinterpret_cast<const sixteen_units*>(window->bits[i].data() + first);
                return std::uint32_t{_mm512_test_epi32_mask(_mm512_load_si512(left[i].data() + first),
                                                            reinterpret_cast<__m512i>((ones << 4) - ones))};
            };
            still_positive &= half(0) | half(16) << 16;
        });
        static_assert(static_cast<int>(erase_outcome::removed) == 0);
        constexpr auto otherwise = static_cast<char>(erase_outcome::removed_still_positive);
        const auto written = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1) & ~settled;
        _mm256_mask_storeu_epi8(outcomes + from, written, _mm256_maskz_set1_epi8(still_positive, otherwise));
        expects_absent = __builtin_popcount(settled) > most_absent;
        settled = 0;
    }

    alignas(64) number_rows<32> left;
    std::uint32_t settled = 0;   // bit i: key i of the window has its outcome
    bool expects_absent = false; // many keys of the window before had an empty counter: looking first is cheaper
};

template <unsigned Hashes>
EVERBLOOM_WIDE void erase_all(const probing& how, const outcome_cells<erase_outcome>& cells,
                              std::span<const digest> items) noexcept {
    update_windows<2, Hashes, true>(how, items, equal_places{1}, counter_eraser<Hashes>(cells));
}

} // namespace

bool wide_cells::erase_counters(changed_words cells, keys items, removals outcomes, const probing& how,
                                one_removal one) noexcept {
    if (!finds_widely(how)) return false;
    const outcome_cells<erase_outcome> at{
        {reinterpret_cast<wide_unit*>(cells), how.hashes}, items.data(), outcomes.data(), &one};
    const auto act = [&]<unsigned Hashes>() { erase_all<Hashes>(how, at, items); };
    if (!with_usual_hashes<4, 5, 6, 7>(how.hashes, act)) act.template operator()<0>();
    return true;
}
#else
bool wide_cells::erase_counters(changed_words, keys, removals, const probing&, one_removal) noexcept { return false; }
#endif

} // namespace everbloom::kernel
