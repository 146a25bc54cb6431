// SVG canvas for maps: curves with arrows, dots, text with a halo.
#pragma once

#include "output/picture_canvas.hpp"

#include <string>
#include <string_view>

namespace everbloom::cli {

struct stroke_style {
    std::string_view colour;
    double width = 1;
    std::string_view dashes = {}; // "6 3"
};

/// A curve from one point to another, with a bulge to the left in pixels.
struct bow {
    point from;
    point to;
    double bulge = 0;

    /// 0: start; 1: end.
    [[nodiscard]] point at(double share) const noexcept;
    [[nodiscard]] double chord() const noexcept;
};

class map_canvas {
public:
    map_canvas(std::string_view title, std::string_view background);

    void line(const bow& shape, const stroke_style& style);
    /// An arrow head on a curve, with its tip some pixels before the end.
    void arrow_head(const bow& shape, double before_end, double length, std::string_view colour);
    void dot(point middle, double radius, std::string_view fill, const stroke_style& edge);
    void text(point at, std::string_view words, const text_style& style);
    /// Text that is readable on lines.
    void text_with_halo(point at, std::string_view words, const text_style& style);
    /// A filled path.
    void shape(std::string_view path, std::string_view colour);

    [[nodiscard]] std::string finish(extent whole) &&;

private:
    std::string title_;
    std::string_view background_;
    std::string body_;
};

} // namespace everbloom::cli
