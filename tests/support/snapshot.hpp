// snapshot: everything a filter is, as numbers that can be compared: its geometry and all of its words.
#pragma once

#include <everbloom/filter/concepts.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <cstdint>
#include <vector>

namespace everbloom::support {

using snapshot = std::vector<std::uint64_t>;

template <Filter F>
[[nodiscard]] snapshot snapshot_of(const F& filter) {
    snapshot taken;
    for (const auto& field : F::spec_type::fields()) taken.push_back(filter.spec().*field.value);
    for (const auto& words : filter.sections()) taken.insert(taken.end(), words.begin(), words.end());
    return taken;
}

[[nodiscard]] inline snapshot snapshot_of(const any_filter& filter) {
    snapshot taken;
    for (const geometry_value& one : filter.geometry()) taken.push_back(one.value);
    for (const auto& words : filter.sections()) taken.insert(taken.end(), words.begin(), words.end());
    return taken;
}

} // namespace everbloom::support
