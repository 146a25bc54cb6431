// One elastic filter becomes the shards of a concurrent one, and shards become one filter.
//
// Shards in order hold the hashes in order, each without the leading bits that tell the shard. So both ways are one pass over all stored
// hashes, from the first to the last, in which each is appended to what is being made.
#pragma once

#include <everbloom/filter/fixed_kind.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/shared_elastic.hpp>

namespace everbloom::door {

/// What a shard is to the rest of the library; 13 is its number in files (docs/format.md), which never changes.
using elastic_kind = fixed_kind<13, basic_elastic_blocked_filter>;

/// As many shards as were asked for, or fewer (shared_elastic_filter::make).
[[nodiscard]] result<shared_elastic_filter> cut_into_shards(const elastic_blocked_filter& filter, unsigned shards);

/// Every shard is copied under its lock, and put together with the others without it.
[[nodiscard]] result<any_filter> put_together(const shared_elastic_filter& filter);

/// The same of one shard, as a filter of its own.
[[nodiscard]] result<any_filter> copy_of(const shared_elastic_filter::shard_filter& shard);

} // namespace everbloom::door
