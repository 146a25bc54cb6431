// json_output: JSON for other programs: documents and lines on standard output; members keep their order.
#pragma once

#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/capabilities.hpp>
#include <everbloom/runtime/outcome_tally.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <optional>
#include <string>

namespace everbloom::cli {

using json = nlohmann::ordered_json;

/// The document of a command, indented.
inline void print_document(const json& document) {
    // A file name that is not UTF-8 is printed with replacement characters.
    const std::string text = document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout); // main checks stdout at the end
}

/// One line of a stream of JSON values.
[[nodiscard]] inline std::string json_line(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// The names of the capabilities of a filter.
[[nodiscard]] inline json to_json(capability_set capabilities) {
    json names = json::array();
    for (const named_capability& one : named_capabilities) {
        if (capabilities.has(one.bit)) names.push_back(one.name);
    }
    return names;
}

/// {"bits": 38344, "hashes": 10, "probe": "double"}
[[nodiscard]] inline json to_json(const std::vector<geometry_value>& geometry) {
    json values = json::object();
    for (const geometry_value& one : geometry) {
        if (one.form == field_form::millionths) {
            values[std::string(one.name)] = static_cast<double>(one.value) / field_million;
        } else if (one.word.empty()) {
            values[std::string(one.name)] = one.value;
        } else {
            values[std::string(one.name)] = one.word;
        }
    }
    return values;
}

/// Every outcome by name, including zeros.
template <class Outcome, std::size_t Count>
[[nodiscard]] json to_json(const outcome_tally<Outcome, Count>& tally) {
    json counts = json::object();
    tally.for_each([&](std::string_view name, std::uint64_t count) { counts[std::string(name)] = count; });
    return counts;
}

/// The value, or null.
[[nodiscard]] inline json to_json(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

} // namespace everbloom::cli
