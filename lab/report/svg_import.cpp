#include "lab/report/svg_import.hpp"

#include "output/picture_canvas.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>

namespace everbloom::cli::html {
namespace {

constexpr int deepest = 32;

constexpr std::array<std::string_view, 14> drawing_elements{"circle", "clipPath", "defs",    "ellipse",  "g",
                                                            "line",   "path",     "polygon", "polyline", "rect",
                                                            "text",   "tspan",    "use",     "title"};

constexpr std::array<std::string_view, 38> drawing_attributes{"x",
                                                              "y",
                                                              "x1",
                                                              "x2",
                                                              "y1",
                                                              "y2",
                                                              "cx",
                                                              "cy",
                                                              "r",
                                                              "rx",
                                                              "ry",
                                                              "dx",
                                                              "dy",
                                                              "d",
                                                              "width",
                                                              "height",
                                                              "points",
                                                              "transform",
                                                              "fill",
                                                              "fill-opacity",
                                                              "fill-rule",
                                                              "stroke",
                                                              "stroke-width",
                                                              "stroke-linecap",
                                                              "stroke-linejoin",
                                                              "stroke-dasharray",
                                                              "stroke-opacity",
                                                              "opacity",
                                                              "color",
                                                              "font-family",
                                                              "font-size",
                                                              "font-style",
                                                              "font-weight",
                                                              "text-anchor",
                                                              "clip-path",
                                                              "class",
                                                              "shape-rendering",
                                                              "dominant-baseline"};

template <class List>
bool is_among(std::string_view name, const List& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_black(std::string_view colour) {
    constexpr std::array<std::string_view, 5> blacks{"black", "#000", "#000000", "rgb(0,0,0)", "rgb(  0,   0,   0)"};
    return is_among(colour, blacks);
}

/// The sanitised value of an attribute; nullopt if it is not allowed.
std::optional<std::string> kept(std::string_view name, std::string value, const std::string& id) {
    if (name == "id") return id + "_" + value;
    if (name == "href" || name == "xlink:href") {
        if (!value.starts_with('#')) return std::nullopt;
        return "#" + id + "_" + value.substr(1);
    }
    if (!is_among(name, drawing_attributes)) return std::nullopt;
    if (const auto at = value.find("url("); at != std::string::npos) {
        if (at != 0 || !value.starts_with("url(#") || value.find("url(", 1) != std::string::npos) return std::nullopt;
        return "url(#" + id + "_" + value.substr(5);
    }
    const bool is_colour = name == "fill" || name == "stroke" || name == "color";
    if (is_colour && is_black(value)) return "currentColor";
    return value;
}

/// The white background of the drawing, which is left out.
bool is_background(const pugi::xml_node& node) {
    return std::string_view(node.name()) == "rect" && std::string_view(node.attribute("x").value()) == "0" &&
           std::string_view(node.attribute("y").value()) == "0" && node.attribute("fill");
}

void copy(const pugi::xml_node& node, const std::string& id, int depth, std::string& into) {
    const std::string_view name = node.name();
    if (depth > deepest || !is_among(name, drawing_elements) || is_background(node)) return;
    into += "<" + std::string(name);
    for (const pugi::xml_attribute& one : node.attributes()) {
        const auto value = kept(one.name(), one.value(), id);
        const bool is_reference = std::string_view(one.name()) == "xlink:href";
        if (value) into += fmt::format(" {}=\"{}\"", is_reference ? "href" : one.name(), xml_text(*value));
    }
    into += ">";
    for (const pugi::xml_node& child : node.children()) {
        if (child.type() == pugi::node_element) copy(child, id, depth + 1, into);
        if (child.type() == pugi::node_pcdata) {
            std::string words = child.value();
            std::replace_if(
                words.begin(), words.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
            into += xml_text(words);
        }
    }
    into += "</" + std::string(name) + ">\n";
}

} // namespace

std::optional<markup> import_drawing(const std::string& svg, const std::string& id, std::string_view title) {
    pugi::xml_document read;
    if (!read.load_buffer(svg.data(), svg.size())) return std::nullopt;
    const pugi::xml_node root = read.child("svg");
    if (!root) return std::nullopt;
    std::string view_box = root.attribute("viewBox").value();
    if (view_box.empty()) {
        view_box = fmt::format("0 0 {} {}", root.attribute("width").as_double(), root.attribute("height").as_double());
    }
    std::string text = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{}\" role=\"img\" "
                                   "aria-label=\"{}\">\n",
                                   xml_text(view_box), xml_text(title));
    for (const pugi::xml_node& child : root.children()) {
        // The <title> is the name of the drawing program.
        if (std::string_view(child.name()) != "title") copy(child, id, 1, text);
    }
    return markup{text + "</svg>\n"};
}

} // namespace everbloom::cli::html
