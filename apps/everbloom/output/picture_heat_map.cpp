#include "output/picture_heat_map.hpp"

#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace everbloom::cli {
namespace {

constexpr std::size_t colours = 40;

/// From sand (empty) over green to night blue (full): the brightness decreases throughout, so it also works in grey.
std::string colour(std::size_t step) {
    struct stop {
        double red, green, blue;
    };
    constexpr std::array<stop, 6> stops{
        {{246, 238, 218}, {190, 219, 178}, {99, 183, 165}, {43, 129, 150}, {31, 76, 124}, {27, 36, 82}}};
    const double along = static_cast<double>(step) / (colours - 1) * (stops.size() - 1);
    const auto from = std::min(static_cast<std::size_t>(along), stops.size() - 2);
    const double part = along - static_cast<double>(from);
    const auto between = [&](double a, double b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
    const stop& a = stops[from];
    const stop& b = stops[from + 1];
    return fmt::format("#{:02x}{:02x}{:02x}", between(a.red, b.red), between(a.green, b.green),
                       between(a.blue, b.blue));
}

/// The range of the colours: four standard deviations around the mean, so that anything but chance stands out.
struct colour_scale {
    double low = 0;
    double high = 1;

    [[nodiscard]] static colour_scale around(const slice_spread& spread) noexcept {
        const double reach = 4 * std::max(spread.deviation, spread.if_independent);
        if (reach <= 0) return {};
        return {std::max(0.0, spread.mean - reach), std::min(1.0, spread.mean + reach)};
    }
    [[nodiscard]] std::size_t step(double share) const noexcept {
        const double along = std::clamp((share - low) / (high - low), 0.0, 1.0);
        return static_cast<std::size_t>(std::lround(along * (colours - 1)));
    }
};

std::string cells_text(double cells_per_slice) {
    if (cells_per_slice == 1) return "each square is one cell";
    const double floor = std::floor(cells_per_slice);
    if (floor == cells_per_slice)
        return fmt::format("each square is {} cells", grouped(static_cast<std::uint64_t>(floor)));
    return fmt::format("each square is {} or {} cells", grouped(static_cast<std::uint64_t>(floor)),
                       grouped(static_cast<std::uint64_t>(floor) + 1));
}

void draw_legend(picture_canvas& canvas, point at, double width, const colour_scale& scale,
                 const slice_spread& spread) {
    constexpr double height = 12;
    constexpr text_style label{12, "#5a6773", "start", "normal"};
    const double step_width = width / colours;
    for (std::size_t step = 0; step < colours; ++step) {
        const double x = at.x + static_cast<double>(step) * step_width;
        canvas.shape(fmt::format("M{:.2f} {:g}h{:.2f}v{:g}h{:.2f}z", x, at.y, step_width, height, -step_width),
                     colour(step));
    }
    const double below = at.y + height + 16;
    const double mean_at = at.x + width * std::clamp((spread.mean - scale.low) / (scale.high - scale.low), 0.0, 1.0);
    canvas.text({at.x, below}, rate_text(scale.low) + " occupied", label);
    canvas.text({at.x + width, below}, rate_text(scale.high), {12, label.colour, "end", "normal"});
    if (mean_at > at.x + 130 && mean_at < at.x + width - 100) {
        canvas.rectangle({mean_at - 0.5, at.y - 3}, {1, height + 6}, "#22303c");
        canvas.text({mean_at, below}, "mean " + rate_text(spread.mean), {12, "#22303c", "middle", "normal"});
    }
    if (spread.cells_per_slice >= 2 && spread.if_independent > 0) {
        canvas.text({at.x, below + 22},
                    fmt::format("Squares differ by {} (standard deviation); if cells were independent, by {}.",
                                rate_text(spread.deviation), rate_text(spread.if_independent)),
                    label);
    }
}

} // namespace

std::string heat_colour(double share) { return colour(colour_scale{}.step(share)); }

slice_spread slice_spread::of(const cell_census& census) noexcept {
    const auto slices = static_cast<double>(census.occupied_shares.size());
    slice_spread seen;
    if (slices == 0) return seen;
    seen.cells_per_slice = static_cast<double>(census.cells) / slices;
    for (const double share : census.occupied_shares) seen.mean += share / slices;
    double squares = 0;
    for (const double share : census.occupied_shares) squares += (share - seen.mean) * (share - seen.mean);
    seen.deviation = std::sqrt(squares / slices);
    seen.if_independent = std::sqrt(seen.mean * (1 - seen.mean) / seen.cells_per_slice);
    return seen;
}

void draw_heat_map(picture_canvas& canvas, point at, extent of, const cell_census& census, std::string_view note) {
    constexpr double caption_height = 14;
    constexpr double legend_gap = 16;
    const slice_spread spread = slice_spread::of(census);
    const colour_scale scale = colour_scale::around(spread);
    canvas.text({at.x, at.y}, "Cells in order, row by row: " + cells_text(spread.cells_per_slice) + std::string(note),
                {13, "#22303c", "start", "bold"});

    // Twice as wide as high for any number of slices; few cells make large squares.
    constexpr double largest_side = 40;
    const auto slices = census.occupied_shares.size();
    const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(2 * static_cast<double>(slices))));
    const double side = std::min(largest_side, of.width / static_cast<double>(columns));
    std::vector<std::string> paths(colours);
    for (std::size_t i = 0; i < slices; ++i) {
        const std::size_t row = i / columns;
        paths[scale.step(census.occupied_shares[i])] +=
            fmt::format("M{:g} {:g}h{:g}v{:g}h{:g}z", at.x + static_cast<double>(i % columns) * side,
                        at.y + caption_height + static_cast<double>(row) * side, side, side, -side);
    }
    for (std::size_t step = 0; step < colours; ++step) {
        if (!paths[step].empty()) canvas.shape(paths[step], colour(step));
    }
    draw_legend(canvas, {at.x, at.y + caption_height + of.height + legend_gap}, of.width, scale, spread);
}

} // namespace everbloom::cli
