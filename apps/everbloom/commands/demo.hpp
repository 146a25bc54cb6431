// demo: runs when everbloom is started without arguments. It creates a filter, queries it, removes keys, and shows the command for
// each step.
#pragma once

#include <everbloom/core/result.hpp>

namespace everbloom::cli {

[[nodiscard]] result<int> run_demo();

} // namespace everbloom::cli
