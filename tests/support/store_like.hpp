// store_like: words in memory of their own, in the kind of store that a filter is put together from.
#pragma once

#include "support/must.hpp"

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/word_pieces.hpp>

#include <algorithm>
#include <span>

namespace everbloom::support {

/// `Store` is heap_words or chunked_words.
template <class Store>
[[nodiscard]] Store store_like(const word_pieces& words) {
    Store made = must(Store::make(words.size() / line_words));
    const auto put = [&, at = words.begin()](std::span<std::uint64_t> there) mutable -> result<void> {
        for (std::uint64_t& word : there) word = *at++;
        return {};
    };
    if constexpr (requires { made.fill(put); }) {
        must(made.fill(put));
    } else {
        std::copy(words.begin(), words.end(), made.data());
    }
    return made;
}

} // namespace everbloom::support
