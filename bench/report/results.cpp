#include "report/results.hpp"

#include <algorithm>

namespace everbloom::bench {
namespace {

/// The different values of one part of the names of a question's measurements.
std::vector<std::string> parts_of(const std::vector<measured>& all, std::string_view question,
                                  std::string measurement_name::*part) {
    std::vector<std::string> seen;
    for (const measured& one : all) {
        const std::string& value = one.name.*part;
        if (one.name.question != question) continue;
        if (std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
    }
    return seen;
}

} // namespace

double measured::best() const { return speeds.empty() ? 0 : *std::max_element(speeds.begin(), speeds.end()); }

double measured::median() const {
    if (speeds.empty()) return 0;
    std::vector<double> sorted = speeds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

std::optional<double> measured::counter(const std::string& wanted) const {
    const auto found = counters.find(wanted);
    if (found == counters.end()) return std::nullopt;
    return found->second;
}

measured& results::at(const measurement_name& name) {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const measured& one) { return one.name.text() == name.text(); });
    if (found != all_.end()) return *found;
    all_.push_back({name, {}, {}, {}});
    return all_.back();
}

const measured* results::find(std::string_view question, std::string_view variant, std::string_view contestant) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const measured& one) {
        return one.name.question == question && one.name.variant == variant && one.name.contestant == contestant;
    });
    return found == all_.end() || !found->error.empty() ? nullptr : &*found;
}

void results::sort_as_added() {
    const auto& added = added_measurements();
    const auto place = [&](const measured& one) { return std::find(added.begin(), added.end(), one.name.text()); };
    std::stable_sort(all_.begin(), all_.end(),
                     [&](const measured& a, const measured& b) { return place(a) < place(b); });
}

std::vector<std::string> results::variants(std::string_view question) const {
    return parts_of(all_, question, &measurement_name::variant);
}

std::vector<std::string> results::contestants(std::string_view question) const {
    return parts_of(all_, question, &measurement_name::contestant);
}

} // namespace everbloom::bench
