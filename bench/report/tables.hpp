// The report for people: one table per question.
#pragma once

#include "report/results.hpp"

#include <string>

namespace everbloom::bench {

[[nodiscard]] std::string tables_text(const results& all);

} // namespace everbloom::bench
