#include "lab/reproduce/page.hpp"

#include "lab/reproduce/page_style.hpp"
#include "lab/reproduce/report_table.hpp"

#include <everbloom/version.hpp>

#include <fmt/format.h>

namespace everbloom::cli {
namespace {

using namespace lab;

std::string number(const std::optional<double>& value) { return value ? short_number(*value) : "–"; }

/// Evidence as a sentence.
std::string sentence(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() += 'A' - 'a';
    if (!text.empty() && !text.ends_with('.')) text += '.';
    return escaped(text);
}

std::string badge(verdict given) { return fmt::format(R"(<span class="badge {0}">{0}</span>)", name_of(given)); }

std::string head(const paper_report& report) {
    std::string counts;
    for (const auto given : {verdict::reproduced, verdict::deviates, verdict::contradicted}) {
        counts += fmt::format(R"(<li class="{0}">{1} {0}</li>)", name_of(given), report.count(given));
    }
    return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}, reproduced</title>
<style>{1}</style>
</head>
<body>
<header><div>
<p class="kicker">Paper reproduced by everbloom</p>
<h1>{0}</h1>
<p class="soft">{2}</p>
<p>{3}</p>
<ul class="counts">{4}</ul>
</div></header>
<main>
)",
                       escaped(report.text.title), page_style, escaped(report.text.authors), escaped(report.text.about),
                       counts);
}

std::string claim_card(const judged_claim& one) {
    return fmt::format(R"(<article class="claim" id="claim-{}">
<p class="top">{}<span class="soft">{}</span></p>
<blockquote>{}</blockquote>
<dl class="numbers"><div><dt>{}</dt><dd>{}</dd></div><div><dt>measured</dt><dd>{}</dd></div></dl>
<p class="soft">{}</p>
<p>{}</p>
<details><summary>How the verdict is decided</summary><p class="soft">{} Tolerance {}.</p></details>
</article>
)",
                       escaped(one.said.id), badge(one.given), escaped(one.said.where), escaped(one.said.statement),
                       one.said.is_ours ? "expected" : "paper", short_number(one.said.paper),
                       short_number(one.found.measured), sentence(one.said.quantity), sentence(one.found.evidence),
                       escaped(one.said.judged), one.said.tolerance);
}

std::string claim_section(const paper_report& report, bool is_ours, std::string_view title) {
    std::string cards;
    for (const judged_claim& one : report.claims) {
        if (one.said.is_ours == is_ours) cards += claim_card(one);
    }
    if (cards.empty()) return "";
    return fmt::format("<section>\n<h2>{}</h2>\n<div class=\"claims\">\n{}</div>\n</section>\n", title, cards);
}

std::string errata_section(const paper_report& report) {
    std::string items;
    for (const judged_claim& one : report.claims) {
        if (one.given == verdict::reproduced || one.said.erratum.empty()) continue;
        items +=
            fmt::format("<li>{} <span class=\"soft\">{}</span> “{}”<br>{} <a href=\"#claim-{}\">Evidence</a></li>\n",
                        badge(one.given), escaped(one.said.where), escaped(one.said.statement),
                        escaped(one.said.erratum), escaped(one.said.id));
    }
    if (items.empty()) return "";
    return "<section>\n<h2>Errata</h2>\n<ul class=\"errata\">\n" + items + "</ul>\n</section>\n";
}

std::string point_table(const artefact& one) {
    std::string rows;
    for (const series& curve : one.curves) {
        for (const point& each : curve.points) {
            const std::string interval =
                each.measured ? short_number(each.measured->low) + " … " + short_number(each.measured->high) : "–";
            rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                                escaped(curve.label), short_number(each.x), number(each.paper), number(each.model),
                                each.measured ? short_number(each.measured->mean) : "–", interval);
        }
    }
    return fmt::format("<table>\n<thead><tr><th>series</th><th>{}</th><th>{}</th><th>our model</th><th>measured</th>"
                       "<th>95 % interval</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>",
                       escaped(one.x.label), one.paper_values.empty() ? "paper" : escaped(one.paper_values), rows);
}

std::string artefact_section(const artefact& one, const paper_text& text, const page_figures& figures) {
    const auto words = text.captions.find(one.id);
    const auto picture = figures.find(one.id);
    std::string beside = picture == figures.end() ? "" : "<figure>\n" + picture->second + "\n</figure>\n";
    std::string caption;
    if (words != text.captions.end()) {
        caption = fmt::format("<p class=\"kicker\">{}</p>\n<blockquote>{}</blockquote>\n", escaped(words->second.where),
                              escaped(words->second.words));
    }
    beside += fmt::format("<div>\n{}<p>{}</p>\n</div>\n", caption, escaped(one.reading));
    return fmt::format(
        "<section class=\"artefact\" id=\"{}\">\n<h3>{}</h3>\n<div class=\"beside\">\n{}</div>\n"
        "<details{}><summary>The numbers</summary>\n<div class=\"scroll\" tabindex=\"0\">{}</div>\n</details>\n"
        "</section>\n",
        one.id, escaped(one.title), beside, picture == figures.end() ? " open" : "", point_table(one));
}

} // namespace

std::string escaped(std::string_view text) {
    std::string made;
    for (const char letter : text) {
        switch (letter) {
        case '&': made += "&amp;"; break;
        case '<': made += "&lt;"; break;
        case '>': made += "&gt;"; break;
        case '"': made += "&quot;"; break;
        default: made += letter;
        }
    }
    return made;
}

std::string report_page(const paper_report& report, const page_figures& figures) {
    std::string page = head(report);
    page += errata_section(report);
    page += claim_section(report, false, "Claims of the paper");
    page += claim_section(report, true, "Beyond the paper: our models against the same measurements");
    if (!report.artefacts.empty()) page += "<h2>Figures and numbers</h2>\n";
    for (const artefact& one : report.artefacts) page += artefact_section(one, report.text, figures);
    return page +
           fmt::format(
               "</main>\n<footer><p>everbloom {}, <code>everbloom reproduce {} --scale {} --seed {}</code>. Intervals "
               "are 95 % confidence intervals. The same command gives the same numbers, except "
               "speeds.</p></footer>\n</body>\n</html>\n",
               version_text, escaped(report.key), escaped(report.scale), report.seed);
}

} // namespace everbloom::cli
