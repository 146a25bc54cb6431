// loaded_sections: the sections of a file, and the values of its geometry, as the filter of a kind wants them.
#pragma once

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/runtime/kind.hpp>

#include <array>
#include <type_traits>
#include <utility>
#include <vector>

namespace everbloom {

template <class Spec>
Spec spec_of(const parameter_values& values) {
    Spec spec;
    std::size_t i = 0;
    for (const auto& field : Spec::fields()) spec.*field.value = values[i++];
    return spec;
}

inline result<chunked_words> section_as(std::type_identity<chunked_words>, chunked_words store) { return store; }
inline result<heap_words> section_as(std::type_identity<heap_words>, chunked_words store) {
    return std::move(store).whole();
}
inline result<const_words> section_as(std::type_identity<const_words>, const_words store) { return store; }

/// By `F::assemble`; with the number of its items, which only a check of all lines can know, by `F::assemble_checked`.
template <class F, class Store, class... More>
result<F> assemble_filter(const parameter_values& values, std::vector<Store> stores, More... more) {
    std::array<section_store_of<F>, F::section_names.size()> fixed;
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        auto section = section_as(std::type_identity<section_store_of<F>>{}, std::move(stores[i]));
        if (!section) return fail(std::move(section.error()));
        fixed[i] = std::move(*section);
    }
    if constexpr (sizeof...(More) != 0) {
        return F::assemble_checked(spec_of<typename F::spec_type>(values), std::move(fixed), more...);
    } else {
        return F::assemble(spec_of<typename F::spec_type>(values), std::move(fixed));
    }
}

} // namespace everbloom
