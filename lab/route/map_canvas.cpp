#include "lab/route/map_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace everbloom::cli {
namespace {

/// Control point of the curve: twice as far out as the curve.
point control_of(const bow& shape) {
    const double length = std::max(shape.chord(), 1e-9);
    const point middle{(shape.from.x + shape.to.x) / 2, (shape.from.y + shape.to.y) / 2};
    const double x = (shape.to.x - shape.from.x) / length;
    const double y = (shape.to.y - shape.from.y) / length;
    return {middle.x + 2 * shape.bulge * y, middle.y - 2 * shape.bulge * x};
}

std::string halo_text(point at, std::string_view words, const text_style& style, std::string_view halo) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\" "
                       "font-weight=\"{}\"{}>{}</text>\n",
                       at.x, at.y, style.points, style.colour, style.anchor, style.weight, halo, xml_text(words));
}

} // namespace

double bow::chord() const noexcept { return std::hypot(to.x - from.x, to.y - from.y); }

point bow::at(double share) const noexcept {
    const point control = control_of(*this);
    const double rest = 1 - share;
    return {rest * rest * from.x + 2 * rest * share * control.x + share * share * to.x,
            rest * rest * from.y + 2 * rest * share * control.y + share * share * to.y};
}

map_canvas::map_canvas(std::string_view title, std::string_view background) : title_(title), background_(background) {}

void map_canvas::line(const bow& shape, const stroke_style& style) {
    const point control = control_of(shape);
    const std::string dashes = style.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dashes);
    body_ +=
        shape.bulge == 0
            ? fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" "
                          "stroke-linecap=\"round\"{}/>\n",
                          shape.from.x, shape.from.y, shape.to.x, shape.to.y, style.colour, style.width, dashes)
            : fmt::format("<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\" "
                          "stroke-width=\"{:g}\" stroke-linecap=\"round\"{}/>\n",
                          shape.from.x, shape.from.y, control.x, control.y, shape.to.x, shape.to.y, style.colour,
                          style.width, dashes);
}

void map_canvas::arrow_head(const bow& shape, double before_end, double length, std::string_view colour) {
    const double chord = std::max(shape.chord(), 1e-9);
    const double tip_share = std::clamp(1 - before_end / chord, 0.3, 1.0);
    const point tip = shape.at(tip_share);
    const point behind = shape.at(std::clamp(tip_share - length / chord, 0.0, tip_share - 0.01));
    const double distance = std::max(std::hypot(tip.x - behind.x, tip.y - behind.y), 1e-9);
    const double x = (tip.x - behind.x) / distance * length;
    const double y = (tip.y - behind.y) / distance * length;
    body_ += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z\" fill=\"{}\"/>\n", tip.x, tip.y,
                         tip.x - x - 0.5 * y, tip.y - y + 0.5 * x, tip.x - x + 0.5 * y, tip.y - y - 0.5 * x, colour);
}

void map_canvas::dot(point middle, double radius, std::string_view fill, const stroke_style& edge) {
    body_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n",
        middle.x, middle.y, radius, fill, edge.colour, edge.width,
        edge.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", edge.dashes));
}

void map_canvas::text(point at, std::string_view words, const text_style& style) {
    body_ += halo_text(at, words, style, "");
}

void map_canvas::text_with_halo(point at, std::string_view words, const text_style& style) {
    // The halo is a second text below: not every viewer supports paint-order.
    text_style below = style;
    below.colour = background_;
    body_ += halo_text(at, words, below,
                       fmt::format(R"( stroke="{}" stroke-width="3" stroke-linejoin="round")", background_));
    body_ += halo_text(at, words, style, "");
}

void map_canvas::shape(std::string_view path, std::string_view colour) {
    body_ += fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", path, colour);
}

std::string map_canvas::finish(extent whole) && {
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                       "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, "
                       "'DejaVu Sans', sans-serif\">\n<title>{2}</title>\n"
                       "<rect width=\"100%\" height=\"100%\" fill=\"{3}\"/>\n{4}</svg>\n",
                       whole.width, whole.height, xml_text(title_), background_, body_);
}

} // namespace everbloom::cli
