// Gnuplot script of an artefact. Discs with bars are measurements with their 95 % intervals, lines are models, dashed lines are values of
// the paper.
#include "lab/reproduce/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace everbloom::cli {
namespace {

using namespace lab;

/// Text for gnuplot's enhanced mode inside double quotes.
std::string quoted(const std::string& text) {
    std::string made;
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') made += '\\';
        if (letter == '_' || letter == '^' || letter == '{' || letter == '}' || letter == '@' || letter == '&' ||
            letter == '~') {
            made += "\\\\";
        }
        made += letter;
    }
    return "\"" + made + "\"";
}

/// Name of a data block: contents and series number.
std::string block(std::size_t number, std::string_view what) { return fmt::format("${}_{}", what, number); }

struct blocks {
    std::string text;
    bool has_measured = false;
    bool has_model = false;
    bool has_paper = false;
};

/// The values at the points, for a curve without a finer grid.
fine_curve through_points(const series& curve, std::optional<double> point::*value) {
    fine_curve made;
    for (const point& one : curve.points) {
        if (one.*value) made.emplace_back(one.x, *(one.*value));
    }
    return made;
}

/// Lines of "x y" for the values that the axis can show.
std::string lines_of(const fine_curve& curve, const axis& y) {
    std::string made;
    for (const auto& [at, value] : curve) {
        if (y.scale == axis_scale::linear || value > 0) made += fmt::format("{:.8g} {:.8g}\n", at, value);
    }
    return made;
}

std::string measured_lines(const series& curve, const artefact& whole) {
    const bool is_logarithmic = whole.y.scale == axis_scale::logarithmic;
    std::string made;
    for (const point& one : curve.points) {
        if (!one.measured) continue;
        if (is_logarithmic && !(one.measured->mean > 0)) {
            if (whole.zero_shown_at)
                made += fmt::format("{0:.8g} {1:.8g} {1:.8g} {1:.8g}\n", one.x, *whole.zero_shown_at);
            continue;
        }
        // A logarithmic axis cannot show an interval down to zero.
        const double low = is_logarithmic ? std::max(one.measured->low, one.measured->mean / 10) : one.measured->low;
        made += fmt::format("{:.8g} {:.8g} {:.8g} {:.8g}\n", one.x, one.measured->mean, low, one.measured->high);
    }
    return made;
}

blocks data_of(const series& curve, std::size_t number, const artefact& whole) {
    const fine_curve model = curve.model_curve.empty() ? through_points(curve, &point::model) : curve.model_curve;
    const fine_curve paper = curve.paper_curve.empty() ? through_points(curve, &point::paper) : curve.paper_curve;
    blocks made;
    const auto add = [&](const std::string& lines, std::string_view what) {
        if (!lines.empty()) made.text += fmt::format("{} << EOD\n{}EOD\n", block(number, what), lines);
        return !lines.empty();
    };
    made.has_measured = add(measured_lines(curve, whole), "measured");
    made.has_model = add(lines_of(model, whole.y), "model");
    made.has_paper = add(lines_of(paper, whole.y), "paper");
    return made;
}

/// The smallest and the largest of some numbers.
struct extent {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void note(double value) noexcept {
        if (!std::isfinite(value)) return;
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

/// What the axes of an artefact have to show.
std::pair<extent, extent> extents_of(const artefact& one) {
    extent x;
    extent y;
    const auto note = [&](double at, double value) {
        x.note(at);
        y.note(value);
    };
    for (const series& curve : one.curves) {
        for (const point& each : curve.points) {
            x.note(each.x);
            if (each.paper) y.note(*each.paper);
            if (each.model) y.note(*each.model);
            if (each.measured) y.note(each.measured->mean);
        }
        for (const fine_curve* line : {&curve.model_curve, &curve.paper_curve}) {
            for (const auto& [at, value] : *line) note(at, value);
        }
    }
    if (one.reference) y.note(*one.reference);
    return {x, y};
}

/// The axis without given ends that would leave most of the figure empty.
axis fitted(axis wanted, const extent& shown) {
    if (!(shown.least <= shown.most)) return wanted;
    if (wanted.scale == axis_scale::logarithmic) {
        if (wanted.most && shown.most < *wanted.most / 10) wanted.most.reset();
        if (wanted.least && shown.least > *wanted.least * 10) wanted.least.reset();
        return wanted;
    }
    const double from = wanted.least.value_or(shown.least);
    const double to = wanted.most.value_or(shown.most);
    constexpr double used = 1.0 / 3; // of the length
    if (shown.most > shown.least && shown.most - shown.least < used * (to - from)) {
        wanted.least.reset();
        wanted.most.reset();
    }
    return wanted;
}

/// Range and ticks of an axis, if given.
std::string limits_of(const axis& one, char name) {
    const auto end = [](const std::optional<double>& value) { return value ? fmt::format("{:.8g}", *value) : "*"; };
    std::string text = fmt::format("set {}range [{}:{}]\n", name, end(one.least), end(one.most));
    if (one.ticks.empty()) return text;
    text += fmt::format("set {}tics (", name);
    for (std::size_t i = 0; i < one.ticks.size(); ++i)
        text += fmt::format("{}{:.8g}", i == 0 ? "" : ", ", one.ticks[i]);
    return text + ")\n";
}

std::string frame(const artefact& one) {
    std::string text = "set terminal svg size 800,540 dynamic enhanced font 'sans-serif,15' background rgb 'white'\n";
    text += "set encoding utf8\nset border 3 lw 1\nset tics nomirror out\nset grid lc rgb '#9aa0a6' lw 0.4 dt 3\n";
    text += "set key below left Left reverse maxcols 3 samplen 1.6 spacing 1.15 height 1 font ',13'\n";
    text += "set bars 0.4\nset pointintervalbox 0\nset offsets graph 0.02, graph 0.02, graph 0.03, graph 0.03\n";
    text += fmt::format("set xlabel {}\nset ylabel {}\n", quoted(one.x.label), quoted(one.y.label));
    if (one.x.scale == axis_scale::logarithmic) text += "set logscale x\n";
    if (one.y.scale == axis_scale::logarithmic) text += "set logscale y\nset format y '10^{%L}'\n";
    const auto [x, y] = extents_of(one);
    return text + limits_of(fitted(one.x, x), 'x') + limits_of(fitted(one.y, y), 'y');
}

} // namespace

std::string figure_script(const artefact& one) {
    std::string data;
    std::vector<std::string> drawn;
    bool any_model = false;
    bool any_paper = false;
    bool any_measured = false;
    for (std::size_t i = 0; i < one.curves.size(); ++i) {
        const series& curve = one.curves[i];
        const blocks made = data_of(curve, i, one);
        data += made.text;
        any_model |= made.has_model;
        any_paper |= made.has_paper;
        any_measured |= made.has_measured;
        const std::string colour = fmt::format("lc rgb '{}'", curve.drawn.colour);
        std::string title = "title " + quoted(curve.label);
        if (made.has_paper) {
            drawn.push_back(fmt::format("{} with lines {} lw {} dt (6,4) notitle", block(i, "paper"), colour,
                                        curve.drawn.line_width));
        }
        if (made.has_model) {
            // Without measurements the points of the model are the result, possibly a single one.
            const std::string points =
                made.has_measured ? "" : fmt::format("points pt {} ps {}", curve.drawn.mark, curve.drawn.mark_size);
            drawn.push_back(fmt::format("{} with lines{} {} lw {} {}", block(i, "model"), points, colour,
                                        curve.drawn.line_width, made.has_measured ? "notitle" : title));
        }
        if (made.has_measured && curve.joined) {
            drawn.push_back(fmt::format("{} using 1:2 with lines {} lw {} notitle", block(i, "measured"), colour,
                                        curve.drawn.line_width / 2));
        }
        if (made.has_measured) {
            drawn.push_back(fmt::format("{} with yerrorbars {} pt {} ps {} lw 1.1 {}", block(i, "measured"), colour,
                                        curve.drawn.mark, curve.drawn.mark_size, title));
        }
    }
    if (drawn.empty()) return "";
    if (one.reference) {
        drawn.insert(drawn.begin(), fmt::format("{} with lines lc rgb '#808790' lw 1.4 notitle", *one.reference));
    }
    if (any_measured)
        drawn.emplace_back("keyentry with yerrorbars lc rgb '#808790' pt 7 ps 0.5 title 'measured, 95 % interval'");
    if (any_model) drawn.emplace_back("keyentry with lines lc rgb '#808790' lw 1.6 title 'our model'");
    if (any_paper) {
        drawn.push_back(
            fmt::format("keyentry with lines lc rgb '#808790' lw 1.6 dt (6,4) title {}", quoted(one.paper_values)));
    }
    std::string text = fmt::format("# {}\n{}{}plot ", one.title, frame(one), data);
    for (std::size_t i = 0; i < drawn.size(); ++i) text += (i == 0 ? "" : ", \\\n     ") + drawn[i];
    return text + "\n";
}

} // namespace everbloom::cli
