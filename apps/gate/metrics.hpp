// The counters of a gate in Prometheus' text format, for a collector that reads files (node_exporter's textfile collector).
#pragma once

#include "gate/report.hpp"

#include <string>

namespace everbloom::cli {

[[nodiscard]] std::string metrics_text(const gate_report& report);

} // namespace everbloom::cli
