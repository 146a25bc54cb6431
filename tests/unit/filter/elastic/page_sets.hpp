// Pages of stored hashes to test vector code with, and the sets of functions that this processor can run.
#pragma once

#include "support/dice.hpp"
#include "support/must.hpp"

#include <everbloom/filter/elastic/stored_hashes/pages.hpp>

#include <vector>

#if defined(EVERBLOOM_MODERN_X86)
namespace everbloom::page_sets {

/// All sets of functions that this processor can run.
inline std::vector<const kernel::page_functions*> all_functions() {
    std::vector<const kernel::page_functions*> made;
    if (kernel::is_modern()) made.push_back(&kernel::modern_page_functions);
    if (kernel::has_wide_pages()) made.push_back(&kernel::wide_page_functions);
    return made;
}

/// Whether a set of functions can do pages of a geometry.
inline bool suits(const kernel::page_functions& functions, const hash_geometry& geometry) {
    return kernel::suits_vectors(geometry) &&
           (&functions != &kernel::wide_page_functions || kernel::suits_wide(geometry));
}

/// Pages with hashes, more than they have slots for if `full` is over 100.
inline hash_pages<heap_words> filled(const hash_geometry& geometry, std::uint64_t full, unsigned copies_in,
                                     support::dice& random) {
    auto made = support::must(hash_pages<heap_words>::make(geometry));
    const std::uint64_t wanted = geometry.pages() * geometry.slots() * full / 100;
    for (std::uint64_t i = 0; i < wanted; ++i) {
        const std::uint64_t hash = random.word() & geometry.stored_mask();
        (void)made.add(hash, copies_in != 0 && random.one_in(copies_in) ? 1 + random.below(5) : 1);
    }
    return made;
}

} // namespace everbloom::page_sets
#endif
