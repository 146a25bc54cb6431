// Parts that several documents have in common, and how a document is handed to the caller.
#pragma once

#include "json_writer.hpp"
#include "reporting.hpp"

#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/outcome_tally.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace everbloom::capi {

/// In the manner of snprintf.
inline result<std::int64_t> hand_out(const std::string& text, char* buffer, std::size_t size) {
    if (size != 0) {
        if (buffer == nullptr) return null_pointer("buffer");
        const std::size_t shown = std::min(text.size(), size - 1);
        std::memcpy(buffer, text.data(), shown);
        buffer[shown] = '\0';
    }
    return static_cast<std::int64_t>(text.size());
}

inline void write_capabilities(json_writer& out, capability_set capabilities) {
    out.name("capabilities").open('[');
    for (const named_capability& one : named_capabilities) {
        if (capabilities.has(one.bit)) out.value(one.name);
    }
    out.close(']');
}

/// {"bits": 38344, "hashes": 10, "probe": "double"}
inline void write_geometry(json_writer& out, std::string_view name, std::span<const geometry_value> geometry) {
    out.name(name).open('{');
    for (const geometry_value& one : geometry) {
        if (one.form == field_form::millionths) {
            out.member(one.name, static_cast<double>(one.value) / field_million);
        } else if (one.word.empty()) {
            out.member(one.name, one.value);
        } else {
            out.member(one.name, one.word);
        }
    }
    out.close('}');
}

/// Every outcome by name, including zeros.
template <class Outcome, std::size_t Count>
void write_tally(json_writer& out, std::string_view name, const outcome_tally<Outcome, Count>& tally) {
    out.name(name).open('{');
    tally.for_each([&](std::string_view outcome, std::uint64_t count) { out.member(outcome, count); });
    out.close('}');
}

} // namespace everbloom::capi
