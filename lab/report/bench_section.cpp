// Report section of a benchmark run: for each question a bar chart, and a table of speeds with their ratios to the others.
#include "lab/report/bench_results.hpp"
#include "lab/report/charts.hpp"
#include "lab/report/sections.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::cli::html {
namespace {

constexpr std::string_view yardstick = "counting"; // as in the tables of `bench`
constexpr std::size_t most_columns = 12;           // variants of one question

bool is_kind(const std::string& name) { return find_kind(name) != nullptr; }

/// In questions about filter kinds, other contestants are peer libraries.
bool is_peer(const std::string& contestant, bool kinds_compete) { return kinds_compete && !is_kind(contestant); }

bool has_kinds(const std::vector<std::string>& contestants) {
    return std::any_of(contestants.begin(), contestants.end(), is_kind);
}

/// Filters of equal FPR are comparable: their measurements have bits per key. Files of different sizes are not.
bool is_fair(const bench_results& results, const std::string& question) {
    return std::any_of(results.all.begin(), results.all.end(), [&](const bench_result& one) {
        return one.question == question && number_of(one.counters, "bits_per_key");
    });
}

/// The baselines: the yardstick, and the peer libraries.
std::vector<std::string> others_of(const std::vector<std::string>& contestants) {
    std::vector<std::string> others;
    if (!has_kinds(contestants)) return others;
    for (const std::string& one : contestants) {
        if ((one == yardstick || !is_kind(one)) && others.size() < 4) others.push_back(one);
    }
    return others;
}

std::string speed_text(const bench_result& one) {
    if (one.best == 0) return "–";
    const double millions = one.best / 1e6;
    return millions < 100 ? fmt::format("{:.3g}", millions) : fmt::format("{:.0f}", millions);
}

std::string ratio_text(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : "–"; }

markup speed_bars(const bench_results& results, const std::string& question) {
    markup drawn;
    const bool kinds_compete = has_kinds(results.contestants(question));
    const auto variants = results.variants(question);
    for (std::size_t i = 0; i < std::min(most_columns, variants.size()); ++i) {
        bar_chart chart{fmt::format("{}{}{}, million operations per second", question, variants[i].empty() ? "" : ", ",
                                    variants[i]),
                        {}};
        for (const bench_result& one : results.all) {
            if (one.question != question || one.variant != variants[i] || !one.error.empty()) continue;
            chart.bars.push_back({one.contestant, one.best, speed_text(one), !is_peer(one.contestant, kinds_compete)});
        }
        const markup bars = draw(chart);
        if (!bars.html.empty()) drawn += figure(bars, "");
    }
    return drawn.html.empty() ? drawn : around("div", drawn, "charts");
}

std::string bits_of(const bench_results& results, const std::string& question, const std::string& contestant) {
    for (const bench_result& one : results.all) {
        const auto bits = number_of(one.counters, "bits_per_key");
        if (bits && one.question == question && one.contestant == contestant) return any_number(bits);
    }
    return "–";
}

markup speed_table(const bench_results& results, const std::string& question) {
    const auto variants = results.variants(question);
    const auto contestants = results.contestants(question);
    const bool fair = is_fair(results, question);
    const auto others = fair ? others_of(contestants) : std::vector<std::string>{};
    page_table all{{""}, {}};
    if (fair) all.headings.emplace_back("bits/key");
    const std::size_t columns = std::min(most_columns, variants.size());
    for (std::size_t i = 0; i < columns; ++i) {
        all.headings.push_back(variants[i] + ", M/s");
        for (const std::string& other : others) all.headings.push_back("× " + other);
    }
    for (const std::string& contestant : contestants) {
        std::vector<std::string> row{contestant};
        if (fair) row.push_back(bits_of(results, question, contestant));
        for (std::size_t i = 0; i < columns; ++i) {
            const bench_result* one = results.find(question, variants[i], contestant);
            row.push_back(one == nullptr ? "–" : speed_text(*one));
            for (const std::string& other : others) {
                row.push_back(one == nullptr || other == contestant ? "–" : ratio_text(results.ratio(*one, other)));
            }
        }
        all.rows.push_back(std::move(row));
    }
    return table(all);
}

/// A question that is not timed: bits per key and FPR.
markup space_part(const bench_results& results, const std::string& question) {
    page_table all{{"", "planned for", "bits/key", "target FPR", "measured FPR", "overhead"}, {}};
    markup drawn;
    const bool kinds_compete = has_kinds(results.contestants(question));
    for (const std::string& variant : results.variants(question)) {
        bar_chart chart{fmt::format("bits per key, planned for {}", variant), {}};
        for (const bench_result& one : results.all) {
            if (one.question != question || one.variant != variant) continue;
            const auto bits = number_of(one.counters, "bits_per_key");
            all.rows.push_back(
                {one.contestant, variant, any_number(bits), any_rate(number_of(one.counters, "planned_fpr")),
                 any_rate(number_of(one.counters, "measured_fpr")), any_rate(number_of(one.counters, "overhead"))});
            if (bits)
                chart.bars.push_back(
                    {one.contestant, *bits, any_number(bits), !is_peer(one.contestant, kinds_compete)});
        }
        const markup bars = draw(chart);
        if (!bars.html.empty()) drawn += figure(bars, "");
    }
    return around("div", drawn, "charts") + table(all);
}

markup errors_of(const bench_results& results, const std::string& question) {
    markup items;
    for (const bench_result& one : results.all) {
        if (one.question == question && !one.error.empty())
            items += element("li", fmt::format("{}, {}: {}", one.contestant, one.variant, one.error));
    }
    return items.html.empty() ? items : element("p", "Not measured because of an error:") + around("ul", items);
}

fact_list machine_facts(const document& measured) {
    fact_list all;
    const document& context = member_of(measured, "context");
    for (const char* name : {"machine", "compiler"}) {
        if (const std::string words = text_of(measured, name); !words.empty()) all.emplace_back(name, words);
    }
    if (const auto items = number_of(measured, "items")) all.emplace_back("keys per filter", any_number(items));
    if (const auto load = number_of(measured, "load")) all.emplace_back("load", any_number(load));
    if (const std::string words = text_of(context, "date"); !words.empty()) all.emplace_back("date", words);
    if (const auto cpus = number_of(context, "num_cpus")) {
        all.emplace_back("processors",
                         fmt::format("{} × {} MHz", any_number(cpus), any_number(number_of(context, "mhz_per_cpu"))));
    }
    return all;
}

} // namespace

section bench_section(const document& measured, const std::string& name) {
    const bench_results results = bench_results::read(measured);
    section made{"Benchmarks: " + name, "Speed compared with other filters", {}};
    made.body += facts(machine_facts(measured));
    made.body +=
        element("p",
                "Best of all repetitions. Absolute speeds depend on the machine; compare the ratios (× name: speed "
                "relative to it).",
                "soft");
    constexpr std::size_t most_questions = 50;
    const auto questions = results.questions();
    for (std::size_t i = 0; i < std::min(most_questions, questions.size()); ++i) {
        const std::string& question = questions[i];
        made.body += element("h3", question);
        const bool is_timed = std::any_of(results.all.begin(), results.all.end(), [&](const bench_result& one) {
            return one.question == question && one.best > 0;
        });
        made.body +=
            is_timed ? speed_bars(results, question) + speed_table(results, question) : space_part(results, question);
        made.body += errors_of(results, question);
    }
    return made;
}

} // namespace everbloom::cli::html
