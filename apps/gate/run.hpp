// gate_run: packets from a source through a gate, and everything that is to be told meanwhile: verdicts, progress, a view, JSON lines, bans.
#pragma once

#include "gate/ban_export.hpp"
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

struct run_wishes {
    on_undecodable undecodable = on_undecodable::drop;
    std::optional<std::uint64_t> most_packets;
    std::optional<double> most_seconds;
    /// Between two calls of `tell`; none without it.
    std::optional<double> tell_every;
    progress::mode shown = progress::mode::silent;
};

class gate_run {
public:
    gate_run(gate& judged, gate_history& history, std::optional<verdict_file> verdicts, const run_wishes& wishes)
        : judged_(judged), history_(history), verdicts_(std::move(verdicts)), wishes_(wishes) {}

    /// Called every `tell_every` seconds with the state of things and the rate since the last call.
    using teller = std::function<result<void>(const gate_report&, double packets_per_second)>;

    /// Until the source ends, a limit is reached, or `cancel` is requested.
    [[nodiscard]] result<void> run(packet_source& source, const cancellation& cancel, const teller& tell);
    /// The verdicts are complete.
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
    run_wishes wishes_;
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
