// The histogram of a picture: how many cells have which value. Where values are bits, which say no more than the occupied share,
// it shows how the occupied shares of the slices are spread, and how independent cells would be.
#pragma once

#include "output/picture_canvas.hpp"

#include <everbloom/runtime/any_filter.hpp>

namespace everbloom::cli {

/// Values from 0 up to one less are told apart; larger ones are counted together.
inline constexpr std::size_t histogram_values = 16;

/// Whether all cells belong to one array, in which chance would spread the keys evenly, or to several filled one after the other.
enum class cell_origin { one_array, chain };

void draw_histogram(picture_canvas& canvas, point at, extent of, const cell_census& census,
                    cell_origin origin = cell_origin::one_array);

} // namespace everbloom::cli
