#include "filters/protected_networks.hpp"

#include "output/wording.hpp"

#include <everbloom/jobs/key_decoder.hpp>

#include <fmt/format.h>

namespace everbloom::cli {

result<std::vector<network>> protected_networks::keys_of(std::string_view text) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    const auto one = parse_network(text);
    if (!one || one->has_host_bits()) return fail(malformed_key(key_type::cidr, text));
    auto made = networks_asked_for(*one, in_use_, most);
    if (made) return std::move(*made);
    return fail(failure_reason::unsupported,
                fmt::format("{} cannot be protected: the filter has longer prefixes ({}), and more than {} networks of "
                            "these lengths are in it; protect single addresses or smaller networks",
                            one->spelled(), in_use_.text(), grouped(most)));
}

} // namespace everbloom::cli
