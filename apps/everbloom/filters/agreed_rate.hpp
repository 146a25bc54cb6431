// The agreed rate: a filter was created for so many items at such a rate of false positives, and keeps it or says no.
//
// Past the agreed items the rate rises with every key. A change that would take it more than a tenth above what was agreed is
// refused as a whole, unless the user says --overfill. Up to the agreed items nothing is refused: there the rate is luck. The
// number of items is an estimate from the cells, with a standard deviation below half of its square root, so it counts as
// "past" from two square roots above. And a filter whose cells are all full no longer knows how many keys it holds: a rate above
// the square root of the agreed one (3 % where 0.1 % was agreed) is never luck, and is refused in any case.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <string>

namespace everbloom::cli {

/// How far above the agreed rate a filter may be.
inline constexpr double rate_tolerance = 1.1;

[[nodiscard]] bool exceeds(const measurement& now, const agreement& agreed) noexcept;

/// The refusal, in words: `change` ("with 5 more keys") would make the filter so full.
[[nodiscard]] failure overfull(const std::string& path, const std::string& change, const measurement& now,
                               const agreement& agreed);

enum class geometry_source { given, planned };

/// What to promise for a new filter of so many items: the rate asked for, or what the model says of its geometry. Refuses a promise
/// that the geometry cannot keep. A planned geometry has some play, because cells and hashes are whole numbers: with one
/// item that can cost a factor of three.
[[nodiscard]] result<agreement> promise(const any_filter& filter, geometry_source source, std::uint64_t items,
                                        std::optional<double> asked);

/// "0.100 % false positives at 1000 items"
[[nodiscard]] std::string agreement_text(const agreement& agreed);

} // namespace everbloom::cli
