// Benchmark results from either of two files: `bench --json`, or Google Benchmark's --benchmark_out.
//
// Measurements are called question/variant/contestant (docs/performance.md); of several repetitions the best one counts.
#pragma once

#include "lab/report/json_input.hpp"

#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli::html {

struct bench_result {
    std::string question;
    std::string variant;
    std::string contestant;
    double best = 0; // per second; 0: not timed
    std::string error;
    document counters;
};

struct bench_results {
    std::vector<bench_result> all; // in the order of the run's tables

    [[nodiscard]] static bench_results read(const document& measured);

    [[nodiscard]] std::vector<std::string> questions() const;
    [[nodiscard]] std::vector<std::string> variants(const std::string& question) const;
    [[nodiscard]] std::vector<std::string> contestants(const std::string& question) const;
    [[nodiscard]] const bench_result* find(const std::string& question, const std::string& variant,
                                           const std::string& contestant) const;
    /// Speed relative to another contestant: at the same operation, or at single operations if it has no batches.
    [[nodiscard]] std::optional<double> ratio(const bench_result& one, const std::string& other) const;
};

} // namespace everbloom::cli::html
