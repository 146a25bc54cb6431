// The networks that come with the program, so that `route` can be tried without a file: examples/networks/*.graphml.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace everbloom::cli {

struct example_network {
    std::string_view name;
    std::string_view graphml;
};

/// Made by the build from the files, in the order of their names.
[[nodiscard]] std::span<const example_network> example_networks();

/// "backbone, ring"
[[nodiscard]] inline std::string names_of_examples() {
    std::string names;
    for (const example_network& one : example_networks()) names += (names.empty() ? "" : ", ") + std::string(one.name);
    return names;
}

} // namespace everbloom::cli
