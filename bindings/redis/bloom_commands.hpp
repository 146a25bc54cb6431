// BF.*: the peer's commands for Bloom filters, on one growing filter instead of a chain.
//
// A filter is a `quotient` filter with the semantics of a set: adding a key that is there already changes nothing. If it was reserved as
// DELETABLE it has the longest fingerprints there are: they tell a new key from the members, so that keys can be removed again.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

int bf_reserve(const call& now);
int bf_add(const call& now);
int bf_madd(const call& now);
int bf_insert(const call& now);
int bf_exists(const call& now);
int bf_mexists(const call& now);
int bf_del(const call& now);
int bf_mdel(const call& now);
int bf_info(const call& now);
int bf_card(const call& now);
int bf_debug(const call& now);
/// BF.STATS key: what the filter measures of itself. The peer has no such command.
int bf_stats(const call& now);

/// The decisions of a command that makes a Bloom filter.
struct bloom_options {
    double error_rate = 0;
    std::uint64_t capacity = 0;
    std::uint64_t expansion = 2; // 0: not scaling
    bool deletable = false;
};
[[nodiscard]] creation bloom_creation(const bloom_options& options);

} // namespace everbloom::redis
