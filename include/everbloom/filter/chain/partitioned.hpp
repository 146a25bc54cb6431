// The partitioned dynamic filter: a chain whose sub-filters are distributed over several lists, one list per thread.
//
// Idea        A long chain of counting filters is slow to query. But its sub-filters are independent: distributed over p lists, they
//             can be queried by p threads in parallel, each of which scans its own list.
// Source      [Liu16] (Par-BF).
// Layout      as `dynamic`; sub-filter i belongs to list i mod p:   list 0: | 0 | p | 2p | ...   list 1: | 1 | p+1 | ...
// Guarantees  as `dynamic`.
// Cost        as `dynamic` for one thread; the sub-filters of one list for each of p threads.
// Deviation   The paper chooses the size of its sub-filters by formulas of its own; here it follows from the workload, as for all kinds.
//             Its garbage collection is `shrink`. An ordinary query searches the whole chain with one thread;
//             runtime/parallel_query.hpp uses several.
#pragma once

#include <everbloom/filter/chain/counting_chain.hpp>

namespace everbloom {

struct partitioned_spec : counting_chain_spec {
    std::uint64_t partitions = 4;

    static constexpr std::uint64_t most_partitions = 256;

    [[nodiscard]] static constexpr std::array<spec_field<partitioned_spec>, 8> fields() noexcept {
        const auto common = counting_chain_fields<partitioned_spec>();
        return {common[0],
                common[1],
                common[2],
                common[3],
                common[4],
                common[5],
                spec_field<partitioned_spec>{"partitions", &partitioned_spec::partitions, 1, most_partitions,
                                             "lists of sub-filters that threads can query in parallel"},
                filters_field<partitioned_spec>(&partitioned_spec::filters, most_links)};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        return check_sizes();
    }
    [[nodiscard]] partitioned_spec started() const noexcept {
        partitioned_spec made = *this;
        made.filters = 1;
        return made;
    }

    friend constexpr bool operator==(const partitioned_spec&, const partitioned_spec&) = default;
};

struct partitioned_kind {
    using spec_type = partitioned_spec;
    static constexpr std::string_view name = "partitioned";
    static constexpr std::string_view summary = "like dynamic, with lists of sub-filters for parallel queries";

    [[nodiscard]] static std::uint64_t lists(const partitioned_spec& spec) noexcept { return spec.partitions; }
};

template <class Store>
using basic_partitioned_filter = counting_chain<partitioned_kind, Store>;
using partitioned_filter = basic_partitioned_filter<heap_words>;

/// The work of one thread: sets the answers of the keys that a sub-filter of this list holds. The others stay as they are, so the answers
/// must begin as zeros. Several threads may do this at once, with different lists and the same answers.
template <class Store>
void may_contain_in(const basic_partitioned_filter<Store>& filter, std::uint64_t partition,
                    std::span<const digest> items, std::span<std::uint8_t> answers) noexcept {
    // Every thread that sets an answer sets it to 1, so their order does not matter; a key found in another list is skipped.
    filter.find_in_list(
        partition, items, [=](std::size_t i) { return __atomic_load_n(&answers[i], __ATOMIC_RELAXED) != 0; },
        [=](std::size_t i) { __atomic_store_n(&answers[i], std::uint8_t{1}, __ATOMIC_RELAXED); });
}

} // namespace everbloom
