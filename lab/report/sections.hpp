// Sections of a report, one per input: a title and a body.
#pragma once

#include "lab/report/json_input.hpp"
#include "lab/report/markup.hpp"

#include <string>

namespace everbloom::cli::html {

struct section {
    std::string kicker; // what it is: "Simulation: FILE"
    std::string title;
    markup body;
};

[[nodiscard]] result<section> filter_section(const std::string& path);

/// A reproduced paper; `folder` holds its pictures (empty: none). `id` is unique among the sections.
[[nodiscard]] section paper_section(const document& paper, const std::string& folder, const std::string& id);

/// Output of Google Benchmark or of `bench --json`.
[[nodiscard]] section bench_section(const document& measured, const std::string& name);

[[nodiscard]] section simulation_section(const document& simulated, const std::string& name);
[[nodiscard]] section plan_section(const document& planned, const std::string& name);
[[nodiscard]] section gate_section(const document& guarded, const std::string& name);

/// A measured number and its prediction.
struct compared_row {
    std::string what;
    std::optional<double> predicted;
    std::optional<double> measured;
    std::string interval = "–";
};
[[nodiscard]] markup comparison_table(const std::vector<compared_row>& rows);

/// The table and notes of one simulation, also part of a plan.
[[nodiscard]] markup simulation_body(const document& simulated);

} // namespace everbloom::cli::html
