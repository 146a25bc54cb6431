// The dynamic Bloom filter: a chain of counting filters that grows by one whenever the last is full.
//
// Idea        The number of keys is not known in advance. Keys go into a counting filter of a fixed size; when a given share of its
//             cells is occupied it counts as full, and the next one is opened. A query asks all of them. A removal must know which one
//             holds the key: it is done if exactly one of them answers "maybe".
// Source      [Guo10], the optimised form: counters instead of bits.
// Layout      equal sub-filters, each a whole number of lines:   | sub-filter 0 : counters | sub-filter 1 : counters | ...
// Guarantees  No false negative as long as only members are removed. Space freed by removals is reused. A key inserted twice
//             must be removed twice, and if its two copies lie in different sub-filters it cannot be removed (ambiguous). Growth that
//             is refused (most_filters, memory) changes nothing. Merge adds the sub-filters of the other filter.
// Cost        An absent key costs about two cache lines in every sub-filter, and the FPR is the sum of theirs: both grow with the
//             number of keys. That is the price of growing in this way. A member costs half of that, and its own k cache lines.
// Deviation   A sub-filter is full by its occupied cells, which are counted exactly, not by a number of keys: duplicates and removals
//             do not distort it. The first sub-filter that is not full takes the key, not the last one. Counters saturate, as
//             in `counting`. Positions are computed once for all sub-filters.
#pragma once

#include <everbloom/filter/chain/counting_chain.hpp>

namespace everbloom {

struct dynamic_spec : counting_chain_spec {
    [[nodiscard]] static constexpr std::array<spec_field<dynamic_spec>, 7> fields() noexcept {
        const auto common = counting_chain_fields<dynamic_spec>();
        return {common[0],
                common[1],
                common[2],
                common[3],
                common[4],
                common[5],
                filters_field<dynamic_spec>(&dynamic_spec::filters, most_links)};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        return check_sizes();
    }
    [[nodiscard]] dynamic_spec started() const noexcept {
        dynamic_spec made = *this;
        made.filters = 1;
        return made;
    }

    friend constexpr bool operator==(const dynamic_spec&, const dynamic_spec&) = default;
};

struct dynamic_kind {
    using spec_type = dynamic_spec;
    static constexpr std::string_view name = "dynamic";
    static constexpr std::string_view summary =
        "deletes, grows by equal counting filters; query time and FPR grow, too";

    [[nodiscard]] static std::uint64_t lists(const dynamic_spec&) noexcept { return 1; }
};

template <class Store>
using basic_dynamic_filter = counting_chain<dynamic_kind, Store>;
using dynamic_filter = basic_dynamic_filter<heap_words>;

} // namespace everbloom
