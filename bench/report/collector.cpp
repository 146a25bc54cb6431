#include "report/collector.hpp"

#include <algorithm>

namespace everbloom::bench {

void collector::ReportRuns(const std::vector<Run>& runs) {
    if (listener_ != nullptr) listener_->ReportRuns(runs);
    for (const Run& run : runs) {
        // Medians arrive alone when somebody asked for aggregates only; otherwise they change neither the best nor the median.
        if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median") continue;
        measured& one = collected_.at(measurement_name::parse(run.run_name.function_name));
        if (run.error_occurred) {
            one.error = run.error_message;
            continue;
        }
        for (const auto& [name, value] : run.counters) {
            if (name == "items_per_second" || name == "bytes_per_second") {
                one.speeds.push_back(value.value);
            } else {
                one.counters[name] = value.value;
            }
        }
    }
}

} // namespace everbloom::bench
