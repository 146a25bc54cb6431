// The runtime twin of a filter under test: the same kind and geometry behind any_filter, built as a command line would build it.
#pragma once

#include "support/subject.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <string>

namespace everbloom::support {

/// A value as a command line would give it.
[[nodiscard]] inline std::string value_words(const parameter_info& parameter, std::uint64_t value) {
    if (value < parameter.words.size()) return std::string(parameter.words[value]);
    if (parameter.form == field_form::whole) return std::to_string(value);
    const std::string rest = std::to_string(1'000'000 + value % 1'000'000);
    return std::to_string(value / 1'000'000) + "." + rest.substr(1);
}

[[nodiscard]] inline any_filter runtime_twin(const subject_kind& kind, const geometry& values) {
    build_request wanted{std::string(kind.name), {}, {}, {}};
    const auto& parameters = find_kind(kind.name)->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].role == field_role::state) continue; // follows from the others
        wanted.parameters.push_back({std::string(parameters[i].name), value_words(parameters[i], values[i])});
    }
    return must(build(wanted));
}

/// The same as a file in memory, with a hash that is no secret.
[[nodiscard]] inline filter_file file_twin(const subject_kind& kind, const geometry& values) {
    filter_file made;
    made.handle = keyed(runtime_twin(kind, values), any_hasher(hash_id::xxh3, hash_key::from_seed(1)));
    return made;
}

} // namespace everbloom::support
