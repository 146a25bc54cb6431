#include "picture_file.hpp"

#include <everbloom/runtime/file_update.hpp>

#include <filesystem>
#include <span>

namespace everbloom::cli {

result<void> check_picture_file(const std::string& picture, const std::string& drawn) {
    std::error_code absent;
    if (picture.ends_with(".svg") && !std::filesystem::equivalent(picture, drawn, absent)) return {};
    return fail(failure_reason::bad_parameter,
                "--picture: '" + picture + "' must be a file of its own whose name ends in .svg");
}

result<void> save_picture(const std::string& path, const std::string& svg) {
    auto update = file_update::begin(path);
    if (!update) return fail(std::move(update.error()));
    const auto bytes = std::as_bytes(std::span(svg));
    return update->commit(std::span(&bytes, 1));
}

} // namespace everbloom::cli
