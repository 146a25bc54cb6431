// An artefact: a figure or a table of a paper as numbers. Curves of points, and in every point side by side what the paper says,
// what our model says and what was measured.
#pragma once

#include "simulation/interval.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace everbloom::experiments {

using cli::estimate;

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

struct series {
    std::string label;
    look drawn;
    std::vector<point> points = {};
};

enum class axis_scale { linear, logarithmic };

struct axis {
    std::string label;
    axis_scale scale = axis_scale::linear;
};

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

} // namespace everbloom::experiments
