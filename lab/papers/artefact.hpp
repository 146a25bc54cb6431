// An artefact: a figure or a table of a paper as numbers. Curves of points, and in every point side by side what the paper says,
// what our model says and what was measured.
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
    std::vector<std::pair<std::string, double>> setting = {}; // what else was chosen: hashes, bits, items, ...
};

/// How a curve is drawn. Numbers of marks are gnuplot's.
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
};

enum class axis_scale { linear, logarithmic };

struct axis {
    std::string label;
    axis_scale scale = axis_scale::linear;
    std::optional<double> least = {}; // empty: as the values need it
    std::optional<double> most = {};
    std::vector<double> ticks = {}; // empty: as many as fit
};

/// For loads, times and shares of what was there: from zero on.
[[nodiscard]] inline axis axis_from_zero(std::string label) { return {std::move(label), axis_scale::linear, 0.0}; }

/// For shares of members: from none to all, with room for a mark at the top.
[[nodiscard]] inline axis share_axis(std::string label) { return {std::move(label), axis_scale::linear, 0.0, 1.03}; }

/// For rates, over powers of ten: 1 is the most.
[[nodiscard]] inline axis rate_axis(std::string label) {
    return {std::move(label), axis_scale::logarithmic, std::nullopt, 1.0};
}

struct artefact {
    std::string id;
    std::string title;
    axis x;
    axis y;
    std::vector<series> curves = {};
    std::string paper_values = {};        // what stands in `paper`, e.g. "Eq. 2"; empty: nothing
    std::optional<double> reference = {}; // a level to compare with, drawn as a horizontal line
    std::string reading = {};             // one or two sentences: what is to be seen here
};

} // namespace everbloom::lab
