// everbloom_bench: reads its flags, adds the measurements of all questions, lets Google Benchmark run them, and reports.
#include "machine.hpp"
#include "measurements.hpp"
#include "peers/peer.hpp"
#include "planned.hpp"
#include "questions.hpp"
#include "report/collector.hpp"
#include "report/json_file.hpp"
#include "report/tables.hpp"
#include "settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace everbloom::bench {
namespace {

constexpr int exit_wrong_answers = 1;
constexpr int exit_unusable = 2;

int complain(const std::string& sentence) {
    fmt::print(stderr, "everbloom_bench: {}\n", sentence);
    return exit_unusable;
}

/// How long and how often. Repetitions are short and many rather than long and few: the best of many is hardly disturbed by others who
/// use the machine.
struct pacing {
    double repetition_seconds;
    int repetitions;
};

pacing choose_pacing(const settings& run, std::size_t measurements) {
    if (run.pace == haste::quick) return {0.01, 5};
    constexpr double seconds = 0.05;
    constexpr double all_seconds = 100;
    constexpr double besides = 1.6; // finding the number of iterations, and refilling filters outside the clock
    const double fitting =
        all_seconds / (besides * seconds * static_cast<double>(std::max<std::size_t>(measurements, 1)));
    return {seconds, static_cast<int>(std::clamp(fitting, 5.0, 20.0))};
}

/// The last --benchmark_filter, which is the one that counts.
std::string filter_of(const settings& run) {
    constexpr std::string_view flag = "--benchmark_filter=";
    std::string filter = ".";
    for (const std::string& argument : run.passed_on) {
        if (argument.starts_with(flag)) filter = argument.substr(flag.size());
    }
    return filter;
}

/// Google Benchmark with our defaults; what the user says about the same flags comes later and wins. False if it does not know one.
[[nodiscard]] bool initialize_library(const settings& run, const pacing& pace) {
    static std::vector<std::string> arguments; // the library keeps pointers into them
    arguments = {
        "everbloom_bench",
        "--benchmark_enable_random_interleaving=true",
        fmt::format("--benchmark_min_time={}", pace.repetition_seconds),
        fmt::format("--benchmark_repetitions={}", pace.repetitions),
    };
    arguments.insert(arguments.end(), run.passed_on.begin(), run.passed_on.end());
    std::vector<char*> pointers;
    pointers.reserve(arguments.size());
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data());
    return !benchmark::ReportUnrecognizedArguments(count, pointers.data());
}

/// All filters live at once, so that their repetitions can be shuffled; better to refuse than to be killed half way.
result<void> check_memory(const settings& run) {
    std::uint64_t largest = 0;
    std::uint64_t bytes = 5 * sizeof(std::uint64_t) * run.items;
    for (const planned_kind& one : planned_kinds()) {
        bytes += one.payload_bytes;
        largest = std::max(largest, one.payload_bytes);
    }
    // A filter per peer stays too; loading, saving and the arrays of memory_bound come and go.
    bytes += (known_peers().size() + 3) * largest;
    const std::uint64_t free_bytes = available_memory_bytes();
    if (bytes <= free_bytes) return {};
    return fail(failure_reason::out_of_memory,
                fmt::format("{} items of these kinds need {} MiB and {} MiB are free; name fewer with --kinds",
                            run.items, bytes >> 20, free_bytes >> 20));
}

void print_preface(const settings& run) {
    fmt::print(
        "{} keys per filter, planned for a rate of {}%. The best repetition of each counts.\n{}; {}; load {:.1f}\n",
        run.items, 100 * run.fpr, machine_text(), compiler_text(), machine_load());
    for (const peer_entry& entry : known_peers()) {
        fmt::print("{}: version {}, with the bits of `{}`\n", entry.name, entry.version, entry.rival);
    }
    fmt::print(
        "spread: how far the median stays behind the best. x other: times its speed. of raw: share of the "
        "lines/s\nthat memory of the filter's size allows, read plainly (single) or as fast as possible (batch).\n");
}

bool has_errors(const results& all) {
    return std::any_of(all.all().begin(), all.all().end(), [](const measured& one) { return !one.error.empty(); });
}

int run(const settings& wanted) {
    for (const question& one : questions) one.register_all();
    const std::size_t measurements = count_matching(filter_of(wanted));
    if (!initialize_library(wanted, choose_pacing(wanted, measurements))) {
        return complain("see --help for the flags there are");
    }
    const bool measuring = !wanted.passes_on("--benchmark_list_tests");
    if (measuring) {
        if (auto checked = check_memory(wanted); !checked) return complain(checked.error().sentence);
    }
    const bool own_tables = measuring && !wanted.passes_on("--benchmark_format");
    collector heard(own_tables ? nullptr : benchmark::CreateDefaultDisplayReporter());
    if (own_tables && isatty(STDERR_FILENO) != 0) {
        fmt::print(stderr, "everbloom_bench: {} measurements, their repetitions shuffled; tables come at the end\n",
                   measurements);
    }
    if (benchmark::RunSpecifiedBenchmarks(&heard) == 0) return exit_unusable;
    if (own_tables) {
        print_preface(wanted);
        fmt::print("{}", tables_text(heard.collected()));
    }
    if (!wanted.json_path.empty()) {
        if (auto written = write_json(heard.collected(), wanted.json_path); !written) {
            return complain(written.error().sentence);
        }
    }
    return has_errors(heard.collected()) ? exit_wrong_answers : 0;
}

} // namespace
} // namespace everbloom::bench

int main(int argc, char** argv) {
    using namespace everbloom::bench;
    auto read = read_settings(std::vector<std::string>(argv + 1, argv + argc));
    if (!read) return complain(read.error().sentence);
    if (read->wanted == wish::explain) {
        fmt::print("{}", help_text());
        return 0;
    }
    set_run_settings(std::move(*read));
    return run(run_settings());
}
