// A small filter file of any kind, planned for a few keys and filled with them.
#pragma once

#include "hostile/raw_file.hpp"
#include "support/must.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace everbloom::hostile {

/// A test that runs once for every kind of the catalogue. Compiled once: nothing here needs a concrete filter.
class for_every_kind : public ::testing::TestWithParam<const kind_info*> {
protected:
    [[nodiscard]] static const kind_info& kind() { return *GetParam(); }
};

[[nodiscard]] inline std::vector<const kind_info*> kinds_that_can(capability wanted) {
    std::vector<const kind_info*> chosen;
    for (const kind_info& one : known_kinds()) {
        if (one.capabilities.has(wanted)) chosen.push_back(&one);
    }
    return chosen;
}

/// Tests are called kinds/damaged_bytes.a_test/counting.
inline constexpr auto kind_name = [](const auto& info) { return std::string(info.param->name); };

[[nodiscard]] inline std::string key_number(std::uint64_t number) { return "key " + std::to_string(number); }

/// An empty filter with room for so many keys. The hash key is fixed: equal operations make equal bytes.
[[nodiscard]] inline filter_file empty_filter(std::string_view kind, std::uint64_t items) {
    filter_file made;
    made.handle = keyed(support::must(build({std::string(kind), items, 0.01, {}})),
                        any_hasher(hash_id::siphash, hash_key::from_seed(20)));
    made.target = {items, 0.01};
    return made;
}

/// Inserts the keys with these numbers; a kind that is built at once gets them at once.
inline void insert_keys(filter_file& file, std::uint64_t from, std::uint64_t to) {
    if (file.filter().can(capability::build)) {
        std::vector<digest> all;
        for (std::uint64_t i = from; i < to; ++i) all.push_back(file.hasher()(std::string_view(key_number(i))));
        support::must(file.filter().build(all));
        return;
    }
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
[[nodiscard]] inline const file_bytes& small_file(std::string_view kind) {
    static std::map<std::string, file_bytes, std::less<>> made;
    auto found = made.find(kind);
    if (found == made.end()) {
        filter_file filled = empty_filter(kind, small_items);
        insert_keys(filled, 0, small_items);
        found = made.emplace(kind, write_filter(filled)).first;
    }
    return found->second;
}

} // namespace everbloom::hostile
