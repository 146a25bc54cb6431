// The best yes-no filter of a given number of bits: how much for the yes-filter, how much for how many no-filters, and how many
// positions in each, so that the fewest known negatives come back.
//
// The model ranks a few hundred candidates. It knows first-fit; a search among assignments does better, most of all where the
// no-filters are nearly full. So for small filters the best candidates are built some hundred times, from random keys, and the one that
// really leaves the fewest wins. The same question always gets the same answer.
#pragma once

#include <everbloom/filter/yes_no/yes_no_spec.hpp>

namespace everbloom {

/// For one part of so many bits, members and known negatives. Keeps what `preset` gives: numbers of hashes that are not 0, how
/// negatives are assigned, and that there are no no-filters if it has none.
[[nodiscard]] yes_no_spec fit_yes_no(std::uint64_t bits, double members, double negatives, const yes_no_spec& preset);

} // namespace everbloom
