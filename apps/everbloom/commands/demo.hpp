// The demo: what everbloom does when it is started without arguments. It makes a filter, asks it, takes keys out, and says at each
// step what to type to do the same.
#pragma once

#include <everbloom/core/result.hpp>

namespace everbloom::cli {

[[nodiscard]] result<int> run_demo();

} // namespace everbloom::cli
