// Check of stored hashes that come from a file, before they are used: every page is one that insertions and removals can make.
#pragma once

#include <everbloom/filter/elastic/stored_hashes/stored_hashes.hpp>

namespace everbloom {

/// Of heap_words and const_words (src/check_stored_hashes.cpp).
template <WordStore Store>
[[nodiscard]] result<void> check_stored_hashes(const stored_hashes<Store>& hashes);

} // namespace everbloom
