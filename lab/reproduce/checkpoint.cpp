#include "lab/reproduce/checkpoint.hpp"

#include "filters/whole_file.hpp"
#include "output/json_output.hpp"

#include <cmath>
#include <filesystem>
#include <limits>

namespace everbloom::cli {
namespace {

using namespace lab;

constexpr std::uint64_t most_checkpoint_bytes = 64 << 20;

// JSON has no NaN: it becomes null.
json number_to(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }
double number_from(const json& from) {
    return from.is_null() ? std::numeric_limits<double>::quiet_NaN() : from.get<double>();
}
json optional_to(const std::optional<double>& value) { return value ? number_to(*value) : json("none"); }
std::optional<double> optional_from(const json& from) {
    if (from.is_string()) return std::nullopt;
    return number_from(from);
}

json axis_to(const axis& one) {
    return {{"label", one.label},
            {"logarithmic", one.scale == axis_scale::logarithmic},
            {"least", optional_to(one.least)},
            {"most", optional_to(one.most)},
            {"ticks", one.ticks}};
}
axis axis_from(const json& from) {
    return {from.at("label"), from.at("logarithmic").get<bool>() ? axis_scale::logarithmic : axis_scale::linear,
            optional_from(from.at("least")), optional_from(from.at("most")), from.at("ticks")};
}

json estimate_to(const std::optional<estimate>& one) {
    if (!one) return nullptr;
    return json::array({number_to(one->mean), number_to(one->low), number_to(one->high)});
}
std::optional<estimate> estimate_from(const json& from) {
    if (from.is_null()) return std::nullopt;
    return estimate{number_from(from.at(0)), number_from(from.at(1)), number_from(from.at(2))};
}

json point_to(const point& one) {
    return {{"x", number_to(one.x)},
            {"paper", optional_to(one.paper)},
            {"model", optional_to(one.model)},
            {"measured", estimate_to(one.measured)},
            {"setting", one.setting}};
}
point point_from(const json& from) {
    return {number_from(from.at("x")), optional_from(from.at("paper")), optional_from(from.at("model")),
            estimate_from(from.at("measured")), from.at("setting")};
}

json series_to(const series& one) {
    json points = json::array();
    for (const point& each : one.points) points.push_back(point_to(each));
    return {{"label", one.label},
            {"colour", one.drawn.colour},
            {"mark", one.drawn.mark},
            {"mark_size", one.drawn.mark_size},
            {"line_width", one.drawn.line_width},
            {"points", std::move(points)},
            {"model_curve", one.model_curve},
            {"paper_curve", one.paper_curve},
            {"joined", one.joined}};
}
series series_from(const json& from) {
    series made{from.at("label"), {from.at("colour"), from.at("mark"), from.at("mark_size"), from.at("line_width")}};
    for (const json& each : from.at("points")) made.points.push_back(point_from(each));
    made.model_curve = from.at("model_curve").get<fine_curve>();
    made.paper_curve = from.at("paper_curve").get<fine_curve>();
    made.joined = from.at("joined");
    return made;
}

json artefact_to(const artefact& one) {
    json curves = json::array();
    for (const series& each : one.curves) curves.push_back(series_to(each));
    return {{"id", one.id},
            {"title", one.title},
            {"x", axis_to(one.x)},
            {"y", axis_to(one.y)},
            {"curves", std::move(curves)},
            {"paper_values", one.paper_values},
            {"reference", optional_to(one.reference)},
            {"reading", one.reading},
            {"notes", one.notes},
            {"zero_shown_at", optional_to(one.zero_shown_at)}};
}
artefact artefact_from(const json& from) {
    artefact made{from.at("id"), from.at("title"), axis_from(from.at("x")), axis_from(from.at("y"))};
    for (const json& each : from.at("curves")) made.curves.push_back(series_from(each));
    made.paper_values = from.at("paper_values");
    made.reference = optional_from(from.at("reference"));
    made.reading = from.at("reading");
    made.notes = from.at("notes").get<std::vector<std::string>>();
    made.zero_shown_at = optional_from(from.at("zero_shown_at"));
    return made;
}

json finding_to(const finding& one) {
    return {{"claim", one.claim},
            {"number", number_to(one.measured.number)},
            {"held", one.measured.held},
            {"cases", one.measured.cases},
            {"evidence", one.evidence}};
}
finding finding_from(const json& from) {
    return {from.at("claim"),
            {number_from(from.at("number")), from.at("held").get<std::size_t>(), from.at("cases").get<std::size_t>()},
            from.at("evidence")};
}

} // namespace

std::string text_of(const outcome& found, std::string_view run) {
    json artefacts = json::array();
    for (const artefact& each : found.artefacts) artefacts.push_back(artefact_to(each));
    json findings = json::array();
    for (const finding& each : found.findings) findings.push_back(finding_to(each));
    const json whole{{"run", run},
                     {"artefacts", std::move(artefacts)},
                     {"findings", std::move(findings)},
                     {"timed", found.is_timed}};
    return whole.dump() + "\n";
}

std::optional<outcome> outcome_of(std::string_view text, std::string_view run) {
    try {
        const json whole = json::parse(text);
        if (whole.at("run").get<std::string>() != run) return std::nullopt;
        outcome made;
        for (const json& each : whole.at("artefacts")) made.artefacts.push_back(artefact_from(each));
        for (const json& each : whole.at("findings")) made.findings.push_back(finding_from(each));
        made.is_timed = whole.at("timed");
        return made;
    } catch (const json::exception&) {
        return std::nullopt; // not one of ours, or damaged: the experiment runs again
    }
}

checkpoints::checkpoints(const std::string& directory, std::string_view paper, std::string run)
    : directory_((std::filesystem::path(directory) / paper / "checkpoints").string()), run_(std::move(run)) {}

std::string checkpoints::path_of(std::string_view experiment) const {
    return (std::filesystem::path(directory_) / (std::string(experiment) + ".json")).string();
}

std::optional<outcome> checkpoints::find(std::string_view experiment) const {
    if (directory_.empty()) return std::nullopt;
    const auto bytes = read_whole_file(path_of(experiment), most_checkpoint_bytes);
    if (!bytes) return std::nullopt;
    return outcome_of({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, run_);
}

result<void> checkpoints::keep(std::string_view experiment, const outcome& found) const {
    if (directory_.empty()) return {};
    std::error_code refused;
    std::filesystem::create_directories(directory_, refused);
    if (refused) {
        return fail(failure_reason::input_output, directory_ + ": cannot create directory: " + refused.message());
    }
    return write_whole_file(path_of(experiment), bytes_of(text_of(found, run_)));
}

void checkpoints::clear(const paper& finished) const {
    if (directory_.empty()) return;
    std::error_code ignored; // a checkpoint that stays is used only by the same run
    for (const experiment& one : finished.experiments) std::filesystem::remove(path_of(one.id), ignored);
    std::filesystem::remove(directory_, ignored);
}

} // namespace everbloom::cli
