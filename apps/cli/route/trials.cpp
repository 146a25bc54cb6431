#include "route/trials.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom::cli {

result<mean_estimate> mean_false_positives(const network& net, const packet_route& way, const header_code& code,
                                           std::uint64_t hash_seed, std::uint64_t trials,
                                           const std::function<void()>& done) {
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < trials; ++i) {
        const std::vector<digest> digests = link_digests(net, hash_seed + i);
        const auto packet = code.encode(way, digests);
        if (!packet) return fail(packet.error());
        const auto found = static_cast<double>(std::count_if(way.others.begin(), way.others.end(), [&](link_index one) {
            return code.forwards(*packet, digests[one]);
        }));
        sum += found;
        squares += found * found;
        done();
    }
    const auto count = static_cast<double>(trials);
    const double mean = sum / count;
    if (trials < 2) return mean_estimate{mean, mean, mean};
    const double variance = std::max(0.0, (squares - sum * mean) / (count - 1));
    const double margin =
        boost::math::quantile(boost::math::students_t(count - 1), 0.975) * std::sqrt(variance / count);
    return mean_estimate{mean, std::max(0.0, mean - margin), mean + margin};
}

} // namespace everbloom::cli
