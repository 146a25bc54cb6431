// picture_file: checks the name of a picture file.
#pragma once

#include <everbloom/core/result.hpp>

#include <string>

namespace everbloom::cli {

/// Refuses a name without .svg, and the filter itself: a typing error must not overwrite a list or the filter.
[[nodiscard]] result<void> check_picture_file(const std::string& picture, const std::string& drawn);

} // namespace everbloom::cli
