// copied_sections: the words of a filter in memory of their own, for copies that can be changed.
#pragma once

#include <everbloom/bits/heap_words.hpp>

#include <cstring>
#include <span>
#include <vector>

namespace everbloom {

/// `sections`: spans of whole cache lines of words, as filters give them.
template <class Sections>
[[nodiscard]] result<std::vector<heap_words>> copied_sections(const Sections& sections) {
    std::vector<heap_words> stores;
    for (const std::span<const std::uint64_t> words : sections) {
        auto store = heap_words::make(words.size() / line_words);
        if (!store) return fail(std::move(store.error()));
        if (!words.empty()) std::memcpy(store->data(), words.data(), words.size_bytes());
        stores.push_back(std::move(*store));
    }
    return stores;
}

} // namespace everbloom
