// gate_run: runs packets of a source through a gate, with verdicts, progress and periodic reports.
#pragma once

#include "gate/ban_export.hpp"
#include "gate/checkpoints.hpp"
#include "gate/event_log.hpp"
#include "gate/gate.hpp"
#include "gate/live_view.hpp"
#include "gate/offenders.hpp"
#include "gate/packet_source.hpp"
#include "gate/state.hpp"
#include "gate/verdict_file.hpp"
#include "output/progress.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

enum class on_undecodable { drop, pass };

struct run_options {
    on_undecodable undecodable = on_undecodable::drop;
    std::optional<std::uint64_t> most_packets;
    std::optional<double> most_seconds;
    /// Seconds between two reports; none without it.
    std::optional<double> report_every;
    progress::mode shown = progress::mode::silent;
};

class gate_run {
public:
    gate_run(gate& judged, gate_history& history, std::optional<verdict_file> verdicts, std::optional<event_log> events,
             const run_options& options)
        : judged_(judged), history_(history), verdicts_(std::move(verdicts)), events_(std::move(events)),
          options_(options) {}

    /// Called every `report_every` seconds with the current report and the packets per second since the last call.
    using reporter = std::function<result<void>(const gate_report&, double packets_per_second)>;

    /// Runs until the source ends, a limit is reached, or cancellation is requested.
    [[nodiscard]] result<void> run(packet_source& source, const cancellation& cancel, const reporter& callback,
                                   checkpoints saves = {});
    /// Completes the files of verdicts and events.
    [[nodiscard]] result<void> finish();

    [[nodiscard]] gate_report report() const;
    [[nodiscard]] const std::vector<ip_address>& banned() const noexcept { return banned_; }

private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] result<void> take(std::span<const packet> packets);
    [[nodiscard]] result<void> judge(std::span<const packet> packets);
    [[nodiscard]] bool enough() const;

    gate& judged_;
    gate_history& history_;
    std::optional<verdict_file> verdicts_;
    std::optional<event_log> events_;
    run_options options_;
    offenders offenders_;
    std::vector<ip_address> banned_;
    std::vector<packet> decodable_;
    std::array<verdict, packets_at_once> said_{};
    std::array<verdict, packets_at_once> truths_{};
    clock::time_point begun_ = clock::now();
    std::uint64_t packets_now_ = 0;
    std::uint64_t dropped_by_system_ = 0;
};

} // namespace everbloom::cli
