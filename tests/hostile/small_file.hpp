// A small filter file of any kind, planned for a few keys and filled with them.
#pragma once

#include "hostile/raw_file.hpp"
#include "support/kinds_under_test.hpp"
#include "support/must.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/runtime/kinds.hpp>

#include <stdexcept>
#include <string>

namespace everbloom::hostile {

using support::every_kind;
using support::kind_names;

[[nodiscard]] inline std::string key_number(std::uint64_t number) { return "key " + std::to_string(number); }

/// An empty filter with room for so many keys. The hash key is fixed: equal operations make equal bytes.
[[nodiscard]] inline filter_file empty_filter(std::string_view kind, std::uint64_t items) {
    filter_file made;
    made.handle = keyed(support::must(build({std::string(kind), items, 0.01, {}})),
                        any_hasher(hash_id::siphash, hash_key::from_seed(20)));
    made.agreed = {items, 0.01};
    return made;
}

/// Inserts the keys with these numbers, where the kind takes keys one by one.
inline void insert_keys(filter_file& file, std::uint64_t from, std::uint64_t to) {
    if (!file.filter().can(capability::insert)) return;
    for (std::uint64_t i = from; i < to; ++i) {
        const auto done = file.handle.insert(std::string_view(key_number(i)));
        if (!done || !succeeded(*done)) throw std::runtime_error("a key was refused by a filter planned for it");
    }
}

[[nodiscard]] inline bool holds_keys(const filter_file& file, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
        if (!file.handle.may_contain(std::string_view(key_number(i)))) return false;
    }
    return true;
}

inline constexpr std::uint64_t small_items = 20;

/// Twenty keys, the file as bytes.
template <class Kind>
[[nodiscard]] const file_bytes& small_file() {
    static const file_bytes bytes = [] {
        filter_file made = empty_filter(Kind::name, small_items);
        insert_keys(made, 0, small_items);
        return write_filter(made);
    }();
    return bytes;
}

} // namespace everbloom::hostile
