// What the kinds look like before one of them exists: the geometry each model plans for the run, and its bytes.
#pragma once

#include "settings.hpp"

#include <everbloom/core/units.hpp>

#include <kinds/all.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace everbloom::bench {

/// Calls `visit.template operator()<Kind>()` for every kind that takes part in this run: one that keys can be added to.
template <class Visitor>
void for_each_kind(Visitor visit) {
    all_kinds::for_each([&]<class Kind>() {
        if constexpr (Insertable<typename Kind::filter>) {
            if (run_settings().includes(Kind::name)) visit.template operator()<Kind>();
        }
    });
}

template <class Kind>
[[nodiscard]] result<typename Kind::filter::spec_type> planned_spec(double fpr) {
    return Kind::model::plan(workload{run_settings().items, fpr});
}

template <class Kind>
[[nodiscard]] std::uint64_t planned_bytes(const typename Kind::filter::spec_type& spec) noexcept {
    std::uint64_t lines = 0;
    for (const std::uint64_t section : Kind::filter::section_lines(spec)) lines += section;
    return lines * line_bytes;
}

template <Filter F>
[[nodiscard]] std::uint64_t payload_bytes(const F& filter) noexcept {
    std::uint64_t words = 0;
    for (const auto& section : filter.sections()) words += section.size();
    return words * sizeof(std::uint64_t);
}

struct planned_kind {
    std::string_view name;
    std::uint64_t payload_bytes;
};

/// The kinds of this run that can be planned for it.
[[nodiscard]] inline std::vector<planned_kind> planned_kinds() {
    std::vector<planned_kind> made;
    for_each_kind([&]<class Kind>() {
        const auto spec = planned_spec<Kind>(run_settings().fpr);
        if (spec) made.push_back({Kind::name, planned_bytes<Kind>(*spec)});
    });
    return made;
}

} // namespace everbloom::bench
