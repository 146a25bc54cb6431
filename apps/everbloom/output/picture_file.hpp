// The file of a picture: one of its own.
#pragma once

#include <everbloom/core/result.hpp>

#include <string>

namespace everbloom::cli {

/// A slip of the hand must not replace what is drawn, or somebody's list, by its picture.
[[nodiscard]] result<void> check_picture_file(const std::string& picture, const std::string& drawn);

} // namespace everbloom::cli
