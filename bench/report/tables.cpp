#include "report/tables.hpp"

#include "peers/peer.hpp"
#include "questions.hpp"
#include "report/comparison.hpp"
#include "report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::bench {
namespace {

/// Three digits are all that a benchmark deserves.
std::string speed_text(const measured* one) {
    if (one == nullptr || one->speeds.empty()) return "";
    const double millions = one->best() / 1e6;
    return millions < 100 ? fmt::format("{:.3g}", millions) : fmt::format("{:.0f}", millions);
}

std::string ratio_text(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : ""; }

std::string counter_text(const measured* one, const char* name, double factor, std::string_view unit) {
    const auto value = one == nullptr ? std::nullopt : one->counter(name);
    return value ? fmt::format("{:.3g}{}", *value * factor, unit) : "";
}

/// How far the median repetition stays behind the best: the noise of the machine.
std::string spread_text(const measured* one) {
    if (one == nullptr || one->speeds.size() < 2) return "";
    return fmt::format("{:.0f}%", 100 * (1 - one->median() / one->best()));
}

const measured* any_variant(const results& all, std::string_view question, std::string_view contestant) {
    for (const std::string& variant : all.variants(question)) {
        if (const measured* one = all.find(question, variant, contestant)) return one;
    }
    return nullptr;
}

std::string ratios_table(const question& asked, const results& all) {
    std::vector<std::string> others{std::string(yardstick)};
    for (const peer_entry& entry : known_peers()) others.emplace_back(entry.name);

    std::vector<table_column> columns{{"", ""}, {"", "bits/key"}, {"", "removed"}};
    const auto variants = all.variants(asked.name);
    for (const std::string& variant : variants) {
        const std::string group = fmt::format("{}, {}", variant, asked.unit);
        columns.push_back({group, "best"});
        columns.push_back({group, "spread"});
        for (const std::string& other : others) columns.push_back({group, "x " + other});
        columns.push_back({group, "of raw"});
    }
    text_table table(std::move(columns));
    for (const std::string& contestant : all.contestants(asked.name)) {
        const measured* some = any_variant(all, asked.name, contestant);
        std::vector<std::string> row{contestant, counter_text(some, bits_counter, 1, ""),
                                     counter_text(some, removed_counter, 100, "%")};
        for (const std::string& variant : variants) {
            const measured* one = all.find(asked.name, variant, contestant);
            row.push_back(speed_text(one));
            row.push_back(spread_text(one));
            for (const std::string& other : others) {
                row.push_back(one == nullptr || other == contestant ? "" : ratio_text(ratio_to(other, *one, all)));
            }
            row.push_back(one == nullptr ? "" : ratio_text(ratio_to("raw", *one, all)));
        }
        table.add(std::move(row));
    }
    return table.text();
}

std::string columns_table(const question& asked, const results& all) {
    std::vector<table_column> columns{{"", ""}};
    const auto variants = all.variants(asked.name);
    for (const std::string& variant : variants) columns.push_back({std::string(asked.unit), variant});
    text_table table(std::move(columns));
    for (const std::string& contestant : all.contestants(asked.name)) {
        std::vector<std::string> row{contestant};
        for (const std::string& variant : variants)
            row.push_back(speed_text(all.find(asked.name, variant, contestant)));
        table.add(std::move(row));
    }
    return table.text();
}

std::string space_table(const question& asked, const results& all) {
    std::vector<table_column> columns{{"", ""}};
    const auto variants = all.variants(asked.name);
    for (const std::string& variant : variants) {
        for (const char* heading : {"bits/key", "rate", "overhead"})
            columns.push_back({"planned for " + variant, heading});
    }
    text_table table(std::move(columns));
    for (const std::string& contestant : all.contestants(asked.name)) {
        std::vector<std::string> row{contestant};
        for (const std::string& variant : variants) {
            const measured* one = all.find(asked.name, variant, contestant);
            row.push_back(counter_text(one, bits_counter, 1, ""));
            row.push_back(counter_text(one, measured_rate_counter, 100, "%"));
            row.push_back(counter_text(one, overhead_counter, 100, "%"));
        }
        table.add(std::move(row));
    }
    return table.text();
}

std::string table_of(const question& asked, const results& all) {
    switch (asked.layout) {
    case table_layout::ratios: return ratios_table(asked, all);
    case table_layout::columns: return columns_table(asked, all);
    case table_layout::space: return space_table(asked, all);
    }
    return {};
}

std::string errors_of(const question& asked, const results& all) {
    std::string text;
    for (const measured& one : all.all()) {
        if (one.name.question == asked.name && !one.error.empty()) {
            text += fmt::format("error in {}: {}\n", one.name.text(), one.error);
        }
    }
    return text;
}

} // namespace

std::string tables_text(const results& all) {
    std::string text;
    for (const question& asked : questions) {
        const std::string errors = errors_of(asked, all);
        if (all.contestants(asked.name).empty()) continue;
        text += fmt::format("\n{}: {}\n\n{}{}", asked.name, asked.title, table_of(asked, all), errors);
    }
    return text;
}

} // namespace everbloom::bench
