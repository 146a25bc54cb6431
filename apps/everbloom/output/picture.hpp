// picture: a filter as an SVG image: facts, a heat map of its cells, a histogram of their values.
#pragma once

#include <everbloom/runtime/any_filter.hpp>

#include <string>

namespace everbloom::cli {

struct picture_caption {
    std::string kind;
    std::string file;
    std::string facts; // one line: keys, FPR, size
};

[[nodiscard]] std::string draw_picture(const any_filter& filter, const picture_caption& caption);

} // namespace everbloom::cli
