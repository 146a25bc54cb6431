// Sanitises an SVG drawing for embedding in a page. SVG files can contain scripts and external references; only drawing elements and
// attributes are kept, and references inside the drawing.
#pragma once

#include "lab/report/markup.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace everbloom::cli::html {

inline constexpr std::uint64_t most_drawing_bytes = 1u << 20;

/// `id` is the prefix of all names in the drawing, so that several drawings do not share names. Black becomes the text colour of the page,
/// and a background is removed. nullopt if the text is not an SVG drawing.
[[nodiscard]] std::optional<markup> import_drawing(const std::string& svg, const std::string& id,
                                                   std::string_view title);

} // namespace everbloom::cli::html
