// copied_sections: the words of a filter in memory of their own, for copies that can be changed.
#pragma once

#include <everbloom/bits/chunked_words.hpp>

#include <cstring>
#include <span>
#include <vector>

namespace everbloom {

/// `sections`: whole cache lines of words, as filters give them; the first `chunked` ones may grow and shrink.
template <class Sections>
[[nodiscard]] result<std::vector<chunked_words>> copied_sections(const Sections& sections, std::size_t chunked) {
    std::vector<chunked_words> stores;
    for (const word_pieces words : sections) {
        const std::uint64_t lines = words.size() / line_words;
        auto store = stores.size() < chunked ? chunked_words::make(lines) : chunked_words::make_whole(lines);
        if (!store) return fail(std::move(store.error()));
        std::size_t from = 0;
        auto filled = store->fill([&](std::span<std::uint64_t> unit) -> result<void> {
            std::uint64_t* to = unit.data();
            words.for_each_run(from, from + unit.size(), [&](std::span<const std::uint64_t> run) {
                std::memcpy(to, run.data(), run.size_bytes());
                to += run.size();
            });
            from += unit.size();
            return {};
        });
        if (!filled) return fail(std::move(filled.error()));
        stores.push_back(std::move(*store));
    }
    return stores;
}

} // namespace everbloom
