// CF.*: the peer's commands for cuckoo filters, on a `quotient` filter: every copy of a key is counted, every member can be removed.
//
// As with the peer, CF.ADDNX and CF.INSERTNX take a new key for present with the chance of the error rate; if the key it was taken for is
// removed, it is lost. CF.ADD has no such hazard.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

int cf_reserve(const call& now);
int cf_add(const call& now);
int cf_addnx(const call& now);
int cf_insert(const call& now);
int cf_insertnx(const call& now);
int cf_exists(const call& now);
int cf_mexists(const call& now);
int cf_del(const call& now);
int cf_count(const call& now);
int cf_compact(const call& now);
int cf_info(const call& now);
int cf_debug(const call& now);

/// The decisions of a command that makes a cuckoo filter. Buckets and moves are the peer's: they are reported, and limit the capacity.
struct cuckoo_options {
    std::uint64_t capacity = 0;
    std::uint64_t bucket_keys = 2;
    std::uint64_t most_moves = 20;
    std::uint64_t expansion = 1; // 0: it does not grow
};
[[nodiscard]] creation cuckoo_creation(const cuckoo_options& options);

inline constexpr const char* small_capacity_text = "Capacity must be at least (BucketSize * 2)";

} // namespace everbloom::redis
