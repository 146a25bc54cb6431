// The recipe of the golden files: 200 text keys in a filter planned for them, and where keys can leave, 50 of them taken out again.
//
// Every golden file is made so, for ever. A file that is there is never made again: it is what older versions of the program have
// written, and new versions must write and read the same bytes.
#pragma once

#include "support/must.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace everbloom::golden {

inline constexpr std::uint64_t members = 200;
inline constexpr std::uint64_t removed = 50;
inline constexpr double rate = 0.01;
inline constexpr std::uint64_t seed = 42;

[[nodiscard]] inline std::string nth_key(std::uint64_t index) { return "key-" + std::to_string(index); }

[[nodiscard]] inline std::filesystem::path directory() {
    return std::filesystem::path(EVERBLOOM_SOURCE_DIR) / "tests" / "golden";
}

[[nodiscard]] inline std::string path_of(std::string_view kind) {
    return (directory() / kind).replace_extension(".eb").string();
}

/// Fills an empty filter as the recipe says.
[[nodiscard]] inline filter_file filled(any_filter empty) {
    filter_file file;
    file.handle = keyed(std::move(empty), any_hasher(hash_id::xxh3, hash_key::from_seed(seed)));
    file.keys = key_type::text;
    file.target = {members, rate};
    if (file.filter().can(capability::build)) {
        std::vector<digest> all;
        for (std::uint64_t i = 0; i < members; ++i) all.push_back(file.hasher()(std::string_view(nth_key(i))));
        support::must(file.filter().build(all));
        return file;
    }
    for (std::uint64_t i = 0; i < members; ++i) support::must(file.handle.insert(std::string_view(nth_key(i))));
    for (std::uint64_t i = 0; i < removed && file.filter().can(capability::erase); ++i) {
        support::must(file.handle.erase(std::string_view(nth_key(i))));
    }
    return file;
}

} // namespace everbloom::golden
