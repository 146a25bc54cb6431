#include "peer.hpp"

#include <utility>

namespace everbloom::bench {
namespace {

// Inside a function: registrations in other files may run before this file's own objects are made.
std::vector<peer_entry>& entries() {
    static std::vector<peer_entry> all;
    return all;
}

} // namespace

const std::vector<peer_entry>& known_peers() { return entries(); }

peer_registration::peer_registration(peer_entry entry) { entries().push_back(std::move(entry)); }

} // namespace everbloom::bench
