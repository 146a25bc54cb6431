// line_hint: a hint for users who check a log and forget to say where in its lines the keys are.
//
// Whole lines are then taken as keys. None of them is in the filter, and what is printed are false positives, which look like matches.
#pragma once

#include "keys/check_keys.hpp"

namespace everbloom::cli {

/// Prints it to standard error if most lines have blanks in them, and no more of them matched than by chance.
void hint_at_fields(const check_request& request, const check_result& sum);

} // namespace everbloom::cli
