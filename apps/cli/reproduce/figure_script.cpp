// The gnuplot script of an artefact. Discs with bars are measurements with their 95 % intervals, lines are models, dashes are what
// the paper says.
#include "reproduce/figure.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::cli {
namespace {

using namespace experiments;

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

/// A name of a data block: series number and what is in it.
std::string block(std::size_t number, std::string_view what) { return fmt::format("${}_{}", what, number); }

struct blocks {
    std::string text;
    bool has_measured = false;
    bool has_model = false;
    bool has_paper = false;
};

blocks data_of(const series& curve, std::size_t number, const artefact& whole) {
    const bool is_logarithmic = whole.y.scale == axis_scale::logarithmic;
    const auto can_be_drawn = [&](double value) { return !is_logarithmic || value > 0; };
    std::string measured;
    std::string model;
    std::string paper;
    for (const point& one : curve.points) {
        if (one.measured && can_be_drawn(one.measured->mean)) {
            // An interval that reaches down to zero would reach out of a logarithmic picture.
            const double low =
                is_logarithmic ? std::max(one.measured->low, one.measured->mean / 10) : one.measured->low;
            measured +=
                fmt::format("{:.8g} {:.8g} {:.8g} {:.8g}\n", one.x, one.measured->mean, low, one.measured->high);
        }
        if (one.model && can_be_drawn(*one.model)) model += fmt::format("{:.8g} {:.8g}\n", one.x, *one.model);
        if (one.paper && can_be_drawn(*one.paper)) paper += fmt::format("{:.8g} {:.8g}\n", one.x, *one.paper);
    }
    blocks made;
    const auto add = [&](const std::string& lines, std::string_view what) {
        if (!lines.empty()) made.text += fmt::format("{} << EOD\n{}EOD\n", block(number, what), lines);
        return !lines.empty();
    };
    made.has_measured = add(measured, "measured");
    made.has_model = add(model, "model");
    made.has_paper = add(paper, "paper");
    return made;
}

std::string frame(const artefact& one) {
    std::string text = "set terminal svg size 800,540 dynamic enhanced font 'sans-serif,15' background rgb 'white'\n";
    text += "set encoding utf8\nset border 3 lw 1\nset tics nomirror out\nset grid lc rgb '#9aa0a6' lw 0.4 dt 3\n";
    text += "set key below left Left reverse maxcols 3 samplen 1.6 spacing 1.15 font ',13'\n";
    text += "set bars 0.4\nset offsets graph 0.02, graph 0.02, graph 0.03, graph 0.03\n";
    text += fmt::format("set xlabel {}\nset ylabel {}\n", quoted(one.x.label), quoted(one.y.label));
    if (one.x.scale == axis_scale::logarithmic) text += "set logscale x\n";
    if (one.y.scale == axis_scale::logarithmic) text += "set logscale y\nset format y '10^{%L}'\n";
    return text;
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
            drawn.push_back(fmt::format("{} with lines {} lw {} {}", block(i, "model"), colour, curve.drawn.line_width,
                                        made.has_measured ? "notitle" : title));
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
