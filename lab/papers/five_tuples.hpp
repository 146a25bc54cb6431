// five_tuples: the keys of a capture as [Wu21 §5.1.1] takes them from traces: sender, receiver, protocol and both ports of each packet.
//
// A key has 13 bytes for IPv4 and 37 for IPv6: the two addresses, the two ports (0 where a protocol has none) and the number of the protocol, in
// network byte order. Every packet is a key, so flows repeat as they did in the traffic. Packets that are not IP, or damaged, are left out.
#pragma once

#include "frame/cancellation.hpp"

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/hash/any_hasher.hpp>

#include <string>
#include <vector>

namespace everbloom::lab {

/// Of the first packets of a capture, as many keys as wanted at most. Fails if there is none.
[[nodiscard]] result<std::vector<digest>> five_tuples_of(const std::string& capture, const any_hasher& hasher,
                                                         std::size_t most_keys, const cli::cancellation& cancel);

} // namespace everbloom::lab
