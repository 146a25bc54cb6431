// make: an empty filter of a given geometry, in memory. Checks the spec before it allocates anything.
#pragma once

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/concepts.hpp>

namespace everbloom {

/// Zeroed memory: one store of `lines[i]` cache lines per section.
template <class Store = heap_words, std::size_t Count>
[[nodiscard]] result<std::array<Store, Count>> make_stores(const std::array<std::uint64_t, Count>& lines) {
    std::array<Store, Count> stores;
    for (std::size_t i = 0; i < Count; ++i) {
        auto words = Store::make(lines[i]);
        if (!words) return fail(std::move(words.error()));
        stores[i] = std::move(*words);
    }
    return stores;
}

template <Filter F>
    requires std::same_as<typename F::store_type, heap_words>
[[nodiscard]] result<F> make(const typename F::spec_type& wanted) {
    typename F::spec_type spec = wanted;
    // A kind that grows by itself: the present size of the other one, but empty and with no growth in progress.
    if constexpr (requires { spec.emptied(); }) spec = wanted.emptied();
    if (auto checked = spec.check(); !checked) return fail(std::move(checked.error()));
    auto stores = make_stores<section_store_of<F>>(F::section_lines(spec));
    if (!stores) return fail(std::move(stores.error()));
    // A filter that validates all of its words need not check zeros.
    if constexpr (requires { F::assemble_empty(spec, std::move(*stores)); }) {
        return F::assemble_empty(spec, std::move(*stores));
    } else {
        return F::assemble(spec, std::move(*stores));
    }
}

} // namespace everbloom
