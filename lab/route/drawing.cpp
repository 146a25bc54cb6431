#include "lab/route/drawing.hpp"

#include "lab/route/header_strip.hpp"
#include "lab/route/map_canvas.hpp"
#include "lab/route/map_labels.hpp"
#include "lab/route/map_layout.hpp"
#include "output/wording.hpp"

#include <algorithm>
#include <map>

namespace everbloom::cli {
namespace {

constexpr std::string_view paper = "#fcfdfe";
constexpr std::string_view ink = "#22303c";
constexpr std::string_view faint = "#d3dae1";
constexpr std::string_view faint_node = "#b4bfca";
constexpr std::string_view other_colour = "#93a9bd";
constexpr std::string_view path_colour = "#1f6fb4";
constexpr std::string_view bloom_colour = "#e38b10";
constexpr std::string_view yes_no_colour = "#d3223f";
constexpr std::string_view loop_colour = "#a521b8";

constexpr double sheet_width = 1200;
constexpr double side = 28; // margin on the left and right
constexpr double map_margin = 60;
constexpr double map_top = 62;
constexpr double path_dot = 4.5;
constexpr double small_dot = 2.4;
constexpr double widest_bundle = 60;       // of parallel edges
constexpr std::size_t most_labels = 400;   // more are unreadable and slow to place
constexpr node_index label_all_up_to = 40; // nodes; in larger networks only those that the packet meets

class route_drawing {
public:
    explicit route_drawing(const route_report& report)
        : report_(report), net_(report.net), layout_(lay_out(report.net, sheet_width, map_margin)),
          canvas_("Path of a packet through " + report.net.name(), paper), on_way_(net_.node_count(), false) {
        for (point& one : layout_.nodes) one.y += map_top;
        for (const node_index one : report.way.nodes) on_way_[one] = true;
        number_parallel_edges();
    }

    std::string draw() && {
        draw_title();
        draw_network();
        draw_path();
        draw_false_links(report_.bloom, bloom_colour, 9, "7 3");
        draw_false_links(report_.yes_no, yes_no_colour, 13, "");
        draw_nodes();
        draw_labels();
        double y = draw_legend(map_top + layout_.size.height + 12) + 18;
        if (report_.bloom)
            y += draw_header_strip(canvas_, {{side, y}, sheet_width - 2 * side}, "Bloom header", report_.bloom->code,
                                   report_.bloom->packet) +
                 14;
        if (report_.yes_no)
            y += draw_header_strip(canvas_, {{side, y}, sheet_width - 2 * side}, "Yes-no header", report_.yes_no->code,
                                   report_.yes_no->packet) +
                 14;
        return std::move(canvas_).finish({sheet_width, y + 10});
    }

private:
    /// Edges between the same two nodes are drawn side by side.
    void number_parallel_edges() {
        std::map<std::pair<node_index, node_index>, std::vector<std::uint32_t>> between;
        std::vector<bool> seen(net_.edges, false);
        for (const network_link& one : net_.links()) {
            if (seen[one.edge]) continue; // its other direction
            seen[one.edge] = true;
            between[std::minmax(one.source, one.target)].push_back(one.edge);
        }
        bulges_.assign(net_.edges, 0);
        for (const auto& [ends, edges] : between) {
            const auto last = static_cast<double>(edges.size() - 1);
            const double distance = std::min(8.0, widest_bundle / std::max(last, 1.0));
            for (std::size_t i = 0; i < edges.size(); ++i) {
                bulges_[edges[i]] = distance * (static_cast<double>(i) - last / 2);
            }
        }
    }

    /// The line of a link, shared by both directions of its edge.
    [[nodiscard]] bow line_of(link_index at) const {
        const network_link& one = net_.link(at);
        const double side = one.source < one.target ? 1 : -1;
        return {layout_.nodes[one.source], layout_.nodes[one.target], side * bulges_[one.edge]};
    }

    void draw_title() {
        canvas_.text({side, 36}, net_.title.empty() ? net_.name() : net_.title, {.points = 20, .weight = "bold"});
        const packet_route& way = report_.way;
        const std::string where = report_.is_tree() ? fmt::format("{} nodes", way.destinations.size())
                                                    : shortened(net_.node(way.destinations.front()).label);
        const std::string facts =
            fmt::format("{} · {} · {} · a {} of {} from {} to {}", net_.name(), counted(net_.node_count(), "node"),
                        counted(net_.link_count(), "directed link"), report_.is_tree() ? "tree" : "path",
                        counted(way.hops, "hop"), shortened(net_.node(way.source).label), where);
        canvas_.text({side, 56}, facts, {.points = 13, .colour = "#5b6b79"});
    }

    void draw_network() {
        std::vector<std::uint8_t> links_of_edge(net_.edges, 0);
        for (const network_link& one : net_.links()) ++links_of_edge[one.edge];
        std::vector<bool> drawn(net_.edges, false);
        for (link_index i = 0; i < net_.link_count(); ++i) {
            const std::uint32_t edge = net_.link(i).edge;
            if (drawn[edge]) continue;
            drawn[edge] = true;
            canvas_.line(line_of(i), {faint, 1.1});
        }
        std::vector<bool> is_path(net_.edges, false);
        for (const link_index one : report_.way.members) is_path[net_.link(one).edge] = true;
        for (const link_index one : report_.way.others) {
            const bow line = line_of(one);
            if (is_path[net_.link(one).edge]) continue; // the reverse link of the path: below its line
            canvas_.line(line, {other_colour, 1.5});
        }
        // Only one-way links need an arrow.
        for (link_index i = 0; i < net_.link_count(); ++i) {
            const std::uint32_t edge = net_.link(i).edge;
            if (links_of_edge[edge] > 1 || is_path[edge]) continue;
            canvas_.arrow_head(line_of(i), 0.4 * line_of(i).chord(), 7, other_colour);
        }
    }

    void draw_path() {
        for (const link_index one : report_.way.members) {
            const bow line = line_of(one);
            canvas_.line(line, {path_colour, 3});
            canvas_.arrow_head(line, path_dot + 2, std::clamp(line.chord() / 2.5, 6.0, 12.0), path_colour);
        }
    }

    void draw_false_links(const std::optional<sent_packet>& sent, std::string_view colour, double bulge,
                          std::string_view dashes) {
        if (!sent) return;
        for (const link_index one : sent->outcome.false_links) {
            bow line = line_of(one);
            line.bulge += std::min(bulge, 0.25 * line.chord());
            canvas_.line(line, {colour, 2.4, dashes});
            canvas_.arrow_head(line, path_dot + 1, 10, colour);
        }
    }

    void draw_nodes() {
        for (node_index i = 0; i < net_.node_count(); ++i) {
            if (!on_way_[i]) canvas_.dot(layout_.nodes[i], small_dot, faint_node, {paper, 0.8});
        }
        for (const auto& [sent, colour] : {std::pair{&report_.bloom, bloom_colour}, {&report_.yes_no, yes_no_colour}}) {
            if (!*sent) continue;
            for (const node_index one : (*sent)->outcome.reached) {
                if (!on_way_[one]) canvas_.dot(layout_.nodes[one], path_dot - 1, colour, {paper, 1});
            }
            for (const auto& loop : (*sent)->outcome.loops) {
                for (const node_index one : loop)
                    canvas_.dot(layout_.nodes[one], path_dot + 4, "none", {loop_colour, 1.6, "3 2"});
            }
        }
        for (const node_index one : report_.way.nodes) {
            canvas_.dot(layout_.nodes[one], path_dot, paper, {path_colour, 2.2});
        }
        canvas_.dot(layout_.nodes[report_.way.source], path_dot + 2, path_colour, {paper, 1.5});
        for (const node_index one : report_.way.destinations) {
            canvas_.dot(layout_.nodes[one], path_dot + 2, paper, {path_colour, 2.2});
            canvas_.dot(layout_.nodes[one], path_dot - 1, path_colour, {path_colour, 0});
        }
    }

    void draw_labels() {
        label_placer placer({sheet_width, map_top + layout_.size.height});
        for (const link_index one : report_.way.members) avoid_line(placer, line_of(one));
        for (const link_index one : report_.way.others) avoid_line(placer, line_of(one));
        for (const point one : layout_.nodes) placer.avoid(one);
        std::vector<bool> done(net_.node_count(), false);
        std::size_t labels = 0;
        const auto label = [&](node_index at, const text_style& style, label_placer::importance need) {
            if (done[at] || ++labels > most_labels) return;
            done[at] = true;
            const std::string words = shortened(net_.node(at).label);
            const auto place = placer.place(layout_.nodes[at], words, style.points, need);
            if (!place) return;
            text_style anchored = style;
            anchored.anchor = place->anchor;
            canvas_.text_with_halo(place->at, words, anchored);
        };
        using enum label_placer::importance;
        label(report_.way.source, {.points = 13, .weight = "bold"}, wanted);
        for (const node_index one : report_.way.destinations) label(one, {.points = 13, .weight = "bold"}, wanted);
        for (const node_index one : report_.way.nodes) label(one, {.points = 11.5, .colour = ink}, if_there_is_room);
        for (const auto* sent : {&report_.bloom, &report_.yes_no}) {
            if (!*sent) continue;
            for (const node_index one : (*sent)->outcome.reached)
                label(one, {.points = 11, .colour = "#8a4b2f"}, if_there_is_room);
        }
        if (net_.node_count() > label_all_up_to) return;
        for (node_index i = 0; i < net_.node_count(); ++i)
            label(i, {.points = 10.5, .colour = "#7c8a97"}, if_there_is_room);
    }

    static void avoid_line(label_placer& placer, const bow& line) {
        const int steps = static_cast<int>(std::clamp(line.chord() / 6, 1.0, 200.0));
        for (int i = 0; i <= steps; ++i) placer.avoid(line.at(static_cast<double>(i) / steps));
    }

    /// Shortens long labels.
    static std::string shortened(const std::string& label) {
        constexpr std::size_t most_bytes = 32;
        if (label.size() <= most_bytes) return label;
        std::size_t end = most_bytes;
        while (end > 0 && (label[end] & 0xc0) == 0x80) --end;
        return label.substr(0, end) + "…";
    }

    double draw_legend(double y) {
        double x = side;
        const auto entry = [&](const stroke_style& style, const std::string& words, auto draw_sample) {
            const double width = 42 + 0.9 * text_width(words, 12) + 24;
            if (x + width > sheet_width - side + 24) {
                x = side;
                y += 20;
            }
            draw_sample(bow{{x, y}, {x + 34, y}, 0}, style);
            canvas_.text({x + 42, y + 4}, words, {.points = 12});
            x += width;
        };
        const auto arrow = [&](const bow& line, const stroke_style& style) {
            canvas_.line(line, style);
            canvas_.arrow_head(line, 0, 10, style.colour);
        };
        const auto plain = [&](const bow& line, const stroke_style& style) { canvas_.line(line, style); };
        const auto ring = [&](const bow& line, const stroke_style& style) {
            canvas_.dot(line.at(0.5), 7, "none", style);
        };
        entry({path_colour, 3},
              fmt::format("{} ({})", report_.is_tree() ? "tree" : "path", counted(report_.way.members.size(), "link")),
              arrow);
        entry({other_colour, 1.5}, fmt::format("other links of its nodes ({})", report_.way.others.size()), plain);
        bool loops = false;
        for (const auto& [sent, colour, dashes, name] :
             {std::tuple{&report_.bloom, bloom_colour, std::string_view("7 3"), "Bloom"},
              {&report_.yes_no, yes_no_colour, std::string_view(), "yes-no"}}) {
            if (!*sent) continue;
            const std::size_t count = (*sent)->outcome.false_links.size();
            entry({colour, 2.4, dashes},
                  fmt::format("false links, {} header ({})", name, count == 0 ? "none" : std::to_string(count)), arrow);
            loops = loops || (*sent)->outcome.loop_count > 0;
        }
        if (loops) entry({loop_colour, 1.6, "3 2"}, "on a loop", ring);
        return y;
    }

    const route_report& report_;
    const network& net_;
    map_layout layout_;
    map_canvas canvas_;
    std::vector<bool> on_way_;
    std::vector<double> bulges_; // of each edge, seen from its node with the smaller number
};

} // namespace

std::string draw_route(const route_report& report) { return route_drawing(report).draw(); }

} // namespace everbloom::cli
