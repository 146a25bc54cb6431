// Report section of a reproduced paper: verdicts, claims, figures as drawn by `reproduce --out`, and their numbers.
#include "filters/whole_file.hpp"
#include "lab/report/sections.hpp"
#include "lab/report/svg_import.hpp"
#include "output/picture_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace everbloom::cli::html {
namespace {

constexpr std::size_t most_parts = 500; // claims or artefacts of a paper
constexpr std::array<std::string_view, 5> verdicts{"reproduced", "deviates", "contradicted", "not tested",
                                                   "not comparable"};

/// The verdict as a CSS class.
std::string class_of(std::string verdict) {
    std::replace(verdict.begin(), verdict.end(), ' ', '-');
    return verdict;
}

/// The verdict if it is known.
std::string verdict_of(const document& claim) {
    const std::string said = text_of(claim, "verdict");
    return std::find(verdicts.begin(), verdicts.end(), said) == verdicts.end() ? "unknown" : said;
}

/// Is the name safe as a file name inside the folder?
bool is_plain_name(const std::string& name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

markup counts_of(const document& paper) {
    markup items;
    for (const std::string_view one : verdicts) {
        const auto& claims = list_of(paper, "claims");
        const auto count =
            std::count_if(claims.begin(), claims.end(), [&](const document& each) { return verdict_of(each) == one; });
        if (count > 0) items += element("li", fmt::format("{} {}", count, one), class_of(std::string(one)));
    }
    return items.html.empty() ? markup{} : around("ul", items, "counts");
}

/// "72 of 72" for a share of counted cases, otherwise the number.
std::string measured_of(const document& claim) {
    const document& counted = member_of(claim, "counted");
    const auto held = number_of(counted, "held");
    const auto cases = number_of(counted, "cases");
    if (!held || !cases) return any_number(number_of(claim, "measured"));
    return any_number(held) + " of " + any_number(cases);
}

markup claim_card(const document& claim) {
    const std::string given = verdict_of(claim);
    markup card = around(
        "p", element("span", given, "badge " + class_of(given)) + element("span", text_of(claim, "where"), "soft"),
        "top");
    card += element("blockquote", text_of(claim, "statement"));
    const bool is_ours = member_of(claim, "ours") == true;
    card += facts({{is_ours ? "expected" : "paper", any_number(number_of(claim, "paper"))},
                   {"measured", measured_of(claim)},
                   {"tolerance", any_number(number_of(claim, "tolerance"))}});
    for (const char* name : {"quantity", "evidence", "source", "erratum"}) {
        if (const std::string words = text_of(claim, name); !words.empty()) {
            card += element("p", words, name == std::string_view("quantity") ? "soft" : "");
        }
    }
    return around("article", card, "claim");
}

markup point_table(const document& artefact) {
    page_table all{{"series", text_of(artefact, "x"), "paper", "our model", "measured", "95 % interval"}, {}};
    for (const document& one : list_of(artefact, "points")) {
        const auto low = number_of(one, "low");
        all.rows.push_back({text_of(one, "series"), any_number(number_of(one, "x")),
                            any_number(number_of(one, "paper")), any_number(number_of(one, "model")),
                            any_number(number_of(one, "measured")),
                            low ? any_number(low) + " … " + any_number(number_of(one, "high")) : "–"});
    }
    return table(all);
}

constexpr reading_rules drawing_rules{.meaning = "a drawing", .wanted = {}, .way_out = ""};

/// The picture of an artefact, if there is a valid one.
markup picture_of_artefact(const document& artefact, const std::string& folder, const std::string& id) {
    const std::string name = text_of(artefact, "id");
    if (folder.empty() || !is_plain_name(name)) return {};
    const std::string path = (std::filesystem::path(folder) / (name + ".svg")).string();
    std::error_code absent;
    if (!std::filesystem::is_regular_file(path, absent)) return {};
    const auto svg = read_bounded_file(path, drawing_rules, most_drawing_bytes);
    if (!svg) return {};
    return import_drawing(*svg, id + "_" + name, text_of(artefact, "title")).value_or(markup{});
}

markup artefact_card(const document& artefact, const std::string& folder, const std::string& id) {
    markup card = element("h3", text_of(artefact, "title"));
    const markup picture = picture_of_artefact(artefact, folder, id);
    if (!picture.html.empty()) {
        card += figure(picture, text_of(artefact, "where"));
        return around("div", card + folded("The numbers", point_table(artefact)), "artefact");
    }
    return around("div", card + point_table(artefact), "artefact");
}

} // namespace

section paper_section(const document& paper, const std::string& folder, const std::string& id) {
    section made{"Reproduced paper", text_of(paper, "title"), {}};
    if (made.title.empty()) made.title = text_of(paper, "paper");
    made.body += element("p",
                         fmt::format("everbloom reproduce {} --scale {} --seed {}", text_of(paper, "paper"),
                                     text_of(paper, "scale"), any_number(number_of(paper, "seed"))),
                         "soft");
    made.body += counts_of(paper);
    const auto& artefacts = list_of(paper, "artefacts");
    markup figures;
    std::set<std::string> shown;
    for (std::size_t i = 0; i < std::min(most_parts, artefacts.size()); ++i) {
        // A picture is shown once, even if it is named several times.
        const bool is_new = shown.insert(text_of(artefacts[i], "id")).second;
        figures += artefact_card(artefacts[i], is_new ? folder : "", id);
    }
    made.body += around("div", figures, "artefacts");
    markup cards;
    const auto& claims = list_of(paper, "claims");
    for (std::size_t i = 0; i < std::min(most_parts, claims.size()); ++i) cards += claim_card(claims[i]);
    if (!claims.empty()) made.body += element("h3", "Claims and results") + around("div", cards, "claims");
    return made;
}

} // namespace everbloom::cli::html
