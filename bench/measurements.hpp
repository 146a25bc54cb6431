// Measurements: what Google Benchmark calls a benchmark, with a name of three parts.
//
//     question/variant/contestant        lookup_absent/batch/blocked
//
// The contestant is a kind of ours, a peer, a hash function or a size of memory. The report takes the name apart again.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::bench {

struct measurement_name {
    std::string question;
    std::string variant;
    std::string contestant;

    [[nodiscard]] std::string text() const { return question + "/" + variant + "/" + contestant; }
    [[nodiscard]] static measurement_name parse(std::string_view text);
};

/// The names of all measurements added so far.
[[nodiscard]] std::vector<std::string>& added_measurements();

/// How many of them a --benchmark_filter lets through: a regular expression, or "-" and one for what is left out.
[[nodiscard]] std::size_t count_matching(std::string_view filter);

/// `time(state)` measures.
template <class Time>
benchmark::internal::Benchmark* add_measurement(std::string_view question, std::string_view variant,
                                                std::string_view contestant, Time time) {
    const measurement_name name{std::string(question), std::string(variant), std::string(contestant)};
    added_measurements().push_back(name.text());
    return benchmark::RegisterBenchmark(name.text().c_str(), time);
}

// Names of the counters that the report reads.
inline constexpr const char* payload_counter = "payload_bytes";
inline constexpr const char* bits_counter = "bits_per_key";
inline constexpr const char* removed_counter = "removed_share";
inline constexpr const char* planned_rate_counter = "planned_fpr";
inline constexpr const char* measured_rate_counter = "measured_fpr";
inline constexpr const char* overhead_counter = "overhead";

} // namespace everbloom::bench
