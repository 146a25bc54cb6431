#include "lab/route/node_names.hpp"

#include "lab/route/plain_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace everbloom::cli {
namespace {

constexpr std::size_t most_suggestions = 5;
constexpr std::size_t most_pieces_of_a_name = 4; // a name may have a few commas
constexpr std::size_t longest_compared = 64;     // letters; longer names are compared by their prefix

std::string lowered(std::string_view text) {
    std::string made(text.substr(0, longest_compared));
    std::transform(made.begin(), made.end(), made.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return made;
}

/// Edit distance of two words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

/// Names close to `name`, nearest first.
std::string suggestions(const network& net, std::string_view name) {
    const std::string wanted = lowered(name);
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const network_node& one : net.nodes()) {
        const std::string label = lowered(one.label);
        const bool inside = !wanted.empty() && label.find(wanted) != std::string::npos;
        const std::size_t distance =
            inside ? 1 : std::min(edit_distance(wanted, label), edit_distance(wanted, lowered(one.id)));
        if (distance <= 1 + wanted.size() / 3) found.emplace_back(distance, one.label);
    }
    std::sort(found.begin(), found.end());
    std::string words;
    std::vector<std::string_view> said;
    for (const auto& [distance, label] : found) {
        if (std::find(said.begin(), said.end(), label) != said.end()) continue;
        if (said.size() == most_suggestions) break;
        said.push_back(label);
        words += fmt::format("{}'{}'", words.empty() ? "did you mean " : " or ", label);
    }
    if (!words.empty()) return words + "?";
    words = "available: ";
    for (std::size_t i = 0; i < std::min<std::size_t>(net.nodes().size(), most_suggestions); ++i) {
        words += fmt::format("{}'{}'", i == 0 ? "" : ", ", net.nodes()[i].label);
    }
    return words + (net.nodes().size() > most_suggestions
                        ? fmt::format(" and {} more", net.nodes().size() - most_suggestions)
                        : "");
}

std::vector<node_index> nodes_called(const network& net, std::string_view name) {
    std::vector<node_index> found;
    for (node_index i = 0; i < net.node_count(); ++i) {
        if (net.node(i).id == name) return {i};
        if (net.node(i).label == name) found.push_back(i);
    }
    if (!found.empty()) return found;
    const std::string wanted = lowered(name);
    for (node_index i = 0; i < net.node_count(); ++i) {
        if (lowered(net.node(i).label) == wanted && net.node(i).label.size() == name.size()) found.push_back(i);
    }
    return found;
}

/// The text from the start of one piece to the end of another, without leading spaces.
std::string_view joined(std::string_view first, std::string_view last) {
    std::string_view whole(first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
    while (whole.starts_with(' ')) whole.remove_prefix(1);
    return whole;
}

} // namespace

std::string node_title(const network& net, node_index at) {
    const network_node& one = net.node(at);
    return one.label == one.id ? one.id : fmt::format("{} ({})", one.label, one.id);
}

result<node_index> find_node(const network& net, std::string_view name, std::string_view flag) {
    const std::vector<node_index> found = nodes_called(net, name);
    if (found.size() == 1) return found.front();
    if (found.empty()) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: no node '{}'; {}", flag, plain_words(name), suggestions(net, name)));
    }
    std::string ids;
    for (std::size_t i = 0; i < std::min(found.size(), most_suggestions); ++i) {
        ids += (i == 0 ? "" : ", ") + net.node(found[i]).id;
    }
    return fail(failure_reason::bad_parameter,
                fmt::format("{}: {} nodes have the label '{}'; use an id instead: {}{}", flag, found.size(),
                            plain_words(name), ids, found.size() > most_suggestions ? ", ..." : ""));
}

result<std::vector<node_index>> find_nodes(const network& net, std::string_view list, std::string_view flag) {
    std::vector<std::string_view> pieces;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        pieces.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    std::vector<node_index> found;
    for (std::size_t first = 0; first < pieces.size();) {
        // The longest sequence of pieces that is a name; else one piece, for which find_node reports an error.
        std::size_t count = std::min(pieces.size() - first, most_pieces_of_a_name);
        while (count > 1 && nodes_called(net, joined(pieces[first], pieces[first + count - 1])).empty()) --count;
        const auto node = find_node(net, joined(pieces[first], pieces[first + count - 1]), flag);
        if (!node) return fail(node.error());
        if (std::find(found.begin(), found.end(), *node) == found.end()) found.push_back(*node);
        first += count;
    }
    return found;
}

} // namespace everbloom::cli
