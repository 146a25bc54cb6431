// The networks that come with the program, so that `route` can be tried without a file: examples/networks/*.graphml.
#pragma once

#include <span>
#include <string_view>

namespace everbloom::cli {

struct example_network {
    std::string_view name;
    std::string_view graphml;
};

/// Made by the build from the files, in the order of their names.
[[nodiscard]] std::span<const example_network> example_networks();

} // namespace everbloom::cli
