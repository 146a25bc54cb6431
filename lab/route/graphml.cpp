#include "lab/route/graphml.hpp"

#include "filters/whole_file.hpp"
#include "lab/route/example_networks.hpp"
#include "lab/route/plain_words.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

namespace everbloom::cli {
namespace {

// XML files declare their own encoding.
constexpr reading_rules graphml_rules{
    .meaning = "a GraphML file", .encoding = reading_rules::text::of_any_encoding, .wanted = {}, .way_out = ""};

/// A parsed tree is many times larger than a text of nothing but tags, so tags are counted first.
constexpr std::size_t most_markup = 320'000;

/// Tags that open an element, and attributes.
std::size_t markup_in(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool opens = text[i] == '<' && text.substr(i + 1, 1) != "/";
        count += opens || text[i] == '=' ? 1 : 0;
    }
    return count;
}

/// "y:NodeLabel" -> "NodeLabel": namespace prefixes are arbitrary.
std::string_view local_name(const pugi::xml_node& element) {
    const std::string_view name = element.name();
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// Parses a number; nullopt if it is invalid or not finite.
std::optional<double> number(std::string_view text) {
    while (!text.empty() &&
           (text.front() == ' ' || text.front() == '\n' || text.front() == '\t' || text.front() == '+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value) || std::abs(value) > 1e9) return std::nullopt;
    const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    if (rest.find_first_not_of(" \r\n\t") != std::string_view::npos) return std::nullopt;
    return value;
}

std::size_t line_at(std::string_view text, std::ptrdiff_t offset) {
    const auto end = std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text.size()));
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + end, '\n'));
}

/// Visits the nested elements of a <data> element: <y:ShapeNode><y:Geometry/><y:NodeLabel>... Not recursive: the depth is untrusted
/// input.
template <class Visit>
void for_each_inside(const pugi::xml_node& data, Visit visit) {
    pugi::xml_node at = data.first_child();
    while (at && at != data) {
        if (at.type() == pugi::node_element) visit(at);
        if (pugi::xml_node below = at.first_child()) {
            at = below;
            continue;
        }
        while (at != data && !at.next_sibling()) at = at.parent();
        if (at != data) at = at.next_sibling();
    }
}

class graphml_reader {
public:
    explicit graphml_reader(std::string name) : name_(std::move(name)) {}

    result<network> read(const pugi::xml_document& document) {
        const pugi::xml_node root = document.document_element();
        if (local_name(root) != "graphml") {
            return fail(failure_reason::damaged,
                        fmt::format("not GraphML: the root element is <{}>", plain_words(root.name())));
        }
        for (const pugi::xml_node& child : root.children()) {
            if (local_name(child) == "key") {
                keys_[child.attribute("id").value()] = child.attribute("attr.name").value();
            } else if (local_name(child) == "graph") {
                if (!graphs_.empty()) {
                    return fail(failure_reason::bad_parameter, "the file has several graphs; keep only one of them");
                }
                graphs_.push_back(child);
            }
        }
        if (graphs_.empty()) return fail(failure_reason::damaged, "the file has no <graph> element");
        // Groups append to the list during the loop. All nodes come first: an edge may precede its ends.
        // NOLINTNEXTLINE(modernize-loop-convert)
        for (std::size_t i = 0; i < graphs_.size(); ++i) {
            if (auto done = read_nodes(pugi::xml_node(graphs_[i])); !done) return fail(std::move(done.error()));
        }
        for (const pugi::xml_node& graph : graphs_) {
            if (auto done = read_edges(graph); !done) return fail(std::move(done.error()));
        }
        if (nodes_.empty()) return fail(failure_reason::bad_parameter, "the graph has no nodes");
        network made(name_, std::move(nodes_), std::move(links_));
        made.title = std::move(title_);
        made.edges = edges_;
        made.self_loops = self_loops_;
        return made;
    }

private:
    /// The attr.name of the <key> of a <data> element: "label", "Longitude".
    std::string_view meaning(const pugi::xml_node& data) const {
        const auto found = keys_.find(data.attribute("key").value());
        return found == keys_.end() ? std::string_view() : found->second;
    }

    result<void> read_nodes(const pugi::xml_node& graph) {
        for (const pugi::xml_node& child : graph.children()) {
            const std::string_view kind = local_name(child);
            if (kind == "node") {
                if (auto done = read_node(child); !done) return done;
            } else if (kind == "hyperedge") {
                return fail(failure_reason::unsupported, "hyperedges are not supported; a link has two ends");
            } else if (kind == "data" && meaning(child) == "Network" && title_.empty()) {
                title_ = plain_words(child.text().get());
            }
        }
        return {};
    }

    result<void> read_node(const pugi::xml_node& element) {
        network_node made;
        const std::string id = element.attribute("id").value();
        made.id = plain_words(id);
        if (made.id.empty()) return fail(failure_reason::damaged, "a node has no id");
        if (!index_.emplace(id, static_cast<node_index>(nodes_.size())).second) {
            return fail(failure_reason::damaged, fmt::format("two nodes have the id '{}'", made.id));
        }
        std::optional<double> longitude;
        std::optional<double> latitude;
        for (const pugi::xml_node& child : element.children()) {
            if (local_name(child) == "graph") graphs_.push_back(child);
            if (local_name(child) != "data") continue;
            const std::string_view what = meaning(child);
            if (what == "label") made.label = plain_words(child.text().get());
            if (what == "Longitude") longitude = number(child.text().get());
            if (what == "Latitude") latitude = number(child.text().get());
            for_each_inside(child, [&](const pugi::xml_node& inside) { read_drawing(inside, made); });
        }
        if (longitude && latitude && std::abs(*longitude) <= 180 && std::abs(*latitude) <= 90) {
            made.on_earth = point{*longitude, *latitude};
        }
        if (made.label.empty()) made.label = made.id;
        nodes_.push_back(std::move(made));
        return {};
    }

    static void read_drawing(const pugi::xml_node& inside, network_node& made) {
        if (local_name(inside) == "NodeLabel" && made.label.empty()) made.label = plain_words(inside.text().get());
        if (local_name(inside) != "Geometry" || made.drawn) return;
        const auto x = number(inside.attribute("x").value());
        const auto y = number(inside.attribute("y").value());
        // The file has the corner; the centre is used.
        const double half_width = number(inside.attribute("width").value()).value_or(0) / 2;
        const double half_height = number(inside.attribute("height").value()).value_or(0) / 2;
        if (x && y) made.drawn = point{*x + half_width, *y + half_height};
    }

    enum class direction { both, forward, backward };

    static direction direction_of(const pugi::xml_node& edge, direction usual) {
        if (const pugi::xml_attribute said = edge.attribute("directed")) {
            return said.as_bool() ? direction::forward : direction::both;
        }
        direction found = usual;
        for (const pugi::xml_node& child : edge.children()) {
            for_each_inside(child, [&](const pugi::xml_node& inside) {
                if (local_name(inside) != "Arrows") return;
                const bool at_source = std::string_view(inside.attribute("source").value()) != "none";
                const bool at_target = std::string_view(inside.attribute("target").value()) != "none";
                found = at_source == at_target ? direction::both : at_target ? direction::forward : direction::backward;
            });
        }
        return found;
    }

    result<void> read_edges(const pugi::xml_node& graph) {
        const std::string_view usual_word = graph.attribute("edgedefault").value();
        const direction usual = usual_word == "directed" ? direction::forward : direction::both;
        for (const pugi::xml_node& child : graph.children()) {
            if (local_name(child) != "edge") continue;
            if (auto done = read_edge(child, usual); !done) return done;
        }
        return {};
    }

    result<void> read_edge(const pugi::xml_node& element, direction usual) {
        const auto number = static_cast<std::uint32_t>(edges_++);
        std::string id = plain_words(element.attribute("id").value());
        if (id.empty()) id = fmt::format("edge{}", number);
        const auto source = end_of(element, "source", id);
        if (!source) return fail(source.error());
        const auto target = end_of(element, "target", id);
        if (!target) return fail(target.error());
        if (*source == *target) {
            ++self_loops_;
            return {};
        }
        const direction way = direction_of(element, usual);
        if (way != direction::backward) add_link(*source, *target, number, id);
        if (way != direction::forward) add_link(*target, *source, number, id);
        return {};
    }

    result<node_index> end_of(const pugi::xml_node& element, const char* which, const std::string& id) const {
        const std::string wanted = element.attribute(which).value();
        if (const auto found = index_.find(wanted); found != index_.end()) return found->second;
        return fail(failure_reason::damaged, fmt::format("the {} of edge '{}' is '{}', which is not the id of a node",
                                                         which, id, plain_words(wanted)));
    }

    void add_link(node_index source, node_index target, std::uint32_t edge, const std::string& id) {
        const std::string base = fmt::format("{}:{}>{}", id, nodes_[source].id, nodes_[target].id);
        std::string name = base;
        // Several edges may have the same id; the count keeps a million of them fast.
        while (!names_.emplace(name, 1).second) name = fmt::format("{}~{}", base, ++names_[base]);
        links_.push_back({source, target, edge, std::move(name)});
    }

    std::string name_;
    std::string title_;
    std::map<std::string, std::string> keys_; // id of a <key> -> its attr.name
    std::vector<pugi::xml_node> graphs_;      // the graph, and those of its groups
    std::map<std::string, node_index> index_; // not hashed: the ids are untrusted input
    std::vector<network_node> nodes_;
    std::vector<network_link> links_;
    std::map<std::string, std::uint64_t> names_; // link names, with the number of uses
    std::uint64_t edges_ = 0;
    std::uint64_t self_loops_ = 0;
};

} // namespace

result<std::string> read_graphml_text(const std::string& file) {
    std::error_code unknown;
    if (file != "-" && !std::filesystem::exists(file, unknown)) {
        for (const example_network& one : example_networks()) {
            if (one.name == file) return std::string(one.graphml);
        }
        return fail(failure_reason::input_output,
                    fmt::format("no file '{}', and no built-in network of that name (built-in: {})", plain_words(file),
                                names_of_examples()));
    }
    return read_bounded_file(file, graphml_rules, most_graphml_bytes);
}

result<network> parse_graphml(std::string_view text, const std::string& name) {
    if (text.find_first_not_of(" \r\n\t") == std::string_view::npos) {
        return fail(failure_reason::damaged, name + ": empty; expected a GraphML file");
    }
    if (markup_in(text) > most_markup) {
        return fail(
            failure_reason::no_room,
            fmt::format("{}: more than {} tags and attributes, the limit for a network", name, grouped(most_markup)));
    }
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
    if (parsed.status == pugi::status_out_of_memory)
        return fail(failure_reason::out_of_memory, name + ": too large for memory");
    if (!parsed) {
        return fail(failure_reason::damaged, fmt::format("{}: line {}: not well-formed XML ({})", name,
                                                         line_at(text, parsed.offset), parsed.description()));
    }
    // TataNld.graphml, TataNld.graphml.gz -> TataNld
    const std::string file = std::filesystem::path(name).filename().string();
    auto made = graphml_reader(plain_words(file.substr(0, file.find('.', 1)))).read(document);
    if (!made) return fail(in(name, std::move(made.error())));
    return made;
}

} // namespace everbloom::cli
