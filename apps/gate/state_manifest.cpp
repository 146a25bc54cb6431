#include "gate/state_manifest.hpp"

#include "output/json_output.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::cli {
namespace {

json json_of(const machine_history& machine) {
    const gate_counters& counted = machine.counters;
    const flow_counters& flows = machine.flows;
    return {{"accepted", counted.accepted},
            {"bad", counted.bad},
            {"rejected", counted.rejected},
            {"strikes", counted.strikes},
            {"moved", counted.moved},
            {"kept_in_good", counted.kept_in_good},
            {"tests", counted.tests},
            {"repeated_bad", counted.repeated_bad},
            {"evicted", machine.evicted},
            {"flows",
             {{"evicted", flows.evicted},
              {"repeated", flows.repeated},
              {"trimmed", flows.trimmed},
              {"gaps", flows.gaps},
              {"late", flows.late}}}};
}

flow_counters flow_counters_of(const json& from) {
    return {.evicted = from.at("evicted").get<std::uint64_t>(),
            .repeated = from.at("repeated").get<std::uint64_t>(),
            .trimmed = from.at("trimmed").get<std::uint64_t>(),
            .gaps = from.at("gaps").get<std::uint64_t>(),
            .late = from.at("late").get<std::uint64_t>()};
}

machine_history machine_of(const json& from, int version) {
    machine_history made;
    made.counters.accepted = from.at("accepted").get<std::uint64_t>();
    made.counters.bad = from.at("bad").get<std::uint64_t>();
    made.counters.rejected = from.at("rejected").get<std::uint64_t>();
    made.counters.strikes = from.at("strikes").get<std::uint64_t>();
    made.counters.moved = from.at("moved").get<std::uint64_t>();
    made.counters.kept_in_good = from.at("kept_in_good").get<std::uint64_t>();
    made.counters.tests = from.at("tests").get<std::uint64_t>();
    made.evicted = from.at("evicted").get<std::uint64_t>();
    if (version == first_state_version) return made;
    made.counters.repeated_bad = from.at("repeated_bad").get<std::uint64_t>();
    made.flows = flow_counters_of(from.at("flows"));
    return made;
}

/// File names are untrusted input: one that leads out of the directory is refused.
result<state_file> file_of(const std::string& part, const json& from) {
    state_file made{part, from.at("name").get<std::string>(), from.at("bytes").get<std::uint64_t>(),
                    from.at("checksum").get<std::uint64_t>()};
    if (made.name.empty() || made.name.find('/') != std::string::npos || made.name.find('\0') != std::string::npos) {
        return fail(failure_reason::damaged, fmt::format("the file name of {} leads out of the directory", part));
    }
    return made;
}

result<state_manifest> manifest_from(const json& from, int version) {
    state_manifest made;
    made.version = version;
    made.number = from.at("save").get<std::uint64_t>();
    const auto mode = std::find(gate_mode_words.begin(), gate_mode_words.end(), from.at("mode").get<std::string>());
    if (mode == gate_mode_words.end()) return fail(failure_reason::damaged, "unknown mode");
    made.mode = static_cast<gate_mode>(mode - gate_mode_words.begin());
    const json& options = from.at("wishes");
    made.options.bad_kind = options.at("bad_kind").get<std::string>();
    made.options.good_kind = options.at("good_kind").get<std::string>();
    made.options.fpr = options.at("fpr").get<double>();
    made.options.pattern_fpr = options.at("pattern_fpr").get<double>();
    const json& totals = from.at("totals");
    made.totals.packets = totals.at("packets").get<std::uint64_t>();
    for (std::size_t i = 0; i < decodings; ++i) {
        made.totals.by_decoding[i] = totals.at(std::string(decoding_words[i])).get<std::uint64_t>();
    }
    made.blacklist_checksum = from.at("blacklist_checksum").get<std::uint64_t>();
    made.bad_count = from.at("bad_count").get<std::uint64_t>();
    made.good_count = from.at("good_count").get<std::uint64_t>();
    made.filters = machine_of(from.at("filters"), version);
    made.exact = machine_of(from.at("exact"), version);
    const json& compared = from.at("compared");
    made.compared.honest_packets = compared.at("honest_packets").get<std::uint64_t>();
    made.compared.expected_rejections = compared.at("expected_rejections").get<double>();
    made.compared.false_rejections = compared.at("false_rejections").get<std::uint64_t>();
    made.compared.false_strikes = compared.at("false_strikes").get<std::uint64_t>();
    made.compared.aftermath = compared.at("aftermath").get<std::uint64_t>();
    for (const auto& [part, file] : from.at("files").items()) {
        auto read = file_of(part, file);
        if (!read) return fail(std::move(read.error()));
        made.files.push_back(std::move(*read));
    }
    return made;
}

} // namespace

state_manifest manifest_of(const gate& current, const gate_totals& totals, std::uint64_t blacklist_checksum) {
    state_manifest made;
    made.mode = current.plan().mode;
    made.options = current.plan().filters;
    made.totals = totals;
    made.blacklist_checksum = blacklist_checksum;
    if (const auto* machine = current.filters()) {
        made.filters = {machine->counters(), machine->senders().evicted(), machine->flows().counters()};
        made.bad_count = machine->sets().bad_count();
        made.good_count = machine->sets().good_count();
    }
    if (const auto* machine = current.exact())
        made.exact = {machine->counters(), machine->senders().evicted(), machine->flows().counters()};
    made.compared = current.compared().counts();
    return made;
}

std::string write_manifest(const state_manifest& manifest) {
    json totals{{"packets", manifest.totals.packets}};
    for (std::size_t i = 0; i < decodings; ++i) totals[std::string(decoding_words[i])] = manifest.totals.by_decoding[i];
    json files = json::object();
    for (const state_file& one : manifest.files) {
        files[one.part] = {{"name", one.name}, {"bytes", one.bytes}, {"checksum", one.checksum}};
    }
    const json document{{"everbloom_gate", state_version},
                        {"save", manifest.number},
                        {"mode", gate_mode_words[static_cast<std::size_t>(manifest.mode)]},
                        {"wishes",
                         {{"bad_kind", manifest.options.bad_kind},
                          {"good_kind", manifest.options.good_kind},
                          {"fpr", manifest.options.fpr},
                          {"pattern_fpr", manifest.options.pattern_fpr}}},
                        {"totals", totals},
                        {"blacklist_checksum", manifest.blacklist_checksum},
                        {"bad_count", manifest.bad_count},
                        {"good_count", manifest.good_count},
                        {"filters", json_of(manifest.filters)},
                        {"exact", json_of(manifest.exact)},
                        {"compared",
                         {{"honest_packets", manifest.compared.honest_packets},
                          {"expected_rejections", manifest.compared.expected_rejections},
                          {"false_rejections", manifest.compared.false_rejections},
                          {"false_strikes", manifest.compared.false_strikes},
                          {"aftermath", manifest.compared.aftermath}}},
                        {"files", files}};
    return document.dump(2) + "\n";
}

result<state_manifest> read_manifest(std::span<const std::byte> text) {
    const auto* begin = reinterpret_cast<const char*>(text.data());
    const json document = json::parse(begin, begin + text.size(), nullptr, false);
    const auto version = document.is_object() ? document.find("everbloom_gate") : document.end();
    if (version == document.end() || !version->is_number_integer()) {
        return fail(failure_reason::damaged, "not a saved gate");
    }
    if (*version < first_state_version || *version > state_version) {
        return fail(
            failure_reason::mismatch,
            fmt::format(
                "saved by a gate of version {}, but this everbloom reads versions {} to {}; nothing was changed",
                version->get<std::int64_t>(), first_state_version, state_version));
    }
    try {
        return manifest_from(document, version->get<int>());
    } catch (const json::exception& unexpected) {
        return fail(failure_reason::damaged, fmt::format("damaged: {}", unexpected.what()));
    }
}

} // namespace everbloom::cli
