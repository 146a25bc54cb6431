// Building a yes-no filter from its members and its known negatives.
//
// Each part is built by itself, with each of the seeds that may be tried:
//
//   1  the members go into the yes-filter;
//   2  the negatives that it says yes to are its false positives;
//   3  each false positive looks for a no-filter that can take it without covering a member (src/no_filter_packing.hpp).
//
// The seed that leaves the fewest false positives wins; none left ends the search. The work is linear in the number of keys, and
// parts are built in parallel.
#pragma once

#include <everbloom/filter/protection.hpp>
#include <everbloom/filter/yes_no/yes_no.hpp>

namespace everbloom {

struct yes_no_built {
    yes_no_filter filter;
    protection report;
};

/// A new filter. How false positives are assigned and how many seeds are tried is in the spec.
[[nodiscard]] result<yes_no_built> build_yes_no(const yes_no_spec& spec, std::span<const digest> members,
                                                std::span<const digest> negatives, const protection_options& how = {});

/// Builds the no-filters of a filter that holds these members and no others; fails, and changes nothing, if its yes-filters show that
/// it holds more or fewer.
[[nodiscard]] result<protection> protect(yes_no_filter& filter, std::span<const digest> members,
                                         std::span<const digest> negatives, const protection_options& how = {});

} // namespace everbloom
