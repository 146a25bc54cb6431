#include "lab/route/map_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace everbloom::cli {
namespace {

constexpr double turn = 2 * std::numbers::pi;
constexpr double golden_angle = 2.399963; // nodes with consecutive numbers get different directions

using known_places = std::vector<std::optional<point>>;

/// At least half of the nodes need a position.
bool enough(const known_places& places) {
    return 2 * std::count_if(places.begin(), places.end(), [](const auto& one) { return one.has_value(); }) >=
           static_cast<std::ptrdiff_t>(places.size());
}

struct bounds {
    point least{1e300, 1e300};
    point most{-1e300, -1e300};

    void include(point at) {
        least = {std::min(least.x, at.x), std::min(least.y, at.y)};
        most = {std::max(most.x, at.x), std::max(most.y, at.y)};
    }
    [[nodiscard]] double width() const { return most.x - least.x; }
    [[nodiscard]] double height() const { return most.y - least.y; }
    [[nodiscard]] point middle() const { return {(least.x + most.x) / 2, (least.y + most.y) / 2}; }
};

bounds bounds_of(const known_places& places) {
    bounds made;
    for (const auto& one : places) {
        if (one) made.include(*one);
    }
    return made;
}

known_places on_earth(const network& net) {
    known_places places;
    for (const network_node& one : net.nodes()) places.push_back(one.on_earth);
    // Degrees of longitude shrink towards the poles: the scale at the centre is used for the whole map.
    const double shrink = std::max(0.2, std::cos(bounds_of(places).middle().y * turn / 360));
    for (auto& one : places) {
        if (one) one = point{one->x * shrink, -one->y};
    }
    return places;
}

known_places drawn(const network& net) {
    known_places places;
    for (const network_node& one : net.nodes()) places.push_back(one.drawn);
    const bounds around = bounds_of(places);
    // Generated files may have all nodes at the same position.
    if (!(around.width() + around.height() > 0)) places.assign(places.size(), std::nullopt);
    return places;
}

point on_circle(std::size_t index, std::size_t count) {
    const double angle = turn * static_cast<double>(index) / static_cast<double>(std::max<std::size_t>(count, 1));
    return {std::sin(angle), -std::cos(angle)};
}

/// Nodes without a position go near the centre of their neighbours; those without placed neighbours on a circle around all.
std::vector<point> complete(const network& net, known_places places) {
    const bounds around = bounds_of(places);
    const double reach = std::max({around.width(), around.height(), 1e-9});
    constexpr int passes = 20; // a chain of unplaced nodes is filled in from both ends
    for (int pass = 0; pass < passes; ++pass) {
        std::vector<point> sums(places.size());
        std::vector<unsigned> counts(places.size(), 0);
        for (const network_link& one : net.links()) {
            if (!places[one.source] || places[one.target]) continue;
            sums[one.target].x += places[one.source]->x;
            sums[one.target].y += places[one.source]->y;
            ++counts[one.target];
        }
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (counts[i] == 0) continue;
            const double angle = golden_angle * static_cast<double>(i);
            places[i] = point{sums[i].x / counts[i] + 0.04 * reach * std::cos(angle),
                              sums[i].y / counts[i] + 0.04 * reach * std::sin(angle)};
        }
    }
    std::vector<point> made;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const point circle = on_circle(i, places.size());
        made.push_back(places[i].value_or(
            point{around.middle().x + 0.6 * reach * circle.x, around.middle().y + 0.6 * reach * circle.y}));
    }
    return made;
}

/// Force-directed layout (Fruchterman and Reingold, 1991), starting from a circle. Too many nodes for that stay on the circle.
std::vector<point> sprung(const network& net) {
    const std::size_t count = net.node_count();
    std::vector<point> places;
    for (std::size_t i = 0; i < count; ++i) places.push_back(on_circle(i, count));
    constexpr std::size_t most_nodes = 2000;
    if (count > most_nodes) return places;
    const double wanted = 2 / std::sqrt(static_cast<double>(count));
    const int rounds = static_cast<int>(std::clamp(6e7 / static_cast<double>(count * count), 30.0, 300.0));
    std::vector<point> force(count);
    for (int round = 0; round < rounds; ++round) {
        std::fill(force.begin(), force.end(), point{});
        const auto pull = [&](std::size_t a, std::size_t b, auto strength) {
            const double x = places[a].x - places[b].x;
            const double y = places[a].y - places[b].y;
            const double distance = std::max(std::hypot(x, y), 1e-6);
            const double share = strength(distance) / distance;
            force[a].x += x * share;
            force[a].y += y * share;
            force[b].x -= x * share;
            force[b].y -= y * share;
        };
        for (std::size_t a = 0; a < count; ++a) {
            for (std::size_t b = a + 1; b < count; ++b) {
                pull(a, b, [&](double distance) { return wanted * wanted / distance; });
            }
        }
        for (const network_link& one : net.links()) {
            pull(one.source, one.target, [&](double distance) { return -distance * distance / wanted / 2; });
        }
        const double step = 0.1 * (1 - static_cast<double>(round) / rounds);
        for (std::size_t i = 0; i < count; ++i) {
            const double length = std::max(std::hypot(force[i].x, force[i].y), 1e-9);
            places[i].x += force[i].x / length * std::min(length, step);
            places[i].y += force[i].y / length * std::min(length, step);
        }
    }
    return places;
}

/// Pushes overlapping nodes apart.
void separate(std::vector<point>& places, double least_distance) {
    constexpr std::size_t most_nodes = 2000;
    if (places.size() > most_nodes) return;
    for (int round = 0; round < 12; ++round) {
        for (std::size_t a = 0; a < places.size(); ++a) {
            for (std::size_t b = a + 1; b < places.size(); ++b) {
                double x = places[b].x - places[a].x;
                double y = places[b].y - places[a].y;
                const double distance = std::hypot(x, y);
                if (distance >= least_distance) continue;
                if (distance < 1e-6) {
                    x = std::cos(golden_angle * static_cast<double>(b));
                    y = std::sin(golden_angle * static_cast<double>(b));
                }
                const double share = (least_distance - distance) / 2 / std::max(distance, 1.0);
                places[a].x -= x * share;
                places[a].y -= y * share;
                places[b].x += x * share;
                places[b].y += y * share;
            }
        }
    }
}

} // namespace

map_layout lay_out(const network& net, double width, double margin) {
    known_places places = on_earth(net);
    if (!enough(places)) places = drawn(net);
    map_layout made;
    made.nodes = enough(places) ? complete(net, std::move(places)) : sprung(net);
    bounds around;
    for (const point one : made.nodes) around.include(one);
    const double inner_width = width - 2 * margin;
    const double shape = around.width() > 0 ? around.height() / around.width() : 1;
    const double inner_height = std::clamp(inner_width * shape, 320.0, 800.0);
    const double scale = std::min(around.width() > 0 ? inner_width / around.width() : 1e300,
                                  around.height() > 0 ? inner_height / around.height() : 1e300);
    const double usable_scale = scale < 1e300 ? scale : 1; // one node, or all at one position
    made.size = {width, inner_height + 2 * margin};
    for (point& one : made.nodes) {
        one = {made.size.width / 2 + (one.x - around.middle().x) * usable_scale,
               made.size.height / 2 + (one.y - around.middle().y) * usable_scale};
    }
    separate(made.nodes, 13);
    return made;
}

} // namespace everbloom::cli
