// The best yes-no filter of a given number of bits: how to split them between the yes-filter and the no-filters, and the number of
// hash functions in each, so that the fewest known negatives remain false positives.
//
// The model ranks a few hundred candidates. It knows first-fit; a search among assignments does better, most of all where the
// no-filters are nearly full. So for small filters the best candidates are built some hundred times, from random keys, and the one that
// really leaves the fewest wins. The same question always gets the same answer.
#pragma once

#include <everbloom/filter/yes_no/yes_no_spec.hpp>

namespace everbloom {

/// For one part with the given bits, members and known negatives. Keeps what `preset` gives: numbers of hashes that are not 0, how
/// negatives are assigned, and that there are no no-filters if it has none.
[[nodiscard]] yes_no_spec fit_yes_no(std::uint64_t bits, double members, double negatives, const yes_no_spec& preset);

} // namespace everbloom
