#include "lab/report/markup.hpp"

#include "output/picture_canvas.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace everbloom::cli::html {
namespace {

std::string class_text(std::string_view css_class) {
    return css_class.empty() ? "" : fmt::format(" class=\"{}\"", xml_text(css_class));
}

} // namespace

markup element(std::string_view name, std::string_view words, std::string_view css_class) {
    return {fmt::format("<{0}{1}>{2}</{0}>\n", name, class_text(css_class), xml_text(words))};
}

markup around(std::string_view name, const markup& inside, std::string_view css_class) {
    return {fmt::format("<{0}{1}>\n{2}</{0}>\n", name, class_text(css_class), inside.html)};
}

markup facts(const fact_list& all) {
    std::string rows;
    for (const auto& [name, value] : all) {
        rows += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", xml_text(name), xml_text(value));
    }
    return {"<dl class=\"facts\">\n" + rows + "</dl>\n"};
}

markup table(const page_table& all) {
    constexpr std::size_t most_rows = 2000;
    std::string text = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
    for (const std::string& one : all.headings) text += "<th>" + xml_text(one) + "</th>";
    text += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < std::min(most_rows, all.rows.size()); ++i) {
        text += "<tr>";
        for (const std::string& cell : all.rows[i]) text += "<td>" + xml_text(cell) + "</td>";
        text += "</tr>\n";
    }
    text += "</tbody>\n</table></div>\n";
    if (all.rows.size() <= most_rows) return {text};
    return markup{text} +
           element("p", fmt::format("… and {} more rows.", grouped(all.rows.size() - most_rows)), "soft");
}

markup folded(std::string_view summary, const markup& inside) {
    return {"<details><summary>" + xml_text(summary) + "</summary>\n" + inside.html + "</details>\n"};
}

markup figure(const markup& drawing, std::string_view caption) {
    return around("figure", drawing + (caption.empty() ? markup{} : element("figcaption", caption, "soft")));
}

std::string any_number(std::optional<double> value) {
    if (!value) return "–";
    if (std::abs(*value) < 1e15 && *value == std::floor(*value)) {
        return (*value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::abs(*value)));
    }
    return fmt::format("{:.4g}", *value);
}

std::string any_rate(std::optional<double> value) {
    if (!value) return "–";
    return *value >= 0 && *value <= 1e3 ? rate_text(*value) : fmt::format("{:.4g}", *value);
}

std::string any_bytes(std::optional<double> value) {
    if (!value) return "–";
    return *value >= 0 && *value < 1e18 ? bytes_text(static_cast<std::uint64_t>(*value)) : any_number(value);
}

std::string off_by(std::optional<double> measured, std::optional<double> predicted) {
    if (!measured || !predicted) return "–";
    if (*predicted == 0) return *measured == 0 ? "as predicted" : "0 was predicted";
    return fmt::format("{:+.2g} %", (*measured / *predicted - 1) * 100);
}

} // namespace everbloom::cli::html
