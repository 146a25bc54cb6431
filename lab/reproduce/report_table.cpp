#include "lab/reproduce/report_table.hpp"

#include "output/wording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace everbloom::cli {
namespace {

using namespace lab;

constexpr std::size_t text_width = 110;

/// Wraps text to `text_width`, indented by `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
    std::string made;
    std::string line(indent, ' ');
    bool is_empty = true;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!is_empty && line.size() + 1 + word.size() > text_width) {
            made += line + "\n";
            line.assign(indent, ' ');
            is_empty = true;
        }
        line += (is_empty ? "" : " ") + word;
        is_empty = false;
    }
    return made + line + "\n";
}

std::string rows(const paper_report& report, bool is_ours) {
    std::string text;
    for (const judged_claim& one : report.claims) {
        if (one.said.is_ours != is_ours) continue;
        text += fmt::format("  {:<16}{:<34}{:<22}{:>12}{:>14}\n", name_of(one.given), one.said.id, one.said.where,
                            one.found.measured.cases > 0 ? "all" : short_number(one.said.paper),
                            value_text(one.found.measured));
        if (one.given == verdict::not_comparable) text += wrapped(one.said.not_comparable, 18);
        if (one.given != verdict::reproduced) text += wrapped(one.found.evidence, 18);
    }
    return text;
}

} // namespace

std::string short_number(double value) {
    constexpr double least_grouped = 1e4; // below it four digits show a whole number
    constexpr double most_grouped = 1e12;
    if (!std::isfinite(value)) return "-";
    const bool is_large_whole = value >= least_grouped && value < most_grouped && value == std::floor(value);
    return is_large_whole ? grouped(static_cast<std::uint64_t>(value)) : fmt::format("{:.4g}", value);
}

std::string value_text(const measured_value& measured) {
    return measured.cases > 0 ? fmt::format("{} of {}", measured.held, measured.cases) : short_number(measured.number);
}

std::string verdict_counts(const paper_report& report) {
    std::string text = fmt::format("{} reproduced, {} deviating, {} contradicted", report.count(verdict::reproduced),
                                   report.count(verdict::deviates), report.count(verdict::contradicted));
    for (const verdict rare : {verdict::not_tested, verdict::not_comparable}) {
        if (report.count(rare) > 0) text += fmt::format(", {} {}", report.count(rare), name_of(rare));
    }
    return text;
}

std::string report_table(const paper_report& report) {
    std::string text =
        fmt::format("{}: {} ({} scale, seed {})\n\n", report.key, report.text.title, report.scale, report.seed);
    if (report.machine) text += "  Speeds: CPU time on " + report.machine->words() + "\n\n";
    text += fmt::format("  {:<16}{:<34}{:<22}{:>12}{:>14}\n", "verdict", "claim", "where", "paper", "measured");
    text += rows(report, false);
    const std::string ours = rows(report, true);
    if (!ours.empty()) text += "\n  Beyond the paper: our models against the same measurements\n" + ours;
    return text + "\n  " + verdict_counts(report) + "\n";
}

} // namespace everbloom::cli
