#include "gate/run.hpp"

#include "output/message.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace everbloom::cli {
namespace {

constexpr std::size_t worst_shown = 5;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

} // namespace

gate_report gate_run::report() const {
    return {.judged = judged_,
            .totals = history_.totals,
            .seconds = seconds_between(begun_, clock::now()),
            .packets_now = packets_now_,
            .dropped_by_system = dropped_by_system_,
            .worst = offenders_.worst(worst_shown),
            .answers = {}};
}

bool gate_run::enough() const {
    if (options_.most_packets && packets_now_ >= *options_.most_packets) return true;
    return options_.most_seconds && seconds_between(begun_, clock::now()) >= *options_.most_seconds;
}

result<void> gate_run::run(packet_source& source, const cancellation& cancel, const reporter& callback,
                           checkpoints saves) {
    progress bar(options_.shown, source.file_bytes(), "packets");
    std::uint64_t offset = 0;
    clock::time_point reported = begun_;
    std::uint64_t reported_packets = 0;
    while (!source.ended() && !cancel.requested() && !enough()) {
        auto packets = source.next();
        if (!packets) return fail(std::move(packets.error()));
        std::span<const packet> some = *packets;
        if (options_.most_packets)
            some = some.first(std::min<std::size_t>(some.size(), *options_.most_packets - packets_now_));
        if (auto taken = take(some); !taken) return taken;
        bar.advance(some.size(), source.file_offset() - offset);
        offset = source.file_offset();
        dropped_by_system_ = options_.report_every ? source.dropped_by_system() : 0;
        const auto now = options_.report_every ? clock::now() : reported;
        if (const double passed = seconds_between(reported, now);
            options_.report_every && passed >= *options_.report_every) {
            if (verdicts_) {
                if (auto flushed = verdicts_->flush(); !flushed) return flushed;
            }
            if (events_) {
                if (auto flushed = events_->flush(); !flushed) return flushed;
            }
            const auto rate = static_cast<double>(packets_now_ - reported_packets) / passed;
            if (auto called = callback(report(), rate); !called) return called;
            reported = now;
            reported_packets = packets_now_;
        }
        if (auto saved = saves.after(packets_now_); !saved) return saved;
    }
    dropped_by_system_ = source.dropped_by_system();
    if (const std::string what = source.cut_off(); !what.empty() && !enough()) {
        say("everbloom: {}\n", what);
        const packet rest{.sender = {}, .payload = {}, .how = decoding::headers_cut};
        return take(std::span(&rest, 1));
    }
    return {};
}

/// Undecodable packets are counted and not judged.
result<void> gate_run::take(std::span<const packet> packets) {
    if (std::ranges::all_of(packets, &packet::decodable)) return judge(packets);
    const verdict passing = options_.undecodable == on_undecodable::pass ? verdict::accept : verdict::reject;
    while (!packets.empty()) {
        const auto stop = std::ranges::find_if_not(packets, &packet::decodable);
        const auto before = static_cast<std::size_t>(stop - packets.begin());
        if (auto judged = judge(packets.first(before)); !judged) return judged;
        packets = packets.subspan(before);
        if (packets.empty()) break;
        if (verdicts_) {
            auto written = verdicts_->write(history_.totals.packets, packets.front(), passing, std::nullopt);
            if (!written) return written;
        }
        history_.totals.note(packets.front());
        ++packets_now_;
        packets = packets.subspan(1);
    }
    return {};
}

result<void> gate_run::judge(std::span<const packet> packets) {
    if (auto judged = judged_.judge(packets, said_, truths_); !judged) return judged;
    if (events_) {
        auto written = events_->write(judged_.strikes(), history_.totals.packets, judged_.patterns());
        if (!written) return written;
    }
    const bool both = judged_.plan().mode == gate_mode::compare;
    for (std::size_t i = 0; i < packets.size(); ++i) {
        if (said_[i] != verdict::accept) offenders_.note(packets[i].sender, said_[i]);
        if (verdicts_) {
            auto written = verdicts_->write(history_.totals.packets, packets[i], said_[i],
                                            both ? std::optional(truths_[i]) : std::nullopt);
            if (!written) return written;
        }
        history_.totals.note(packets[i]);
    }
    packets_now_ += packets.size();
    for (const strike& one : judged_.strikes()) {
        if (one.count == strikes_to_be_out) banned_.push_back(one.sender);
    }
    return {};
}

result<void> gate_run::finish() {
    if (verdicts_) {
        if (auto finished = verdicts_->finish(); !finished) return finished;
    }
    return events_ ? events_->flush() : result<void>{};
}

} // namespace everbloom::cli
