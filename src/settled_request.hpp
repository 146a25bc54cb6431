// settled_request: a kind and its complete, checked geometry. Nothing is allocated yet.
#pragma once

#include "kind_entry.hpp"

#include <everbloom/core/units.hpp>

namespace everbloom {

struct settled_request {
    const kind_entry* entry;
    parameter_values values;

    [[nodiscard]] std::uint64_t bytes() const {
        std::uint64_t lines = 0;
        for (const std::uint64_t section : entry->section_lines(values)) lines += section;
        return lines * line_bytes;
    }
};

[[nodiscard]] result<settled_request> settle(const build_request& wanted);

} // namespace everbloom
