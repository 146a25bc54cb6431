// picture_canvas: writes SVG: text, rectangles and paths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace everbloom::cli {

/// Any bytes as valid XML text: the five special characters are escaped, control characters and invalid UTF-8 become replacement
/// characters.
[[nodiscard]] std::string xml_text(std::string_view bytes);

struct point {
    double x = 0;
    double y = 0;
};

struct extent {
    double width = 0;
    double height = 0;
};

struct text_style {
    double points = 13;
    std::string_view colour = "#22303c";
    std::string_view anchor = "start"; // start, middle or end
    std::string_view weight = "normal";
};

class picture_canvas {
public:
    /// With a background, so that it looks the same in light and dark viewers.
    picture_canvas(extent whole, std::string_view title, std::string_view background);

    void text(point at, std::string_view words, const text_style& style = {});
    void rectangle(point at, extent of, std::string_view colour);
    /// A path of straight pieces ("M0 0h10v10h-10z"), filled.
    void shape(std::string_view path, std::string_view colour);

    /// The whole file.
    [[nodiscard]] std::string finish() &&;

private:
    std::string svg_;
};

} // namespace everbloom::cli
