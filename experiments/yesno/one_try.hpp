// A construction that the text of [Carrea16] does not describe, but that fits two of its numbers: each false positive is offered to
// one no-filter only, to the next one in turn, and every key has k (and k') different positions.
#pragma once

#include "experiments/yesno/builds.hpp"

namespace everbloom::experiments::yesno {

/// False positives per filter.
[[nodiscard]] estimate left_after_one_try(const laboratory& lab, const setting& wanted, std::uint64_t trials);

} // namespace everbloom::experiments::yesno
