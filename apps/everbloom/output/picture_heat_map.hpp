// picture_heat_map: the cells of a filter in order; each square is a slice, coloured by its occupied share.
#pragma once

#include "output/picture_canvas.hpp"

#include <everbloom/runtime/any_filter.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace everbloom::cli {

inline constexpr std::size_t heat_map_slices = 64 * 32;

/// The spread of the occupied shares of the slices, and that of independent cells.
struct slice_spread {
    double cells_per_slice = 0;
    double mean = 0;
    double deviation = 0;
    double if_independent = 0; // the deviation of as many independent cells with the same mean

    [[nodiscard]] static slice_spread of(const cell_census& census) noexcept;
};

/// The colour of an occupied share, from empty (0) to full (1).
[[nodiscard]] std::string heat_colour(double share);

/// Draws map, caption (with `note` at its end) and legend; `census` has at most `heat_map_slices` slices.
void draw_heat_map(picture_canvas& canvas, point at, extent of, const cell_census& census, std::string_view note = {});

} // namespace everbloom::cli
