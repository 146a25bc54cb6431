#include "lab/report/charts.hpp"

#include "output/picture_canvas.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace everbloom::cli::html {
namespace {

std::string opened(double width, double height, const std::string& title) {
    return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\" role=\"img\" "
                       "aria-label=\"{}\" class=\"chart\">\n",
                       width, height, xml_text(title));
}

std::string words_at(double x, double y, std::string_view anchor, std::string_view css_class, std::string_view words) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", x, y, anchor,
                       css_class, xml_text(words));
}

/// The step 1, 2 or 5 times a power of ten that divides a length into about five parts.
double tick_step(double length) {
    const double rough = length / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double times : {1.0, 2.0, 5.0}) {
        if (times * power >= rough) return times * power;
    }
    return 10 * power;
}

/// Maps values of an FPR chart to coordinates.
struct rate_axes {
    double left = 78, right = 500, top = 16, bottom = 230;
    double most_x = 1;
    double low = -3, high = 0; // powers of ten

    [[nodiscard]] double x(double value) const { return left + (right - left) * value / most_x; }
    [[nodiscard]] double y(double rate) const {
        const double along = std::clamp((std::log10(rate) - low) / (high - low), 0.0, 1.0);
        return bottom - (bottom - top) * along;
    }
};

std::string grid(const rate_axes& axes, const std::string& x_label) {
    std::string text;
    const int every = std::max(1, static_cast<int>((axes.high - axes.low) / 6));
    for (int power = static_cast<int>(axes.high); power >= static_cast<int>(axes.low); power -= every) {
        const double rate = std::pow(10, power);
        text +=
            fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" class=\"grid\"/>\n", axes.left, axes.y(rate), axes.right);
        text += words_at(axes.left - 8, axes.y(rate) + 4, "end", "tick", fmt::format("{:g} %", 100 * rate));
    }
    const double step = tick_step(axes.most_x);
    for (double at = 0; at <= axes.most_x * 1.0001; at += step) {
        text += fmt::format("<path d=\"M{:.1f} {:.1f}v5\" class=\"axis\"/>\n", axes.x(at), axes.bottom);
        text += words_at(axes.x(at), axes.bottom + 20, "middle", "tick", short_count(at));
    }
    text += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" class=\"axis\"/>\n", axes.left, axes.top, axes.bottom,
                        axes.right);
    return text + words_at((axes.left + axes.right) / 2, axes.bottom + 42, "middle", "label", x_label);
}

std::string mark_text(const rate_axes& axes, const chart_mark& mark) {
    const double x = axes.x(mark.at.x);
    const double y = axes.y(mark.at.y);
    const std::string drawn =
        fmt::format("<g class=\"{}\">\n<path d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n<circle cx=\"{:.1f}\" "
                    "cy=\"{:.1f}\" r=\"5\"/>\n</g>\n",
                    mark.css_class, x, axes.bottom, y, x, y);
    if (mark.place == label_place::below) return drawn + words_at(x + 9, y + 17, "start", "label", mark.words);
    constexpr double room_for_words = 110;
    const bool fits = x > axes.left + room_for_words;
    return drawn + words_at(x + (fits ? -6 : 6), y - 10, fits ? "end" : "start", "label", mark.words);
}

} // namespace

markup draw(const rate_chart& chart) {
    std::vector<chart_point> curve;
    for (const chart_point& one : chart.curve) {
        if (one.y > 0) curve.push_back(one);
    }
    if (curve.size() < 2) return {};
    rate_axes axes;
    double least = 1;
    double most = 0;
    const auto seen = [&](const chart_point& one) {
        axes.most_x = std::max(axes.most_x, one.x);
        if (one.y > 0) least = std::min(least, one.y);
        most = std::max(most, one.y);
    };
    for (const chart_point& one : curve) seen(one);
    for (const chart_mark& one : chart.marks) seen(one.at);
    // Values below 1e-4 of the largest would only stretch the axis.
    axes.high = std::ceil(std::log10(most));
    axes.low = std::min(axes.high - 1, std::floor(std::log10(std::max(least, most * 1e-4))));
    std::string text = opened(520, 280, chart.title) + grid(axes, chart.x_label);
    text += R"(<polyline class="curve" points=")";
    const double lowest = std::pow(10, axes.low);
    for (const chart_point& one : curve) {
        if (one.y < lowest) continue;
        text += fmt::format("{:.1f},{:.1f} ", axes.x(one.x), axes.y(one.y));
    }
    text += "\"/>\n";
    for (const chart_mark& one : chart.marks) {
        if (one.at.y > 0) text += mark_text(axes, one);
    }
    return {text + "</svg>\n"};
}

markup draw(const bar_chart& chart) {
    constexpr double width = 480;
    constexpr double row = 22;
    constexpr double left = 150;
    constexpr double reach = width - left - 65;
    double largest = 0;
    for (const chart_bar& one : chart.bars) largest = std::max(largest, one.value);
    if (!(largest > 0)) return {};
    std::string text = opened(width, row * static_cast<double>(chart.bars.size()) + 30, chart.title) +
                       words_at(0, 15, "start", "heading", chart.title);
    double top = 26;
    for (const chart_bar& one : chart.bars) {
        const double length = reach * std::clamp(one.value / largest, 0.0, 1.0);
        text += words_at(left - 8, top + 15, "end", "label", one.label);
        text += fmt::format("<rect x=\"{:g}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\" class=\"{}\"/>\n", left,
                            top + 3, length, row - 6, one.is_ours ? "bar" : "bar peer");
        text += words_at(left + length + 7, top + 15, "start", "tick", one.words);
        top += row;
    }
    return {text + "</svg>\n"};
}

} // namespace everbloom::cli::html
