// The report for programs: every repetition and every ratio as one JSON document.
#pragma once

#include "report/results.hpp"

#include <everbloom/core/result.hpp>

#include <string>

namespace everbloom::bench {

[[nodiscard]] result<void> write_json(const results& all, const std::string& path);

} // namespace everbloom::bench
