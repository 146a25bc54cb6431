#include "output/picture_file.hpp"

#include <filesystem>

namespace everbloom::cli {

result<void> check_picture_file(const std::string& picture, const std::string& drawn) {
    std::error_code absent;
    if (picture.ends_with(".svg") && !std::filesystem::equivalent(picture, drawn, absent)) return {};
    return fail(failure_reason::bad_parameter,
                "--picture: '" + picture + "' must be a file of its own whose name ends in .svg");
}

} // namespace everbloom::cli
