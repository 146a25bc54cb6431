#include "gate/metrics.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

namespace everbloom::cli {
namespace {

struct metric_value {
    std::string_view label; // verdict="accept"; empty: none
    double value;
};

void append_metric(std::string& text, std::string_view name, std::string_view type, std::string_view meaning,
                   std::initializer_list<metric_value> values) {
    text += fmt::format("# HELP everbloom_gate_{0} {2}\n# TYPE everbloom_gate_{0} {1}\n", name, type, meaning);
    for (const metric_value& one : values) {
        text += one.label.empty() ? fmt::format("everbloom_gate_{} {}\n", name, one.value)
                                  : fmt::format("everbloom_gate_{}{{{}}} {}\n", name, one.label, one.value);
    }
}

double number(std::uint64_t count) { return static_cast<double>(count); }

} // namespace

std::string metrics_text(const gate_report& report) {
    const gate& judged = report.judged;
    const gate_counters& counted = judged.counters();
    const flow_table& flows = judged.flows();
    std::string text;
    append_metric(text, "packets_total", "counter", "Packets by verdict.",
                  {{R"(verdict="accept")", number(counted.accepted)},
                   {R"(verdict="bad")", number(counted.bad)},
                   {R"(verdict="reject")", number(counted.rejected)},
                   {R"(verdict="undecodable")", number(report.totals.undecodable())}});
    append_metric(text, "strikes_total", "counter", "Packets in which a pattern ended.",
                  {{"", number(counted.strikes)}});
    append_metric(text, "bans_total", "counter", "Senders banned for three strikes.", {{"", number(counted.moved)}});
    append_metric(text, "dropped_packets_total", "counter", "Packets that the kernel dropped in this run.",
                  {{"", number(report.dropped_by_system)}});
    append_metric(text, "senders", "gauge", "Senders with strikes and history.",
                  {{"", number(judged.senders().senders())}});
    append_metric(text, "senders_evicted_total", "counter", "Senders evicted from the table.",
                  {{"", number(judged.senders().evicted())}});
    append_metric(text, "tcp_connections", "gauge", "TCP connections tracked.", {{"", number(flows.flows())}});
    append_metric(text, "tcp_connections_evicted_total", "counter", "TCP connections evicted from the table.",
                  {{"", number(flows.counters().evicted)}});
    append_metric(text, "tcp_segments_total", "counter", "TCP segments out of order.",
                  {{R"(order="repeated")", number(flows.counters().repeated)},
                   {R"(order="trimmed")", number(flows.counters().trimmed)},
                   {R"(order="late")", number(flows.counters().late)}});
    append_metric(text, "tcp_gaps_total", "counter", "Gaps in TCP streams.", {{"", number(flows.counters().gaps)}});
    append_metric(text, "memory_bytes", "gauge", "Memory by part.",
                  {{R"(part="sets")", number(memory_of_sets(judged))},
                   {R"(part="senders")", number(judged.senders().bytes())},
                   {R"(part="tcp")", number(flows.bytes())}});
    if (judged.filters() != nullptr) {
        append_metric(text, "filter_fpr", "gauge", "False positive rate of the filters by their models.",
                      {{R"(filter="bad_ips")", judged.model_of_bad_ips()},
                       {R"(filter="good_ips")", judged.model_of_good_ips()},
                       {R"(filter="bad_data")", judged.model_of_bad_data()}});
    }
    return text;
}

} // namespace everbloom::cli
