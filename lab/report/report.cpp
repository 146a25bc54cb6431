#include "lab/report/report.hpp"

#include "lab/report/report_style.hpp"
#include "lab/report/sources.hpp"
#include "lab/reproduce/page_style.hpp"
#include "output/picture_canvas.hpp"

#include <everbloom/version.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace everbloom::cli {
namespace {

std::string title_of(const report_request& wanted, const std::vector<html::section>& sections) {
    if (!wanted.title.empty()) return wanted.title;
    if (sections.size() == 1) return sections.front().title;
    if (wanted.paths.size() != 1) return "everbloom report";
    const auto path = std::filesystem::path(wanted.paths.front());
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::string contents_of(const std::vector<html::section>& sections) {
    if (sections.size() < 2) return "";
    std::string items;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        items += fmt::format("<li><a href=\"#part-{}\">{}</a> <span class=\"soft\">{}</span></li>\n", i + 1,
                             xml_text(sections[i].title), xml_text(sections[i].kicker));
    }
    return "<nav><ol>\n" + items + "</ol></nav>\n";
}

} // namespace

result<std::string> make_report(const report_request& wanted) {
    std::vector<html::section> sections;
    for (const std::string& path : wanted.paths) {
        auto made = html::sections_of(path);
        if (!made) return fail(std::move(made.error()));
        std::move(made->begin(), made->end(), std::back_inserter(sections));
    }
    const std::string title = xml_text(title_of(wanted, sections));
    std::string page = fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                                   "<title>{0}</title>\n<style>{1}{2}</style>\n</head>\n<body>\n<header><div>\n"
                                   "<p class=\"kicker\">everbloom report</p>\n<h1>{0}</h1>\n{3}</div></header>\n"
                                   "<main>\n",
                                   title, page_style, html::report_style, contents_of(sections));
    // The title of the page is the same.
    const bool is_alone = sections.size() == 1 && wanted.title.empty();
    for (std::size_t i = 0; i < sections.size(); ++i) {
        page += fmt::format("<section class=\"part\" id=\"part-{}\">\n<p class=\"kicker\">{}</p>\n{}{}</section>\n",
                            i + 1, xml_text(sections[i].kicker),
                            is_alone ? "" : "<h2>" + xml_text(sections[i].title) + "</h2>\n", sections[i].body.html);
    }
    return page + fmt::format("</main>\n<footer><p>Written by everbloom {}. This page is self-contained.</p></footer>\n"
                              "</body>\n</html>\n",
                              version_text);
}

} // namespace everbloom::cli
