// Report of a gate run, at its end or in the middle of it.
#pragma once

#include "gate/gate.hpp"
#include "gate/offenders.hpp"
#include "gate/totals.hpp"
#include "output/json_output.hpp"

#include <string>
#include <vector>

namespace everbloom::cli {

struct asked_address {
    ip_address address;
    standing said;
    std::optional<standing> truth;
};

struct gate_report {
    const gate& judged;
    gate_totals totals = {};
    double seconds = 0;                  // of this run
    std::uint64_t packets_now = 0;       // of this run
    std::uint64_t dropped_by_system = 0; // on an interface
    std::vector<offender> worst = {};
    std::vector<asked_address> answers = {};
};

/// Bytes of the sets whose verdicts count: filters if there are filters, and what both need.
[[nodiscard]] std::size_t memory_of_sets(const gate& judged);

[[nodiscard]] json json_of(const gate_report& report);
[[nodiscard]] std::string text_of(const gate_report& report);
/// One line: "1.2.3.4 BAD".
[[nodiscard]] std::string text_of(const asked_address& answer);

/// Wrong answers of the filters, and the number that the models predict.
struct wrong_answers {
    std::uint64_t asked = 0;
    std::uint64_t wrong = 0;
    double expected = 0;
};
[[nodiscard]] wrong_answers judge_answers(const gate_report& report);

} // namespace everbloom::cli
