// query_copy_geometry: what a smaller copy of a filter looks like that is made without the keys, for queries only.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace everbloom {

struct query_copy_geometry {
    std::string_view kind;
    std::vector<std::uint64_t> parameters; // in the order of its spec

    template <class Spec>
    query_copy_geometry(std::string_view name, const Spec& spec) : kind(name) {
        for (const auto& field : Spec::fields()) parameters.push_back(spec.*field.value);
    }
};

} // namespace everbloom
