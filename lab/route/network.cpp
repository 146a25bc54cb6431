#include "lab/route/network.hpp"

#include <algorithm>

namespace everbloom::cli {

network::network(std::string name, std::vector<network_node> nodes, std::vector<network_link> links)
    : name_(std::move(name)), nodes_(std::move(nodes)), links_(std::move(links)), first_link_(nodes_.size() + 1, 0) {
    std::stable_sort(links_.begin(), links_.end(),
                     [](const network_link& a, const network_link& b) { return a.source < b.source; });
    for (const network_link& one : links_) ++first_link_[one.source + 1];
    for (std::size_t i = 1; i < first_link_.size(); ++i) first_link_[i] += first_link_[i - 1];
}

} // namespace everbloom::cli
