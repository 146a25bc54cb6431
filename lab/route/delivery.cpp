#include "lab/route/delivery.hpp"

#include <algorithm>

namespace everbloom::cli {
namespace {

/// Finds loops: a depth-first search over the links that carry the packet, with an explicit stack.
class loop_search {
public:
    loop_search(const network& net, const std::vector<std::vector<link_index>>& leaving, delivery& found)
        : net_(net), leaving_(leaving), found_(found), state_(net.node_count(), seen::not_yet) {}

    void run(node_index source) {
        enter(source);
        while (!trail_.empty()) {
            step& here = trail_.back();
            if (here.next == leaving_[here.node].size()) {
                state_[here.node] = seen::done;
                trail_.pop_back();
                continue;
            }
            const node_index target = net_.link(leaving_[here.node][here.next++]).target;
            if (state_[target] == seen::on_trail) note_loop(target);
            if (state_[target] == seen::not_yet) enter(target);
        }
    }

private:
    enum class seen : std::uint8_t { not_yet, on_trail, done };
    struct step {
        node_index node;
        std::size_t next;
    };

    void enter(node_index node) {
        state_[node] = seen::on_trail;
        trail_.push_back({node, 0});
    }

    void note_loop(node_index back_at) {
        if (++found_.loop_count > most_loops_kept) return;
        const auto begin =
            std::find_if(trail_.begin(), trail_.end(), [&](const step& one) { return one.node == back_at; });
        std::vector<node_index> nodes;
        for (auto at = begin; at != trail_.end(); ++at) nodes.push_back(at->node);
        found_.loops.push_back(std::move(nodes));
    }

    const network& net_;
    const std::vector<std::vector<link_index>>& leaving_;
    delivery& found_;
    std::vector<seen> state_;
    std::vector<step> trail_;
};

} // namespace

delivery deliver(const network& net, const packet_route& way, const std::vector<digest>& digests,
                 const header_code& code, const packet_bits& packet) {
    delivery made;
    std::vector<bool> on_the_way(net.link_count(), false);
    for (const link_index one : way.members) on_the_way[one] = true;
    std::vector<bool> reached(net.node_count(), false);
    std::vector<std::vector<link_index>> leaving(net.node_count());
    made.reached.push_back(way.source);
    reached[way.source] = true;
    for (std::size_t i = 0; i < made.reached.size(); ++i) {
        const node_index here = made.reached[i];
        const auto [first, last] = net.links_from(here);
        for (link_index link = first; link < last; ++link) {
            if (!code.forwards(packet, digests[link])) continue;
            leaving[here].push_back(link);
            made.used.push_back(link);
            if (!on_the_way[link]) made.false_links.push_back(link);
            const node_index target = net.link(link).target;
            if (reached[target]) continue;
            reached[target] = true;
            made.reached.push_back(target);
        }
    }
    for (const node_index one : way.destinations) {
        if (!reached[one]) made.missed.push_back(one);
    }
    made.false_positives = static_cast<std::uint64_t>(std::count_if(
        way.others.begin(), way.others.end(), [&](link_index one) { return code.forwards(packet, digests[one]); }));
    loop_search(net, leaving, made).run(way.source);
    return made;
}

} // namespace everbloom::cli
