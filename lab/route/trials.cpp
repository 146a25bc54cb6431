#include "lab/route/trials.hpp"

#include <algorithm>
#include <vector>

namespace everbloom::cli {

result<estimate> mean_false_positives(const network& net, const packet_route& way, const header_code& code,
                                      std::uint64_t hash_seed, std::uint64_t trials,
                                      const std::function<void()>& done) {
    std::vector<trial_tally> found;
    for (std::uint64_t i = 0; i < trials; ++i) {
        const std::vector<digest> digests = link_digests(net, hash_seed + i);
        const auto packet = code.encode(way, digests);
        if (!packet) return fail(packet.error());
        const auto wrong = std::count_if(way.others.begin(), way.others.end(),
                                         [&](link_index one) { return code.forwards(*packet, digests[one]); });
        found.push_back({static_cast<std::uint64_t>(wrong), way.others.size()});
        done();
    }
    return estimate_share(found) * static_cast<double>(way.others.size());
}

} // namespace everbloom::cli
