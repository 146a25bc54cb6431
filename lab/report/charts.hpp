// Small SVG charts: a curve with axes and marks, and horizontal bars. They take the colours of the page, light or dark.
#pragma once

#include "lab/report/markup.hpp"

#include <string>
#include <vector>

namespace everbloom::cli::html {

struct chart_point {
    double x = 0;
    double y = 0;
};

enum class label_place { above, below };

struct chart_mark {
    chart_point at;
    std::string words;
    std::string css_class; // mark-now or mark-agreed
    label_place place = label_place::above;
};

/// A curve over a linear axis; y is an FPR, on a logarithmic axis in per cent.
struct rate_chart {
    std::string title;
    std::string x_label;
    std::vector<chart_point> curve;
    std::vector<chart_mark> marks;
};
/// Empty if there are not two points above zero.
[[nodiscard]] markup draw(const rate_chart& chart);

struct chart_bar {
    std::string label;
    double value = 0;
    std::string words; // the value as text after the bar
    bool is_ours = true;
};
struct bar_chart {
    std::string title;
    std::vector<chart_bar> bars;
};
[[nodiscard]] markup draw(const bar_chart& chart);

} // namespace everbloom::cli::html
