#include "lab/reproduce/page.hpp"

#include "lab/reproduce/page_style.hpp"
#include "lab/reproduce/report_table.hpp"

#include <everbloom/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>

namespace everbloom::cli {
namespace {

using namespace lab;

std::string number(const std::optional<double>& value) { return value ? short_number(*value) : "–"; }

/// Is it an English word, which may begin with a capital? Variables (m, k'), kinds (elastic_blocked) and formulas are not.
bool begins_with_a_word(const std::string& text) {
    const std::string first = text.substr(0, text.find(' '));
    if (first == "a") return text.size() > 2 && std::isalpha(static_cast<unsigned char>(text[2])) != 0; // "a = 0.6"
    if (first.size() < 2) return false;
    const std::string_view letters(first.data(), first.find_last_not_of(",:;.") + 1);
    static constexpr std::array<std::string_view, 8> kinds{"bloom",       "dynamic", "elastic", "scalable",
                                                           "partitioned", "dleft",   "dfp",     "log2"};
    return std::all_of(letters.begin(), letters.end(), [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); }) &&
           std::find(kinds.begin(), kinds.end(), letters) == kinds.end();
}

/// Evidence as a sentence.
std::string sentence(std::string text) {
    if (begins_with_a_word(text)) text.front() += 'A' - 'a';
    if (!text.empty() && !text.ends_with('.')) text += '.';
    return escaped(text);
}

/// The verdict as a CSS class.
std::string class_of(verdict given) {
    std::string made(name_of(given));
    std::replace(made.begin(), made.end(), ' ', '-');
    return made;
}

std::string badge(verdict given) {
    return fmt::format(R"(<span class="badge {}">{}</span>)", class_of(given), name_of(given));
}

/// The artefact as a link: "Fig. 4", or its title where it has no place in the paper.
std::string place_of(const std::string& id, const paper_report& report) {
    const auto words = report.text.captions.find(id);
    if (words != report.text.captions.end()) return words->second.where;
    for (const artefact& one : report.artefacts) {
        if (one.id == id) return one.title;
    }
    return id;
}

std::string head(const paper_report& report) {
    std::string counts;
    for (const verdict given : all_verdicts) {
        const bool is_rare = given == verdict::not_tested || given == verdict::not_comparable;
        if (is_rare && report.count(given) == 0) continue;
        counts += fmt::format(R"(<li class="{}">{} {}</li>)", class_of(given), report.count(given), name_of(given));
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
{5}</div></header>
<main>
)",
                       escaped(report.text.title), page_style, escaped(report.text.authors), escaped(report.text.about),
                       counts,
                       report.machine ? fmt::format("<p class=\"soft\">Speeds were measured on {}.</p>\n",
                                                    escaped(report.machine->words()))
                                      : "");
}

std::string errata_of(const paper_report& report) {
    std::string items;
    for (const judged_claim& one : report.claims) {
        const bool is_wrong = one.given == verdict::deviates || one.given == verdict::contradicted;
        if (!is_wrong || one.said.erratum.empty()) continue;
        items +=
            fmt::format("<li>{} <span class=\"soft\">{}</span> “{}”<br>{} <a href=\"#claim-{}\">Evidence</a></li>\n",
                        badge(one.given), escaped(one.said.where), escaped(one.said.statement),
                        escaped(one.said.erratum), escaped(one.said.id));
    }
    return items;
}

std::string errata_section(const paper_report& report) {
    const std::string items = errata_of(report);
    if (items.empty()) return "";
    return "<section id=\"errata\">\n<h2>Errata</h2>\n<ul class=\"errata\">\n" + items + "</ul>\n</section>\n";
}

std::string contents(const paper_report& report) {
    std::string made = "<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ul class=\"contents\">\n";
    if (!errata_of(report).empty()) made += "<li><a href=\"#errata\">Errata</a></li>\n";
    for (const auto& [is_ours, id, title] :
         {std::tuple{false, "claims", "Claims of the paper"}, std::tuple{true, "ours", "Beyond the paper"}}) {
        std::string links;
        for (const judged_claim& one : report.claims) {
            if (one.said.is_ours != is_ours) continue;
            links += fmt::format(R"(<a class="{}" href="#claim-{}">{}</a> )", class_of(one.given), escaped(one.said.id),
                                 escaped(one.said.id));
        }
        if (!links.empty()) {
            made += fmt::format("<li><a href=\"#{}\">{}</a><p class=\"links\">{}</p></li>\n", id, title, links);
        }
    }
    std::string figures;
    for (const artefact& one : report.artefacts) {
        // Several figures may come from one section: the beginning of the title tells them apart.
        const std::string title = one.title.substr(0, one.title.find_first_of(",:;"));
        figures +=
            fmt::format("<a href=\"#{}\">{}: {}</a> ", one.id, escaped(place_of(one.id, report)), escaped(title));
    }
    if (!figures.empty()) {
        made += R"(<li><a href="#figures">Figures and numbers</a><p class="links">)" + figures + "</p></li>\n";
    }
    return made + "</ul>\n</nav>\n";
}

std::string claim_card(const judged_claim& one, const paper_report& report) {
    std::string figures;
    for (const std::string& id : one.artefacts) {
        figures +=
            fmt::format("{}<a href=\"#{}\">{}</a>", figures.empty() ? "" : ", ", id, escaped(place_of(id, report)));
    }
    if (!figures.empty()) figures = "<p class=\"soft\">Figures and numbers: " + figures + "</p>\n";
    std::string source;
    if (!one.said.source.empty()) {
        source =
            fmt::format("<p class=\"soft source\">Source: <a href=\"{0}\">{0}</a></p>\n", escaped(one.said.source));
    }
    std::string reason;
    if (!one.said.not_comparable.empty()) reason = " " + sentence(one.said.not_comparable);
    if (!one.said.because.empty()) {
        reason += fmt::format(" Tolerance {}: {}", one.said.tolerance, escaped(one.said.because));
        if (!reason.ends_with('.')) reason += '.';
    }
    const std::string paper = one.found.measured.cases > 0 ? "all" : short_number(one.said.paper);
    return fmt::format(R"(<article class="claim" id="claim-{}">
<p class="top">{}<span class="soft">{}</span></p>
<blockquote>{}</blockquote>
<dl class="numbers"><div><dt>{}</dt><dd>{}</dd></div><div><dt>measured</dt><dd>{}</dd></div></dl>
<p class="soft">{}</p>
<p>{}</p>
{}{}<details><summary>How the verdict is decided</summary><p class="soft">{}{}</p></details>
</article>
)",
                       escaped(one.said.id), badge(one.given), escaped(one.said.where), escaped(one.said.statement),
                       one.said.is_ours ? "expected" : "paper", paper, value_text(one.found.measured),
                       sentence(one.said.quantity), sentence(one.found.evidence), source, figures,
                       escaped(one.said.judged), reason);
}

std::string claim_section(const paper_report& report, bool is_ours, std::string_view id, std::string_view title) {
    std::string cards;
    for (const judged_claim& one : report.claims) {
        if (one.said.is_ours == is_ours) cards += claim_card(one, report);
    }
    if (cards.empty()) return "";
    return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<div class=\"claims\">\n{}</div>\n</section>\n", id, title,
                       cards);
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

std::string artefact_section(const artefact& one, const paper_report& report, const page_figures& figures) {
    const paper_text& text = report.text;
    const auto words = text.captions.find(one.id);
    const auto picture = figures.find(one.id);
    std::string beside = picture == figures.end() ? "" : "<figure>\n" + picture->second + "\n</figure>\n";
    std::string caption;
    if (words != text.captions.end()) {
        caption = fmt::format("<p class=\"kicker\">{}</p>\n<blockquote>{}</blockquote>\n", escaped(words->second.where),
                              escaped(words->second.words));
    }
    std::string claims;
    for (const judged_claim& each : report.claims) {
        if (std::find(each.artefacts.begin(), each.artefacts.end(), one.id) == each.artefacts.end()) continue;
        claims += fmt::format(R"(<a class="{}" href="#claim-{}">{}</a> )", class_of(each.given), escaped(each.said.id),
                              escaped(each.said.id));
    }
    if (!claims.empty()) claims = "<p class=\"links\">Claims: " + claims + "</p>\n";
    std::string notes;
    for (const std::string& each : one.notes) notes += "<li>" + escaped(each) + "</li>\n";
    if (!notes.empty()) {
        notes = "<details open><summary>What a filter could not hold</summary>\n<ul class=\"notes\">\n" + notes +
                "</ul>\n</details>\n";
    }
    beside += fmt::format("<div>\n{}<p>{}</p>\n{}{}</div>\n", caption, escaped(one.reading), notes, claims);
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
    page += contents(report);
    page += errata_section(report);
    page += claim_section(report, false, "claims", "Claims of the paper");
    page += claim_section(report, true, "ours", "Beyond the paper: our models against the same measurements");
    if (!report.artefacts.empty()) page += "<h2 id=\"figures\">Figures and numbers</h2>\n";
    for (const artefact& one : report.artefacts) page += artefact_section(one, report, figures);
    const std::string_view again =
        report.machine ? "The same command gives the same numbers, except speeds and verdicts about them."
                       : "The same command gives the same numbers.";
    return page +
           fmt::format(
               "</main>\n<footer><p>everbloom {}, <code>everbloom reproduce {} --scale {} --seed {}</code>. Intervals "
               "are 95 % confidence intervals. {}</p></footer>\n</body>\n</html>\n",
               version_text, escaped(report.key), escaped(report.scale), report.seed, again);
}

} // namespace everbloom::cli
