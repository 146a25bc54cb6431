#include "gate/report.hpp"

#include "output/wording.hpp"

#include <fmt/format.h>

#include <numeric>

namespace everbloom::cli {
namespace {

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

double per_second(const gate_report& report) { return share(static_cast<double>(report.packets_now), report.seconds); }

std::size_t filter_bytes(const gate& judged) {
    if (judged.filters() == nullptr) return 0;
    return judged.filters()->sets().bytes() + judged.filters()->byte_patterns().bytes() + judged.networks().bytes();
}
std::size_t exact_bytes(const gate& judged) {
    if (judged.exact() == nullptr) return 0;
    return judged.exact()->sets().bytes() + judged.exact()->byte_patterns().bytes() + judged.networks().bytes();
}

/// Distinct senders with an accepted packet, by the exact sets.
std::uint64_t honest_senders(const gate& judged) {
    return judged.exact()->sets().good_ips().size() + judged.exact()->counters().moved;
}

/// Keys in the three sets.
std::uint64_t key_count(const gate& judged) {
    if (const auto* machine = judged.filters()) {
        return machine->sets().bad_count() + machine->sets().good_count() + judged.patterns().count();
    }
    const exact_sets& sets = judged.exact()->sets();
    return sets.bad_ips().size() + sets.good_ips().size() + judged.patterns().count();
}

json json_of(std::string_view kind, std::uint64_t items, std::uint64_t bytes, double model) {
    return {{"kind", kind}, {"items", items}, {"bytes", bytes}, {"fpr_model", model}};
}

json tcp_of(const flow_table& flows) {
    const flow_counters& counted = flows.counters();
    return {{"connections", flows.flows()}, {"evicted", counted.evicted}, {"repeated", counted.repeated},
            {"trimmed", counted.trimmed},   {"gaps", counted.gaps},       {"late", counted.late},
            {"bytes", flows.bytes()}};
}

json reasons_of(const gate_totals& totals) {
    json reasons = json::object();
    for (const decoding how : {decoding::not_ip, decoding::damaged, decoding::headers_cut}) {
        reasons[std::string(decoding_words[static_cast<std::size_t>(how)])] = totals.of(how);
    }
    return reasons;
}

json comparison_of(const gate_report& report) {
    const gate& judged = report.judged;
    const comparison_counts& counts = judged.compared().counts();
    const auto packets = static_cast<double>(counts.honest_packets);
    const std::uint64_t senders = honest_senders(judged);
    const std::uint64_t rejected = judged.compared().rejected_senders().size();
    const auto tests = static_cast<double>(judged.filters()->counters().tests);
    const wrong_answers answers = judge_answers(report);
    const double rejection_model = share(counts.expected_rejections, packets);
    return {{"false_rejections",
             {{"packets", counts.false_rejections},
              {"of_packets", counts.honest_packets},
              {"rate", share(static_cast<double>(counts.false_rejections), packets)},
              {"senders", rejected},
              {"of_senders", senders},
              {"sender_rate", share(static_cast<double>(rejected), static_cast<double>(senders))},
              {"model", rejection_model}}},
            {"false_strikes",
             {{"strikes", counts.false_strikes},
              {"tests", judged.filters()->counters().tests},
              {"rate", share(static_cast<double>(counts.false_strikes), tests)},
              {"model", judged.model_of_bad_data()},
              {"expected", judged.expected_strikes()}}},
            {"wrong_answers",
             {{"queries", answers.asked},
              {"wrong", answers.wrong},
              {"rate", share(static_cast<double>(answers.wrong), static_cast<double>(answers.asked))},
              {"model", share(answers.expected, static_cast<double>(answers.asked))}}},
            {"aftermath", counts.aftermath},
            {"exact",
             {{"accepted", judged.exact()->counters().accepted},
              {"bad", judged.exact()->counters().bad},
              {"rejected", judged.exact()->counters().rejected},
              {"strikes", judged.exact()->counters().strikes},
              {"moved", judged.exact()->counters().moved},
              {"senders", judged.exact()->senders().senders()},
              {"evicted", judged.exact()->senders().evicted()}}}};
}

std::string text_of_comparison(const gate_report& report) {
    const gate& judged = report.judged;
    const comparison_counts& counts = judged.compared().counts();
    const auto packets = static_cast<double>(counts.honest_packets);
    const wrong_answers answers = judge_answers(report);
    const std::uint64_t rejected = judged.compared().rejected_senders().size();
    std::string text = fmt::format("\nFilters compared with exact sets\n  {:<25} {:>10}  {:>14}  {:>12} {:>12}\n", "",
                                   "errors", "of", "FPR", "model FPR");
    const auto row = [&](std::string_view name, std::uint64_t wrong, std::uint64_t of, double model) {
        text += fmt::format("  {:<25} {:>10}  {:>14}  {:>12} {:>12}\n", name, grouped(wrong), grouped(of),
                            rate_text(share(static_cast<double>(wrong), static_cast<double>(of))), rate_text(model));
    };
    row("falsely rejected packets", counts.false_rejections, counts.honest_packets,
        share(counts.expected_rejections, packets));
    row("falsely rejected senders", rejected, honest_senders(judged), share(counts.expected_rejections, packets));
    row("false strikes", counts.false_strikes, judged.filters()->counters().tests, judged.model_of_bad_data());
    if (answers.asked != 0)
        row("wrong answers", answers.wrong, answers.asked, share(answers.expected, static_cast<double>(answers.asked)));
    if (counts.aftermath != 0)
        text += fmt::format("  {} with another verdict as a consequence of false strikes\n",
                            counted(counts.aftermath, "packet"));
    const std::uint64_t keys = key_count(judged);
    text += fmt::format("  memory: filters {}, exact sets {}: {:.1f} times as much\n",
                        size_text(filter_bytes(judged), static_cast<double>(keys)),
                        size_text(exact_bytes(judged), static_cast<double>(keys)),
                        share(static_cast<double>(exact_bytes(judged)), static_cast<double>(filter_bytes(judged))));
    return text;
}

/// Empty if there was no TCP with data.
std::string text_of_tcp(const gate& judged) {
    const flow_counters& tcp = judged.flows().counters();
    if (judged.flows().flows() == 0) return "";
    std::string text = fmt::format("  TCP: {} tracked", counted(judged.flows().flows(), "connection"));
    const auto add = [&](std::uint64_t count, std::string_view what) {
        if (count != 0) text += fmt::format(", {} {}", grouped(count), what);
    };
    add(tcp.evicted, "evicted");
    add(tcp.repeated, "repeated");
    add(tcp.trimmed, "trimmed");
    add(tcp.late, "late");
    if (tcp.gaps != 0) text += ", " + counted(tcp.gaps, "gap");
    add(judged.counters().repeated_bad, "bad without a strike");
    return text + "\n";
}

std::string text_of_undecodable(const gate_totals& totals) {
    if (totals.undecodable() == 0) return "";
    return fmt::format(" ({} not IP, {} damaged, {} with truncated headers)", grouped(totals.of(decoding::not_ip)),
                       grouped(totals.of(decoding::damaged)), grouped(totals.of(decoding::headers_cut)));
}

} // namespace

std::size_t memory_of_sets(const gate& judged) {
    return judged.filters() != nullptr ? filter_bytes(judged) : exact_bytes(judged);
}

wrong_answers judge_answers(const gate_report& report) {
    wrong_answers made;
    if (report.judged.filters() == nullptr || report.judged.exact() == nullptr) return made;
    const double bad = report.judged.model_of_bad_ips();
    const double good = report.judged.model_of_good_ips();
    for (const asked_address& one : report.answers) {
        ++made.asked;
        if (one.truth != one.said) ++made.wrong;
        if (one.truth == standing::good) made.expected += bad;
        if (one.truth == standing::neither) made.expected += bad + (1 - bad) * good;
    }
    return made;
}

json json_of(const gate_report& report) {
    const gate& judged = report.judged;
    const gate_counters& counters = judged.counters();
    json document{{"mode", gate_mode_words[static_cast<std::size_t>(judged.plan().mode)]},
                  {"packets", report.totals.packets},
                  {"accepted", counters.accepted},
                  {"bad", counters.bad},
                  {"rejected", counters.rejected},
                  {"undecodable", report.totals.undecodable()},
                  {"undecodable_reasons", reasons_of(report.totals)},
                  {"cut_short", report.totals.of(decoding::cut_short)},
                  {"strikes", counters.strikes},
                  {"repeated_bad", counters.repeated_bad},
                  {"moved", counters.moved},
                  {"kept_in_good", counters.kept_in_good},
                  {"senders", judged.senders().senders()},
                  {"evicted", judged.senders().evicted()},
                  {"seconds", report.seconds},
                  {"packets_this_run", report.packets_now},
                  {"packets_per_second", per_second(report)},
                  {"dropped_by_system", report.dropped_by_system},
                  {"filter_bytes", filter_bytes(judged)},
                  {"exact_bytes", exact_bytes(judged)},
                  {"sender_bytes", judged.senders().bytes()},
                  {"networks", judged.networks().count()},
                  {"byte_patterns", judged.patterns().bytes.count()},
                  {"tcp", tcp_of(judged.flows())}};
    if (const auto* machine = judged.filters()) {
        const filter_sets& sets = machine->sets();
        const any_filter& bad = sets.bad_ips().filter();
        const any_filter& good = sets.good_ips().filter();
        document["bad_ips"] = json_of(bad.kind(), sets.bad_count(), bad.payload_bytes(), judged.model_of_bad_ips());
        document["good_ips"] =
            json_of(good.kind(), sets.good_count(), good.payload_bytes(), judged.model_of_good_ips());
        document["bad_data"] = json_of(bloom_filter::kind_name, judged.patterns().words.count(),
                                       sets.bad_data().bytes(), judged.model_of_bad_data());
    }
    if (judged.plan().mode == gate_mode::compare) document.update(comparison_of(report));
    json worst = json::array();
    for (const offender& one : report.worst) {
        worst.push_back({{"ip", one.address.text()}, {"bad", one.bad}, {"rejected", one.rejected}});
    }
    document["offenders"] = worst;
    if (!report.answers.empty()) {
        json answers = json::array();
        for (const asked_address& one : report.answers) {
            json answer{{"ip", one.address.text()}, {"answer", word_of(one.said)}};
            if (one.truth) answer["truth"] = word_of(*one.truth);
            answers.push_back(std::move(answer));
        }
        document["answers"] = answers;
    }
    return document;
}

std::string text_of(const gate_report& report) {
    const gate& judged = report.judged;
    const gate_counters& counters = judged.counters();
    std::string text = fmt::format("{} in {:.2f} s, {} per second\n", counted(report.packets_now, "packet"),
                                   report.seconds, short_count(per_second(report)));
    if (report.packets_now != report.totals.packets)
        text += fmt::format("  {} in all runs with this state\n", counted(report.totals.packets, "packet"));
    text += fmt::format("  accepted {}, bad {}, rejected {}, undecodable {}{}\n", grouped(counters.accepted),
                        grouped(counters.bad), grouped(counters.rejected), grouped(report.totals.undecodable()),
                        text_of_undecodable(report.totals));
    text += fmt::format("  {}, {} banned permanently, {} tracked", counted(counters.strikes, "strike"),
                        counted(counters.moved, "sender"), counted(judged.senders().senders(), "sender"));
    if (judged.senders().evicted() != 0) text += fmt::format(", {} evicted", grouped(judged.senders().evicted()));
    text += "\n";
    text += text_of_tcp(judged);
    if (report.dropped_by_system != 0)
        text += fmt::format("  the kernel dropped {} before they could be read\n",
                            counted(report.dropped_by_system, "packet"));
    if (judged.filters() != nullptr) {
        text += fmt::format("  memory: filters {}, sender table {}\n",
                            size_text(filter_bytes(judged), static_cast<double>(key_count(judged))),
                            bytes_text(judged.senders().bytes()));
    } else {
        text += fmt::format("  memory: exact sets {}, sender table {}\n",
                            size_text(exact_bytes(judged), static_cast<double>(key_count(judged))),
                            bytes_text(judged.senders().bytes()));
    }
    if (!report.worst.empty()) {
        text += "  top offenders:";
        for (const offender& one : report.worst)
            text += fmt::format(" {} ({})", one.address.text(), grouped(one.refused()));
        text += "\n";
    }
    if (judged.plan().mode == gate_mode::compare) text += text_of_comparison(report);
    return text;
}

std::string text_of(const asked_address& answer) {
    return fmt::format("{} {}", answer.address.text(), word_of(answer.said));
}

} // namespace everbloom::cli
