// Geometries for tests, made from what every kind has: a plan, and parameters that say their own range.
//
// Nothing here knows a kind by name. `spec_variants` turns each parameter of a planned geometry to its smallest value, to its
// neighbours and to every word of a choice, and keeps what the kind's own check allows: so a new kind is tested at the edges of its
// parameters from its first day.
#pragma once

#include "support/subject.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace everbloom::support {

/// A kind with state in its geometry grows by itself.
[[nodiscard]] inline bool grows_by_itself(const subject_kind& kind) {
    const auto& fields = find_kind(kind.name)->parameters;
    return std::any_of(fields.begin(), fields.end(), [](const auto& one) { return one.role == field_role::state; });
}

/// Whether a filter of this legal geometry is small enough to make thousands of them.
[[nodiscard]] inline bool is_small(const subject_kind& kind, const geometry& values) {
    constexpr std::uint64_t most_lines = 256;
    std::uint64_t lines = 0;
    for (const std::uint64_t section : kind.section_lines(values)) lines += std::min(section, most_lines + 1);
    return lines <= most_lines;
}

/// The planned geometry, and the legal small ones that differ from it in one value.
[[nodiscard]] inline std::vector<geometry> spec_variants(const subject_kind& kind, std::uint64_t items, double fpr) {
    const geometry planned = must(kind.plan(workload{items, fpr}));
    std::vector<geometry> variants{planned};
    const auto& parameters = find_kind(kind.name)->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].role == field_role::state) continue; // follows from the others
        const std::uint64_t value = planned[i];
        std::vector<std::uint64_t> tries{
            parameters[i].least, parameters[i].least + 1, value - 1, value + 1, value / 2, value * 2};
        for (std::size_t word = 0; word < parameters[i].words.size(); ++word) tries.push_back(word);
        for (const std::uint64_t tried : tries) {
            geometry variant = planned;
            variant[i] = tried;
            variant = kind.started(variant);
            const bool known = std::find(variants.begin(), variants.end(), variant) != variants.end();
            if (!known && kind.check(variant) && is_small(kind, variant)) variants.push_back(variant);
        }
    }
    return variants;
}

/// Small legal geometries with one parameter at the low end of its range: in steps of one, and of powers of two.
[[nodiscard]] inline std::vector<geometry> tight_specs(const subject_kind& kind) {
    std::set<geometry> made;
    const auto& parameters = find_kind(kind.name)->parameters;
    for (const std::uint64_t items : {1, 300}) {
        const geometry planned = must(kind.plan(workload{items, 0.02}));
        made.insert(planned);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].role == field_role::state) continue;
            for (std::uint64_t step = 0; step < 14; ++step) {
                for (const std::uint64_t value : {parameters[i].least + step, parameters[i].least << step}) {
                    geometry variant = planned;
                    variant[i] = value;
                    variant = kind.started(variant);
                    if (kind.check(variant) && is_small(kind, variant)) made.insert(variant);
                }
            }
        }
    }
    return {made.begin(), made.end()};
}

/// Filters so small that positions of one key coincide and keys share most of their cells.
[[nodiscard]] inline std::vector<geometry> tiny_specs(const subject_kind& kind) {
    std::vector<geometry> made;
    for (std::uint64_t items = 1; items <= 8; ++items) {
        for (const double fpr : {0.3, 0.05, 0.01}) {
            for (const geometry& variant : spec_variants(kind, items, fpr)) {
                if (std::find(made.begin(), made.end(), variant) == made.end()) made.push_back(variant);
            }
        }
    }
    return made;
}

} // namespace everbloom::support
