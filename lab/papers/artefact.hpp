// Artefact of a paper: a figure or a table as numbers. Each point of its curves has the value of the paper, of our model, and the
// measured one.
#pragma once

#include <everbloom/simulation/interval.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace everbloom::lab {

struct point {
    double x = 0;
    std::optional<double> paper; // a formula or a number of the paper
    std::optional<double> model; // ours
    std::optional<estimate> measured;
    std::vector<std::pair<std::string, double>> setting = {}; // other parameters: hashes, bits, items, ...
};

/// How a curve is drawn. Mark numbers are those of gnuplot.
struct look {
    std::string colour = "#4c78a8";
    int mark = 7; // a disc
    double mark_size = 0.5;
    double line_width = 1.6;
};

/// A curve on a fine grid, for drawing only.
using fine_curve = std::vector<std::pair<double, double>>;

struct series {
    std::string label;
    look drawn;
    std::vector<point> points = {};
    fine_curve model_curve = {}; // empty: drawn through the points
    fine_curve paper_curve = {};
    bool joined = false; // a thin line through the measured points
};

enum class axis_scale { linear, logarithmic };

struct axis {
    std::string label;
    axis_scale scale = axis_scale::linear;
    std::optional<double> least = {}; // empty: automatic
    std::optional<double> most = {};
    std::vector<double> ticks = {}; // empty: automatic
};

/// For loads and times: starts at zero.
[[nodiscard]] inline axis axis_from_zero(std::string label) { return {std::move(label), axis_scale::linear, 0.0}; }

/// For shares of members: 0 to 1, with room for a mark at the top.
[[nodiscard]] inline axis share_axis(std::string label) { return {std::move(label), axis_scale::linear, 0.0, 1.03}; }

/// For false positive rates: logarithmic, up to 1.
[[nodiscard]] inline axis rate_axis(std::string label) {
    return {std::move(label), axis_scale::logarithmic, std::nullopt, 1.0};
}

struct artefact {
    std::string id;
    std::string title;
    axis x;
    axis y;
    std::vector<series> curves = {};
    std::string paper_values = {};        // what `paper` is, e.g. "Eq. 2"; empty: nothing
    std::optional<double> reference = {}; // a level to compare with, drawn as a horizontal line
    std::string reading = {};             // one or two sentences that explain the figure
    std::vector<std::string> notes = {};  // settings that a filter could not hold, with the reason
    /// Where a logarithmic axis shows a measured 0; empty: nowhere.
    std::optional<double> zero_shown_at = {};
};

} // namespace everbloom::lab
