#include "lab/report/bench_results.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace everbloom::cli::html {
namespace {

constexpr std::size_t most_results = 2000;

/// Google Benchmark appends how it measured: "space/1%/dfp/iterations:1/repeats:1", "load_save/map/dfp/real_time".
std::string without_manner(std::string name) {
    constexpr std::array<std::string_view, 7> manners{
        "iterations:", "repeats:", "min_time:", "threads:", "real_time", "manual_time", "process_time"};
    while (true) {
        const auto slash = name.rfind('/');
        if (slash == std::string::npos) return name;
        const std::string_view last = std::string_view(name).substr(slash + 1);
        const bool is_manner =
            std::any_of(manners.begin(), manners.end(), [&](std::string_view one) { return last.starts_with(one); });
        if (!is_manner) return name;
        name.resize(slash);
    }
}

bench_result named(const std::string& name) {
    const auto first = std::min(name.find('/'), name.size());
    const auto last = std::max(first, std::min(name.rfind('/'), name.size()));
    if (last >= name.size()) return {name, "", name, 0, {}, {}};
    return {name.substr(0, first),
            last > first ? name.substr(first + 1, last - first - 1) : "",
            name.substr(last + 1),
            0,
            {},
            {}};
}

bench_results of_google(const document& measured) {
    struct placed {
        bench_result one;
        double family = 0;
    };
    std::map<std::string, placed> by_name;
    for (const document& run : list_of(measured, "benchmarks")) {
        if (text_of(run, "run_type") == "aggregate") continue;
        const std::string name = without_manner(text_of(run, "name"));
        if (name.empty() || (by_name.size() >= most_results && !by_name.contains(name))) continue;
        placed& seen =
            by_name.try_emplace(name, placed{named(name), number_of(run, "family_index").value_or(0)}).first->second;
        const auto items = number_of(run, "items_per_second");
        seen.one.best = std::max(seen.one.best, items ? *items : number_of(run, "bytes_per_second").value_or(0));
        if (seen.one.counters.is_null()) seen.one.counters = run;
        if (member_of(run, "error_occurred") == true) seen.one.error = text_of(run, "error_message");
    }
    std::vector<placed> sorted;
    sorted.reserve(by_name.size());
    for (auto& [name, one] : by_name) sorted.push_back(std::move(one));
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const placed& a, const placed& b) { return a.family < b.family; });
    bench_results made;
    for (placed& one : sorted) made.all.push_back(std::move(one.one));
    return made;
}

bench_results of_ours(const document& measured) {
    bench_results made;
    for (const document& one : list_of(measured, "measurements")) {
        if (made.all.size() >= most_results) break;
        made.all.push_back({text_of(one, "question"), text_of(one, "variant"), text_of(one, "contestant"),
                            number_of(one, "best_per_second").value_or(0), text_of(one, "error"), one});
    }
    return made;
}

/// Distinct values, in order.
template <class Part>
std::vector<std::string> parts_of(const std::vector<bench_result>& all, Part part) {
    std::vector<std::string> seen;
    for (const bench_result& one : all) {
        const std::optional<std::string> value = part(one);
        if (value && std::find(seen.begin(), seen.end(), *value) == seen.end()) seen.push_back(*value);
    }
    return seen;
}

} // namespace

bench_results bench_results::read(const document& measured) {
    return list_of(measured, "benchmarks").empty() ? of_ours(measured) : of_google(measured);
}

std::vector<std::string> bench_results::questions() const {
    return parts_of(all, [](const bench_result& one) { return std::optional(one.question); });
}

std::vector<std::string> bench_results::variants(const std::string& question) const {
    return parts_of(all, [&](const bench_result& one) {
        return one.question == question ? std::optional(one.variant) : std::nullopt;
    });
}

std::vector<std::string> bench_results::contestants(const std::string& question) const {
    return parts_of(all, [&](const bench_result& one) {
        return one.question == question ? std::optional(one.contestant) : std::nullopt;
    });
}

const bench_result* bench_results::find(const std::string& question, const std::string& variant,
                                        const std::string& contestant) const {
    const auto found = std::find_if(all.begin(), all.end(), [&](const bench_result& one) {
        return one.contestant == contestant && one.variant == variant && one.question == question;
    });
    return found == all.end() || !found->error.empty() ? nullptr : &*found;
}

std::optional<double> bench_results::ratio(const bench_result& one, const std::string& other) const {
    const bench_result* found = find(one.question, one.variant, other);
    if (found == nullptr) found = find(one.question, "single", other);
    if (found == nullptr || found->best == 0 || one.best == 0) return std::nullopt;
    return one.best / found->best;
}

} // namespace everbloom::cli::html
