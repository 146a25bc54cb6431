// picture_histogram: the values of the cells. For bits, which add nothing to the occupied share, the occupied shares of the slices,
// compared with those of independent cells.
#pragma once

#include "output/picture_canvas.hpp"

#include <everbloom/runtime/any_filter.hpp>

namespace everbloom::cli {

/// Values from 0 to one less have bars of their own; larger ones are counted together.
inline constexpr std::size_t histogram_values = 16;

/// Whether all cells belong to one array, with keys spread evenly by chance, or to several filled one after the other.
enum class cell_origin { one_array, chain };

void draw_histogram(picture_canvas& canvas, point at, extent of, const cell_census& census,
                    cell_origin origin = cell_origin::one_array);

} // namespace everbloom::cli
