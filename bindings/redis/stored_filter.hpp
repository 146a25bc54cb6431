// stored_filter: the value behind a key of the server: a filter file in memory with the facts of its commands, one that is still
// arriving, or a dump of RedisBloom.
#pragma once

#include "filter_facts.hpp"
#include "redisbloom_chain.hpp"

#include <everbloom/kinds/quotient.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/file_parts.hpp>
#include <everbloom/runtime/filter_arrival.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace everbloom::redis {

struct stored_filter {
    filter_file file;
    filter_facts facts;
    std::optional<filter_arrival>
        arriving; // a filter file that comes in chunks (LOADCHUNK, a rewritten append-only file)
    std::optional<redisbloom_chain> chain; // instead of a filter: it answers queries and nothing else

    std::unique_ptr<file_parts> dump; // of a dump that is under way (SCANDUMP); none after a change

    [[nodiscard]] bool is_complete() const noexcept { return !arriving && (!chain || chain->is_complete()); }
    /// What it takes beside its cells; its own object at least.
    std::uint64_t object_bytes = 0;

    [[nodiscard]] any_filter& filter() noexcept { return file.filter(); }
    [[nodiscard]] const any_filter& filter() const noexcept { return file.filter(); }
    [[nodiscard]] std::uint64_t keys() const noexcept { return chain ? chain->keys() : filter().keys().value_or(0); }
    /// The table itself, if it is one and nothing but it decides about its answers; null otherwise. Calls to it are direct.
    [[nodiscard]] quotient::filter* as_quotient() noexcept {
        return filter().exclusions() ? nullptr : filter().as<quotient>();
    }
    /// The number of keys up to which a filter tells a new key from its members for certain: the chance of a mistake is below 1e-7. No
    /// limit where nothing depends on it.
    std::uint64_t most_keys = std::numeric_limits<std::uint64_t>::max();
    /// After filter and facts are in place.
    void set_most_keys();
    [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
    /// Before the file is written: the facts go along. Those of EB.* are in the file anyway, and its attachment may be somebody else's.
    void attach_facts() {
        if (facts.family != command_family::plain) file.attached = facts.bytes();
    }
};

/// Everything that decides what a new filter is.
struct creation {
    build_request request;
    capacity_target target;
    filter_facts facts;
    key_type keys = key_type::text;
    any_hasher hasher;
};

/// The memory that its cells need; a failure if they are more than `most_bytes`, or if there is no such filter.
[[nodiscard]] result<std::uint64_t> bytes_for(const creation& wanted, std::uint64_t most_bytes);

/// An empty filter.
[[nodiscard]] result<std::unique_ptr<stored_filter>> create_filter(const creation& wanted);
/// The same around one that is there.
[[nodiscard]] std::unique_ptr<stored_filter> stored(any_filter filter, const creation& wanted);

/// A filter of kind `quotient` that is this table.
[[nodiscard]] result<any_filter> filter_around(quotient::filter table);

/// Around a file that was read: its facts are those attached, and a file from elsewhere belongs to EB.*.
[[nodiscard]] std::unique_ptr<stored_filter> stored(filter_file file);

/// Takes a chunk and checks it; the last one makes the filter. After a failure the value is of no use any more.
[[nodiscard]] result<void> take_chunk(stored_filter& value, std::span<const std::byte> chunk);

} // namespace everbloom::redis
