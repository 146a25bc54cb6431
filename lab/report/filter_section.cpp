// Report section of a filter: parameters, statistics of its cells, their picture, and the FPR that the model predicts for more keys.
#include "filters/filter_portrait.hpp"
#include "lab/report/charts.hpp"
#include "lab/report/sections.hpp"
#include "output/wording.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/jobs/capacity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace everbloom::cli::html {
namespace {

std::string abilities_of(const kind_info& kind) {
    std::string text;
    for (const named_capability& one : named_capabilities) {
        if (kind.capabilities.has(one.bit)) text += (text.empty() ? "" : ", ") + std::string(one.name);
    }
    return text;
}

fact_list facts_of(const filter_portrait& seen) {
    fact_list all{{"keys", fmt::format("about {}", seen.items())},
                  {"current FPR", rate_text(seen.now.fpr) + ", estimated from the cells"},
                  {"capacity", capacity_text(seen.file.target)}};
    if (seen.now.deletable_share) {
        const auto at_twice = seen.deletable_at_twice_the_items();
        all.emplace_back("deletable share",
                         rate_text(*seen.now.deletable_share) +
                             (at_twice ? fmt::format("; {} with twice as many keys", rate_text(*at_twice)) : ""));
    }
    all.emplace_back("cells",
                     fmt::format("{}, {} occupied", grouped(seen.filter().cells()), rate_text(seen.occupied_share)));
    all.emplace_back("file", fmt::format("{}, format version {}", bytes_text(seen.file_bytes), v1::version));
    all.emplace_back("key type",
                     fmt::format("{}, hashed with {}", key_type_names[static_cast<std::size_t>(seen.file.keys)],
                                 name_of(seen.file.hasher().id())));
    if (const auto& guarded = seen.filter().exclusions()) {
        all.emplace_back("exclusions",
                         fmt::format("an exclusion list of {}", bytes_text(guarded->words().size_bytes())));
    }
    all.emplace_back("supports", abilities_of(*seen.kind));
    return all;
}

markup geometry_of(const filter_portrait& seen) {
    page_table all{{"parameter", "value", "meaning"}, {}};
    for (const geometry_value& one : seen.filter().geometry()) {
        const auto& known = seen.kind->parameters;
        const auto found =
            std::find_if(known.begin(), known.end(), [&](const parameter_info& each) { return each.name == one.name; });
        all.rows.push_back({std::string(one.name), value_text(one),
                            found == known.end() ? std::string() : std::string(found->meaning)});
    }
    return around("div", table(all), "worded");
}

/// The predicted FPR from no keys to twice the capacity, or twice the current number.
markup rate_curve(const filter_portrait& seen) {
    constexpr std::uint64_t steps = 40;
    const std::uint64_t most = 2 * std::max({seen.items(), seen.file.target.items, std::uint64_t{steps}});
    rate_chart chart{"False positive rate over the number of keys", "keys", {}, {}};
    for (std::uint64_t i = 1; i <= steps; ++i) {
        const std::uint64_t items = most / steps * i;
        if (const auto rate = seen.filter().predict({.items = items}).fpr) {
            chart.curve.push_back({static_cast<double>(items), *rate});
        }
    }
    if (seen.file.target.items != 0) {
        chart.marks.push_back({{static_cast<double>(seen.file.target.items), seen.file.target.fpr},
                               "capacity",
                               "mark-agreed",
                               label_place::below});
    }
    if (seen.items() != 0) {
        chart.marks.push_back({{seen.now.items, seen.now.fpr}, "now: " + rate_text(seen.now.fpr), "mark-now"});
    }
    const markup drawn = draw(chart);
    if (drawn.html.empty()) return {};
    return figure(drawn,
                  "The curve is the model of a filter with these parameters after insertions only; “now” is estimated "
                  "from the cells.");
}

} // namespace

result<section> filter_section(const std::string& path) {
    const auto seen = portray_filter(path);
    if (!seen) return fail(seen.error());
    std::string drawn = picture_of(*seen, path);
    drawn.erase(0, drawn.find("<svg"));
    section made{std::string(seen->filter().kind()) + " filter", std::filesystem::path(path).filename().string(), {}};
    made.body += element("p", fmt::format("{}: {}.", seen->filter().kind(), seen->kind->summary));
    made.body += around("div", facts(facts_of(*seen)) + rate_curve(*seen), "beside");
    made.body += around("div", figure({drawn}, ""), "wide");
    made.body += folded("Parameters", geometry_of(*seen));
    return made;
}

} // namespace everbloom::cli::html
