// Report sections of simulations, plans and gate runs: tables of predicted and measured values.
#include "lab/report/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::cli::html {
namespace {

compared_row row_of(const std::string& what, const document& simulated, std::string_view name) {
    const document& found = member_of(simulated, name);
    compared_row made{what, number_of(simulated, std::string(name) + "_model"), number_of(found, "mean")};
    if (made.measured) {
        made.interval = any_rate(number_of(found, "low")) + " … " + any_rate(number_of(found, "high"));
    }
    return made;
}

/// {"inserted": 3, "refused": 0} as "3 inserted".
std::string tally_of(const document& counts) {
    std::string text;
    if (!counts.is_object()) return "–";
    for (const auto& [name, value] : counts.items()) {
        if (!value.is_number() || value == 0) continue;
        if (text.size() > 200) return text + ", …";
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", any_number(value.get<double>()), name);
    }
    return text.empty() ? "none" : text;
}

fact_list workload_facts(const document& wanted) {
    fact_list all{{"capacity", any_number(number_of(wanted, "items"))},
                  {"target FPR", any_rate(number_of(wanted, "fpr"))}};
    const auto add = [&](const char* name, const char* words) {
        const auto value = number_of(wanted, name);
        if (value && *value != 0) all.emplace_back(words, any_number(value));
    };
    add("remove", "share deleted");
    add("churn", "churn rounds");
    if (number_of(wanted, "growth") != 1.0) add("growth", "growth factor");
    add("negatives", "known negatives");
    if (const auto memory = number_of(wanted, "memory")) all.emplace_back("memory", any_bytes(memory));
    return all;
}

markup candidates_of(const document& planned) {
    page_table all{{"kind", "size", "bits per key", "FPR", "deletable share", "cache lines per query", "why"}, {}};
    for (const document& one : list_of(planned, "candidates")) {
        all.rows.push_back({text_of(one, "kind"), any_bytes(number_of(one, "bytes")),
                            any_number(number_of(one, "bits_per_item")), any_rate(number_of(one, "fpr")),
                            any_rate(number_of(one, "deletability")), any_number(number_of(one, "query_lines")),
                            text_of(one, "why")});
    }
    return around("div", table(all), "reasons");
}

markup dropped_of(const document& planned) {
    page_table all{{"kind", "why not"}, {}};
    for (const document& one : list_of(planned, "dropped"))
        all.rows.push_back({text_of(one, "kind"), text_of(one, "why")});
    return all.rows.empty() ? markup{} : folded("Unsuitable kinds", around("div", table(all), "worded"));
}

compared_row error_row(const std::string& what, const document& guarded, std::string_view name) {
    const document& found = member_of(guarded, name);
    return {what, number_of(found, "model"), number_of(found, "rate")};
}

} // namespace

markup comparison_table(const std::vector<compared_row>& rows) {
    page_table all{{"", "predicted", "measured", "95 % interval", "deviation"}, {}};
    for (const compared_row& one : rows) {
        all.rows.push_back({one.what, any_rate(one.predicted), any_rate(one.measured), one.interval,
                            off_by(one.measured, one.predicted)});
    }
    return table(all);
}

markup simulation_body(const document& simulated) {
    std::vector<compared_row> rows{row_of("FPR", simulated, "fpr")};
    if (!member_of(simulated, "deletability").is_null())
        rows.push_back(row_of("deletable share", simulated, "deletability"));
    markup body = comparison_table(rows);
    fact_list all{{"trials", any_number(number_of(simulated, "trials"))},
                  {"keys", any_number(number_of(simulated, "items"))},
                  {"absent keys queried", any_number(number_of(simulated, "queries"))},
                  {"seed", any_number(number_of(simulated, "seed"))},
                  {"false negatives", any_number(number_of(simulated, "false_negatives"))},
                  {"insertions", tally_of(member_of(simulated, "insert_outcomes"))}};
    if (member_of(simulated, "erase_outcomes").is_object())
        all.emplace_back("deletions", tally_of(member_of(simulated, "erase_outcomes")));
    body += facts(all);
    const auto& loads = list_of(simulated, "bucket_load_at_least");
    const auto& limit = list_of(simulated, "fluid_limit");
    if (loads.empty()) return body;
    page_table buckets{{"bucket load", "predicted (fluid limit)", "measured"}, {}};
    const auto share = [](const std::vector<document>& from, std::size_t i) {
        return i < from.size() && from[i].is_number() ? any_number(from[i].get<double>()) : std::string("–");
    };
    for (std::size_t i = 1; i < loads.size(); ++i) {
        buckets.rows.push_back({fmt::format("at least {}", i), share(limit, i), share(loads, i)});
    }
    return body + table(buckets);
}

section simulation_section(const document& simulated, const std::string& name) {
    return {"Simulation: " + name, text_of(simulated, "kind") + ", simulated", simulation_body(simulated)};
}

section plan_section(const document& planned, const std::string& name) {
    section made{"Plan: " + name, "Suitable filter kinds", {}};
    made.body += facts(workload_facts(member_of(planned, "workload")));
    const auto& candidates = list_of(planned, "candidates");
    if (candidates.empty()) {
        made.body += element("p", "No kind meets these requirements.");
    } else {
        made.body += candidates_of(planned);
        made.body += element("pre", text_of(candidates.front(), "command"));
    }
    if (const document& instead = member_of(planned, "lowest_affordable"); instead.is_object()) {
        made.body += element("p", fmt::format("The lowest FPR in that memory is {}, with {}.",
                                              any_rate(number_of(instead, "fpr")), text_of(instead, "kind")));
    }
    made.body += dropped_of(planned);
    for (const document& one : candidates) {
        const document& simulated = member_of(one, "simulation");
        if (!simulated.is_object()) continue;
        made.body += element("h3", text_of(one, "kind") + ", simulated") + simulation_body(simulated);
    }
    return made;
}

section gate_section(const document& guarded, const std::string& name) {
    section made{"Gate run: " + name, fmt::format("{} packets", any_number(number_of(guarded, "packets"))), {}};
    fact_list all;
    for (const char* one :
         {"mode", "accepted", "bad", "rejected", "undecodable", "strikes", "moved", "senders", "evicted"}) {
        const document& value = member_of(guarded, one);
        if (value.is_number()) all.emplace_back(one, any_number(value.get<double>()));
        if (value.is_string()) all.emplace_back(one, text_of(guarded, one));
    }
    all.emplace_back("seconds", any_number(number_of(guarded, "seconds")));
    all.emplace_back("packets per second", any_number(number_of(guarded, "packets_per_second")));
    made.body += facts(all);
    page_table sets{{"set", "kind", "keys", "size", "predicted FPR"}, {}};
    for (const char* one : {"bad_ips", "good_ips", "bad_data"}) {
        const document& set = member_of(guarded, one);
        if (!set.is_object()) continue;
        sets.rows.push_back({one, text_of(set, "kind"), any_number(number_of(set, "items")),
                             any_bytes(number_of(set, "bytes")), any_rate(number_of(set, "fpr_model"))});
    }
    if (!sets.rows.empty()) made.body += table(sets);
    if (member_of(guarded, "false_rejections").is_object()) {
        made.body += element("h3", "Filters compared with exact sets");
        made.body += comparison_table({error_row("falsely rejected packets", guarded, "false_rejections"),
                                       error_row("false strikes", guarded, "false_strikes"),
                                       error_row("wrong answers", guarded, "wrong_answers")});
        made.body += element("p", fmt::format("Memory: filters {}, exact sets {}.",
                                              any_bytes(number_of(guarded, "filter_bytes")),
                                              any_bytes(number_of(guarded, "exact_bytes"))));
    }
    page_table worst{{"sender", "bad", "rejected"}, {}};
    for (const document& one : list_of(guarded, "offenders")) {
        worst.rows.push_back(
            {text_of(one, "ip"), any_number(number_of(one, "bad")), any_number(number_of(one, "rejected"))});
    }
    if (!worst.rows.empty()) made.body += folded("Top offenders", table(worst));
    return made;
}

} // namespace everbloom::cli::html
