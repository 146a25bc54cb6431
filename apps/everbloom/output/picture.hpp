// A picture of a filter: what it is, where its cells are full, which values they have. One SVG file, made by hand.
#pragma once

#include <everbloom/runtime/any_filter.hpp>

#include <string>

namespace everbloom::cli {

struct picture_caption {
    std::string kind;
    std::string file;
    std::string facts; // one line: items, rate, bytes
};

[[nodiscard]] std::string draw_picture(const any_filter& filter, const picture_caption& caption);

} // namespace everbloom::cli
