#include "lab/papers/yesno/paths.hpp"

#include "lab/route/example_networks.hpp"
#include "lab/route/graphml.hpp"
#include "lab/route/paths.hpp"

#include <everbloom/probe/mix.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <system_error>

namespace everbloom::lab::yesno {
namespace {

using edge = std::pair<cli::node_index, cli::node_index>;

result<long_path> path_of(const cli::network& net, std::string name) {
    const auto way = cli::longest_route(net, cli::connectivity_of(net).largest);
    if (!way) return fail(in(name, way.error()));
    return long_path{std::move(name), way->members.size(), way->others.size()};
}

/// Every edge is two links.
cli::network network_of(std::string name, std::uint64_t nodes, const std::vector<edge>& edges) {
    std::vector<cli::network_node> made(nodes);
    for (std::uint64_t i = 0; i < nodes; ++i) made[i].id = made[i].label = fmt::format("n{}", i);
    std::vector<cli::network_link> links;
    std::uint32_t number = 0;
    for (const auto& [a, b] : edges) {
        links.push_back({a, b, number, fmt::format("e{}:n{}>n{}", number, a, b)});
        links.push_back({b, a, number, fmt::format("e{}:n{}>n{}", number, b, a)});
        ++number;
    }
    return {std::move(name), std::move(made), std::move(links)};
}

cli::network ring(cli::node_index nodes) {
    std::vector<edge> edges;
    for (cli::node_index i = 0; i < nodes; ++i) edges.emplace_back(i, (i + 1) % nodes);
    return network_of(fmt::format("ring of {}", nodes), nodes, edges);
}

cli::network grid(cli::node_index wide, cli::node_index high) {
    std::vector<edge> edges;
    for (cli::node_index y = 0; y < high; ++y) {
        for (cli::node_index x = 0; x < wide; ++x) {
            const cli::node_index at = y * wide + x;
            if (x + 1 < wide) edges.emplace_back(at, at + 1);
            if (y + 1 < high) edges.emplace_back(at, at + wide);
        }
    }
    return network_of(fmt::format("grid {} x {}", wide, high), std::uint64_t{wide} * high, edges);
}

/// A deterministic pseudo-random number in [0, 1) for a pair of numbers.
double fraction(std::uint64_t a, std::uint64_t b) { return static_cast<double>(mix(mix(a + 1) + b) >> 11) * 0x1p-53; }

/// Random geometric graph in a square, with the smallest radius that makes it connected.
cli::network scattered(cli::node_index nodes, std::uint64_t seed) {
    const auto count = static_cast<double>(nodes);
    const double reach = 1.15 * std::sqrt(std::log(count) / (std::numbers::pi * count));
    std::vector<edge> edges;
    for (cli::node_index a = 0; a < nodes; ++a) {
        for (cli::node_index b = a + 1; b < nodes; ++b) {
            const double x = fraction(seed, 2 * a) - fraction(seed, 2 * b);
            const double y = fraction(seed, 2 * a + 1) - fraction(seed, 2 * b + 1);
            if (std::hypot(x, y) < reach) edges.emplace_back(a, b);
        }
    }
    return network_of(fmt::format("random geometric {}, seed {}", nodes, seed), nodes, edges);
}

} // namespace

result<std::vector<long_path>> paths_of_directory(const std::string& directory) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        if (at->path().extension() == ".graphml") files.push_back(at->path());
    }
    if (error) return fail(failure_reason::input_output, "--topologies: " + directory + ": " + error.message());
    if (files.empty()) {
        return fail(failure_reason::bad_parameter,
                    "--topologies: " + directory + " contains no .graphml files; unpack the Topology Zoo there");
    }
    std::sort(files.begin(), files.end());
    std::vector<long_path> made;
    for (const auto& file : files) {
        const auto text = cli::read_graphml_text(file.string());
        if (!text) return fail(text.error());
        const auto net = cli::parse_graphml(*text, file.string());
        if (!net) return fail(net.error());
        auto path = path_of(*net, file.stem().string());
        if (!path) return fail(std::move(path.error()));
        made.push_back(std::move(*path));
    }
    return made;
}

result<std::vector<long_path>> paths_of_our_own() {
    std::vector<long_path> made;
    const auto add = [&](const cli::network& net) -> result<void> {
        auto path = path_of(net, net.name());
        if (!path) return fail(std::move(path.error()));
        made.push_back(std::move(*path));
        return {};
    };
    for (const cli::example_network& one : cli::example_networks()) {
        const auto net = cli::parse_graphml(one.graphml, std::string(one.name));
        if (!net) return fail(net.error());
        if (auto done = add(*net); !done) return fail(std::move(done.error()));
    }
    std::vector<cli::network> networks;
    for (const cli::node_index nodes : {10, 20, 30, 40, 50, 60, 70}) networks.push_back(ring(nodes));
    for (const cli::node_index wide : {6, 12, 18, 24, 30, 34}) networks.push_back(grid(wide, 2));
    for (const cli::node_index wide : {4, 6, 8, 10, 12, 14, 16, 18}) networks.push_back(grid(wide, wide));
    for (const std::uint64_t seed : {1, 2, 3}) {
        for (const cli::node_index nodes : {30, 60, 100, 150, 250, 400}) networks.push_back(scattered(nodes, seed));
    }
    for (const cli::network& net : networks) {
        if (auto done = add(net); !done) return fail(std::move(done.error()));
    }
    return made;
}

} // namespace everbloom::lab::yesno
