#include "output/picture_canvas.hpp"

#include <fmt/format.h>

#include <array>

namespace everbloom::cli {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD

/// The length of the character at the front of `bytes` if it is UTF-8 (shortest form) that XML allows, else 0.
std::size_t character_length(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 0 : 1;
    const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || bytes.size() < length) return 0;
    std::uint32_t code = byte(0) & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    const bool no_character = code == 0xfffe || code == 0xffff;
    return code < least[length] || code > 0x10ffff || surrogate || no_character ? 0 : length;
}

} // namespace

std::string xml_text(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const std::size_t length = character_length(bytes);
        switch (length == 1 ? bytes[0] : '\0') {
        case '&': text += "&amp;"; break;
        case '<': text += "&lt;"; break;
        case '>': text += "&gt;"; break;
        case '"': text += "&quot;"; break;
        case '\'': text += "&apos;"; break;
        default: text += length == 0 ? replacement : bytes.substr(0, length);
        }
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return text;
}

picture_canvas::picture_canvas(extent whole, std::string_view title, std::string_view background)
    : svg_(fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                       "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\">\n"
                       "<title>{2}</title>\n",
                       whole.width, whole.height, xml_text(title))) {
    rectangle({}, whole, background);
}

void picture_canvas::text(point at, std::string_view words, const text_style& style) {
    svg_ += fmt::format("<text x=\"{:g}\" y=\"{:g}\" font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\" "
                        "font-weight=\"{}\">{}</text>\n",
                        at.x, at.y, style.points, style.colour, style.anchor, style.weight, xml_text(words));
}

void picture_canvas::rectangle(point at, extent of, std::string_view colour) {
    svg_ += fmt::format("<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"{}\"/>\n", at.x, at.y,
                        of.width, of.height, colour);
}

void picture_canvas::shape(std::string_view path, std::string_view colour) {
    svg_ += fmt::format("<path d=\"{}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>\n", path, colour);
}

std::string picture_canvas::finish() && { return std::move(svg_ += "</svg>\n"); }

} // namespace everbloom::cli
