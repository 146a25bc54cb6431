// A drawing from a file, made safe to stand in a page. An SVG file can carry scripts and fetch things from elsewhere; only elements and
// attributes that draw come through, and references only if they stay inside the drawing.
#pragma once

#include "lab/report/markup.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace everbloom::cli::html {

inline constexpr std::uint64_t most_drawing_bytes = 1u << 20;

/// `id` is put in front of all names in the drawing, so that several do not share any. Black becomes the colour of the page's letters,
/// and a background is left out. Nothing if the text is no drawing.
[[nodiscard]] std::optional<markup> import_drawing(const std::string& svg, const std::string& id,
                                                   std::string_view title);

} // namespace everbloom::cli::html
