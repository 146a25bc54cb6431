// picture_parts: the data of a filter besides its cells (no-filters, stored hashes, exclusion list), each as a strip.
#pragma once

#include "output/picture_canvas.hpp"

#include <everbloom/runtime/any_filter.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace everbloom::cli {

struct picture_part {
    std::string name;
    word_pieces words;
};

/// The sections of the file after the first, which has the cells, and the exclusion list; empty ones are left out.
[[nodiscard]] std::vector<picture_part> parts_beside_the_cells(const any_filter& filter);

/// The height of the strips, caption included.
[[nodiscard]] double height_of_parts(std::size_t parts) noexcept;

void draw_parts(picture_canvas& canvas, point at, extent of, const std::vector<picture_part>& parts);

} // namespace everbloom::cli
