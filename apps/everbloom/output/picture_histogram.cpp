#include "output/picture_histogram.hpp"

#include "output/picture_heat_map.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace everbloom::cli {
namespace {

struct bar {
    std::string label;
    double share = 0;                     // of all cells, or of all slices
    std::optional<double> if_independent; // the share if cells were independent of each other
};

struct histogram {
    std::string caption;
    std::vector<bar> bars;
};

histogram of_values(const cell_census& census) {
    histogram made{"Values of the cells", {}};
    std::size_t last = census.values.size() - 1;
    while (last > 1 && census.values[last] == 0) --last;
    for (std::size_t value = 0; value <= last; ++value) {
        const bool and_larger = value + 1 == census.values.size();
        made.bars.push_back({fmt::format("{}{}", and_larger ? "≥ " : "", value),
                             static_cast<double>(census.values[value]) / static_cast<double>(census.cells),
                             {}});
    }
    return made;
}

/// The probability that a normal variable is below.
double normal_below(double deviations) { return std::erfc(-deviations / std::sqrt(2.0)) / 2; }

/// The number of occupied cells of a slice. Slices have `fewest` cells or one more; only the right number gives an integer.
double occupied_cells(double share, double fewest) {
    const double occupied = share * fewest;
    constexpr double rounding = 1e-6;
    return std::abs(occupied - std::round(occupied)) < rounding ? std::round(occupied)
                                                                : std::round(share * (fewest + 1));
}

/// Bars cover whole numbers of occupied cells, so that rounding favours none.
histogram of_slices(const cell_census& census, const slice_spread& spread, cell_origin origin) {
    constexpr double most_bars = 16;
    const double cells = spread.cells_per_slice;
    std::vector<double> occupied;
    for (const double share : census.occupied_shares) occupied.push_back(occupied_cells(share, std::floor(cells)));
    const auto [least, most] = std::minmax_element(occupied.begin(), occupied.end());
    const double first = *least;
    const double width = std::max(1.0, std::ceil((*most - first + 1) / most_bars));
    histogram made{"Occupied share of the squares", {}};
    made.bars.resize(static_cast<std::size_t>((*most - first) / width) + 1);
    for (const double count : occupied) {
        made.bars[static_cast<std::size_t>((count - first) / width)].share += 1 / static_cast<double>(occupied.size());
    }
    const double deviation = spread.if_independent * cells;
    const bool nearly_normal = deviation >= 1.5 && origin == cell_origin::one_array;
    for (std::size_t i = 0; i < made.bars.size(); ++i) {
        const double from = first + static_cast<double>(i) * width;
        made.bars[i].label = rate_text((from + (width - 1) / 2) / cells);
        if (!nearly_normal) continue;
        made.bars[i].if_independent = normal_below((from + width - 0.5 - spread.mean * cells) / deviation) -
                                      normal_below((from - 0.5 - spread.mean * cells) / deviation);
    }
    return made;
}

} // namespace

void draw_histogram(picture_canvas& canvas, point at, extent of, const cell_census& census, cell_origin origin) {
    constexpr double caption_height = 14;
    constexpr double label_width = 52;
    constexpr double note_width = 62;
    constexpr double largest_row = 26;
    constexpr text_style label{12, "#5a6773", "end", "normal"};
    if (census.cells == 0) return;
    const slice_spread spread = slice_spread::of(census);
    const bool bits =
        std::all_of(census.values.begin() + 2, census.values.end(), [](auto count) { return count == 0; });
    constexpr double cells_worth_a_spread = 8;
    const histogram drawn =
        bits && spread.cells_per_slice >= cells_worth_a_spread ? of_slices(census, spread, origin) : of_values(census);
    canvas.text(at, drawn.caption, {13, "#22303c", "start", "bold"});

    double largest = 0;
    bool compared = false;
    for (const bar& one : drawn.bars) {
        largest = std::max({largest, one.share, one.if_independent.value_or(0)});
        compared |= one.if_independent.has_value();
    }
    const double row = std::min(largest_row, of.height / static_cast<double>(drawn.bars.size()));
    const double reach = of.width - label_width - note_width;
    for (std::size_t i = 0; i < drawn.bars.size(); ++i) {
        const bar& one = drawn.bars[i];
        const double top = at.y + caption_height + static_cast<double>(i) * row;
        const double baseline = top + row / 2 + 4;
        const double x = at.x + label_width;
        canvas.text({x - 8, baseline}, one.label, label);
        canvas.rectangle({x, top + 2}, {reach * one.share / largest, row - 4}, "#2b8196");
        double end = one.share / largest;
        if (one.if_independent) {
            canvas.rectangle({x + reach * *one.if_independent / largest - 1, top + 1}, {2, row - 2}, "#c2553d");
            end = std::max(end, *one.if_independent / largest);
        }
        canvas.text({x + reach * end + 7, baseline}, rate_text(one.share), {12, "#5a6773", "start", "normal"});
    }
    if (compared) {
        const double below = at.y + caption_height + static_cast<double>(drawn.bars.size()) * row + 20;
        canvas.rectangle({at.x + label_width, below - 11}, {2, 14}, "#c2553d");
        canvas.text({at.x + label_width + 8, below}, "if cells were independent", {12, "#5a6773", "start", "normal"});
    }
}

} // namespace everbloom::cli
