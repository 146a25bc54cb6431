// Results: what came out of all repetitions, by name.
#pragma once

#include "measurements.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::bench {

struct measured {
    measurement_name name;
    std::vector<double> speeds; // keys, lines or bytes per second, one per repetition
    std::map<std::string, double> counters;
    std::string error; // empty: none

    /// The best repetition: whatever else the machine did can only have slowed the others down.
    [[nodiscard]] double best() const;
    [[nodiscard]] double median() const;
    [[nodiscard]] std::optional<double> counter(const std::string& wanted) const;
};

class results {
public:
    /// The measurement of that name, which is added if it is new.
    [[nodiscard]] measured& at(const measurement_name& name);
    /// Null if it was not measured, or ended with an error.
    [[nodiscard]] const measured* find(std::string_view question, std::string_view variant,
                                       std::string_view contestant) const;
    [[nodiscard]] const std::vector<measured>& all() const noexcept { return all_; }

    /// Repetitions are shuffled, so results arrive in any order: back to the order in which they were added to the run.
    void sort_as_added();

    /// The different ones of a question.
    [[nodiscard]] std::vector<std::string> variants(std::string_view question) const;
    [[nodiscard]] std::vector<std::string> contestants(std::string_view question) const;

private:
    std::vector<measured> all_;
};

} // namespace everbloom::bench
