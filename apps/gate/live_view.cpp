#include "gate/live_view.hpp"

#include "output/message.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace everbloom::cli {

live_view::~live_view() { wipe(); }

void live_view::wipe() const {
    if (lines_ != 0) say("\x1b[{}A\r\x1b[J", lines_); // move up to the first line and clear below
}

void live_view::show(const gate_report& report, double rate) {
    wipe();
    const std::string text = live_text(report, source_, rate, hint_);
    lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    say_text(text);
}

std::string live_text(const gate_report& report, const std::string& source, double rate, std::string_view hint) {
    const gate& judged = report.judged;
    const gate_counters& counters = judged.counters();
    const auto seconds = static_cast<std::uint64_t>(report.seconds);
    std::string text = fmt::format("everbloom gate  {}  {:02}:{:02}:{:02}  {} packets/s{}{}\n", source, seconds / 3600,
                                   seconds / 60 % 60, seconds % 60, short_count(rate), hint.empty() ? "" : "  ", hint);
    text +=
        fmt::format("  accepted {:>12}   bad {:>8}   rejected {:>10}   undecodable {:>8}\n", grouped(counters.accepted),
                    grouped(counters.bad), grouped(counters.rejected), grouped(report.totals.undecodable()));
    text +=
        fmt::format("  senders  {:>12}   banned {:>5}   evicted {:>11}   memory {:>13}\n",
                    grouped(judged.senders().senders()), grouped(counters.moved), grouped(judged.senders().evicted()),
                    bytes_text(judged.senders().bytes() + judged.flows().bytes() + memory_of_sets(judged)));
    if (!report.worst.empty()) text += fmt::format("  {:<40} {:>8} {:>10}\n", "top offenders", "bad", "rejected");
    for (const offender& one : report.worst)
        text += fmt::format("  {:<40} {:>8} {:>10}\n", one.address.text(), grouped(one.bad), grouped(one.rejected));
    return text;
}

} // namespace everbloom::cli
