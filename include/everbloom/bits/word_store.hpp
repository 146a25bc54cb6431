// Word stores: ownership and write access of a filter's 64-bit words, expressed as types.
//
//   heap_words   owned memory, writable, copyable
//   const_words  a read-only view of words owned elsewhere (a mapped filter file), which it keeps alive
//
// Every store is a whole number of 64-byte lines and is line-aligned, so that a line of a filter never crosses a cache
// line, and so that a store is exactly a section of a file. A filter over const_words simply has no `insert`.
#pragma once

#include <everbloom/core/units.hpp>

#include <concepts>
#include <cstdint>

namespace everbloom {

template <class S>
concept WordStore = std::move_constructible<S> && requires(const S& store) {
    { store.data() } noexcept -> std::convertible_to<const std::uint64_t*>;
    { store.words() } noexcept -> std::same_as<std::uint64_t>;
};

template <class S>
concept WritableWordStore = WordStore<S> && requires(S& store) {
    { store.data() } noexcept -> std::same_as<std::uint64_t*>;
};

/// Words of memory that a store holds; none for one that lies in a file.
template <class Store>
[[nodiscard]] std::uint64_t held_words_of(const Store& store) noexcept {
    if constexpr (requires { store.held_words(); }) return store.held_words();
    return 0;
}

} // namespace everbloom
