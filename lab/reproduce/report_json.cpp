#include "lab/reproduce/report_json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::cli {
namespace {

using namespace lab;

json point_document(const series& curve, const point& one) {
    json made;
    made["series"] = curve.label;
    made["x"] = one.x;
    made["paper"] = to_json(one.paper);
    made["model"] = to_json(one.model);
    made["measured"] = one.measured ? json(one.measured->mean) : json(nullptr);
    made["low"] = one.measured ? json(one.measured->low) : json(nullptr);
    made["high"] = one.measured ? json(one.measured->high) : json(nullptr);
    for (const auto& [name, value] : one.setting) made[name] = value;
    return made;
}

json artefact_document(const artefact& one, const paper_text& text) {
    json made;
    made["id"] = one.id;
    made["title"] = one.title;
    const auto words = text.captions.find(one.id);
    made["where"] = words == text.captions.end() ? json(nullptr) : json(words->second.where);
    made["x"] = one.x.label;
    made["y"] = one.y.label;
    made["paper_values"] = one.paper_values.empty() ? json(nullptr) : json(one.paper_values);
    if (!one.notes.empty()) made["notes"] = one.notes;
    made["points"] = json::array();
    for (const series& curve : one.curves) {
        for (const point& each : curve.points) made["points"].push_back(point_document(curve, each));
    }
    return made;
}

json claim_document(const judged_claim& one) {
    json made;
    made["id"] = one.said.id;
    made["where"] = one.said.where;
    if (!one.said.source.empty()) made["source"] = one.said.source;
    made["statement"] = one.said.statement;
    made["paper"] = one.said.paper;
    const measured_value& measured = one.found.measured;
    made["measured"] = std::isfinite(measured.number) ? json(measured.number) : json(nullptr);
    if (measured.cases > 0) made["counted"] = {{"held", measured.held}, {"cases", measured.cases}};
    made["tolerance"] = one.said.tolerance;
    if (!one.said.because.empty()) made["because"] = one.said.because;
    made["verdict"] = name_of(one.given);
    if (one.given != verdict::reproduced) {
        made["why"] = one.given == verdict::not_comparable ? one.said.not_comparable : one.found.evidence;
    }
    made["artefacts"] = one.artefacts;
    made["quantity"] = one.said.quantity;
    made["judged"] = one.said.judged;
    made["evidence"] = one.found.evidence;
    if (one.given != verdict::reproduced && !one.said.erratum.empty()) made["erratum"] = one.said.erratum;
    made["ours"] = one.said.is_ours;
    return made;
}

std::string csv_text(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{:.10g}", *value) : ""; }

} // namespace

json report_document(const paper_report& report) {
    json made;
    made["paper"] = report.key;
    made["scale"] = report.scale;
    made["seed"] = report.seed;
    made["title"] = report.text.title;
    if (report.machine) {
        made["machine"] = {{"processor", report.machine->processor},
                           {"cores", report.machine->cores},
                           {"load", report.machine->load},
                           {"date", report.machine->date}};
    }
    made["artefacts"] = json::array();
    for (const artefact& one : report.artefacts) made["artefacts"].push_back(artefact_document(one, report.text));
    made["claims"] = json::array();
    for (const judged_claim& one : report.claims) made["claims"].push_back(claim_document(one));
    return made;
}

std::string artefact_csv(const artefact& one) {
    std::string text = "series,x,paper,model,measured,low,high,setting\n";
    for (const series& curve : one.curves) {
        for (const point& each : curve.points) {
            const auto& seen = each.measured;
            std::string setting;
            for (const auto& [name, value] : each.setting) {
                setting += fmt::format("{}{}={:.10g}", setting.empty() ? "" : " ", name, value);
            }
            text += fmt::format("{},{:.10g},{},{},{},{},{},{}\n", csv_text(curve.label), each.x, csv_number(each.paper),
                                csv_number(each.model), seen ? csv_number(seen->mean) : "",
                                seen ? csv_number(seen->low) : "", seen ? csv_number(seen->high) : "", setting);
        }
    }
    return text;
}

} // namespace everbloom::cli
