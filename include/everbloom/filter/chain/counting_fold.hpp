// counting_fold: adds counting sub-filters together, to merge two chains or shorten one without the keys.
//
// Two sub-filters of one size become one by adding their counters, cell by cell; a counter that overflows is saturated. Every key of
// either is then in the sum and nowhere else, so keys can be removed from it as before. It is done where the sum is no fuller
// than an insertion may leave a sub-filter; otherwise the sub-filter is appended unchanged. [Guo10] merges in the same way.
//
// The result is built as a separate chain, which replaces the old one when it is complete: a failure changes nothing.
#pragma once

#include <everbloom/filter/chain/counting_links.hpp>
#include <everbloom/filter/chain/fill_levels.hpp>

#include <cstring>

namespace everbloom {

struct counting_fold {
    counting_chain_spec spec; // its `filters` may be 0 until the first sub-filter is taken in
    heap_words words;
    fill_levels levels;

    [[nodiscard]] static counting_fold empty(counting_chain_spec spec) noexcept {
        spec.filters = 0;
        return {spec, {}, {}};
    }

    /// Adds a sub-filter with `level` occupied cells; an empty one is dropped.
    [[nodiscard]] result<void> take(const std::uint64_t* sub, std::uint64_t level) {
        if (level == 0) return {};
        for (std::uint64_t i = 0; i < spec.filters && level < spec.full_from(); ++i) {
            if (fold(i, sub, level)) return {};
        }
        if (auto room = append(); !room) return room;
        std::memcpy(words.data() + (spec.filters - 1) * sub_words(), sub, sub_words() * sizeof(std::uint64_t));
        levels[spec.filters - 1] = level;
        return {};
    }

    /// Appends an empty sub-filter.
    [[nodiscard]] result<void> append() { return append_link(spec, words, levels); }

    /// The same for any chain: its store and levels follow, or all three stay unchanged.
    [[nodiscard]] static result<void> append_link(counting_chain_spec& spec, heap_words& words, fill_levels& levels) {
        counting_chain_spec longer = spec;
        longer.filters += 1;
        if (auto checked = longer.check_sizes(); !checked) {
            return fail(failure_reason::no_room,
                        "the filter cannot grow: it has " + std::to_string(spec.filters) +
                            " sub-filters, the most it may have; create a new one with a larger "
                            "initial_bits or most_filters");
        }
        if (auto room = levels.reserve(longer.filters); !room) return room;
        if (auto room = words.extend(longer.sub_lines() * longer.filters); !room) return room;
        levels[longer.filters - 1] = 0;
        spec = longer;
        return {};
    }

private:
    [[nodiscard]] std::uint64_t sub_words() const noexcept { return spec.sub_lines() * line_words; }

    /// Adds the sub-filter to number `into` if the two fit into one.
    [[nodiscard]] bool fold(std::uint64_t into, const std::uint64_t* sub, std::uint64_t level) noexcept {
        if (levels[into] >= spec.full_from()) return false;
        // A key is inserted into a sub-filter that is not full and occupies up to k more cells: that is the upper limit.
        const std::uint64_t most = spec.full_from() - 1 + spec.hashes;
        const auto bits = static_cast<unsigned>(spec.counter_bits);
        return with_fixed_width(words.data() + into * sub_words(), bits, [&](auto mine) {
            return with_fixed_width(sub, bits, [&](auto theirs) {
                const std::uint64_t cells = spec.sub_cells();
                if (levels[into] + level > most && count_occupied_in_either(mine, theirs, cells) > most) return false;
                const saturating_counters sum(mine, mine.largest());
                const saturating_counters more(theirs, theirs.largest());
                for (std::uint64_t i = 0; i < cells; ++i) sum.absorb(i, more);
                levels[into] = count_occupied(mine, cells);
                return true;
            });
        });
    }
};

} // namespace everbloom
