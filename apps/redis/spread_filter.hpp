// spread_filter: one filter spread over several keys of a server, so that a cluster can hold it.
//
// Key x belongs to the part name:{i} with i = shard_of(x, shards) (jobs/shard.hpp); the number in braces decides the node. name:shards
// holds their number, so that no client asks the wrong parts. docs/cluster.md has the rule for other clients.
#pragma once

#include "redis/server_group.hpp"

#include <cstdint>
#include <functional>

namespace everbloom::cli {

/// What a new filter is to be.
struct spread_plan {
    std::uint32_t shards = 1;
    std::uint64_t capacity = 0; // of all parts together
    double fpr = 0;
    bool deletable = false;
};

class spread_filter {
public:
    static constexpr std::uint32_t most_shards = 16384; // a cluster has no more slots

    /// The filter that the URL names; none if it is not there. `shards`, if given, must be its number of parts.
    [[nodiscard]] static result<std::optional<spread_filter>> find(server_group& servers,
                                                                   std::optional<std::uint32_t> shards);
    /// Makes it. Parts that are there already, of a command that was interrupted, are kept.
    [[nodiscard]] static result<spread_filter> make(server_group& servers, const spread_plan& plan);
    /// Its number of parts is noted, but no part is made.
    [[nodiscard]] static result<spread_filter> note(server_group& servers, std::uint32_t shards);

    [[nodiscard]] std::uint32_t shards() const noexcept { return static_cast<std::uint32_t>(names_.size()); }
    /// name:{i}
    [[nodiscard]] const std::string& part(std::uint32_t shard) const noexcept { return names_[shard]; }
    [[nodiscard]] server_group& servers() const noexcept { return *servers_; }

    struct change {
        std::uint64_t changed = 0;   // keys that were added, or removed
        std::uint64_t unchanged = 0; // keys that were there, or were not there, before
    };
    /// `so_far` also counts what was done before a failure.
    [[nodiscard]] result<void> add(std::span<const std::string_view> keys, change& so_far) const;
    [[nodiscard]] result<void> remove(std::span<const std::string_view> keys, change& so_far) const;
    /// answers[i] is 1 if keys[i] may be there. Fails if a part is missing, which would answer no to everything.
    [[nodiscard]] result<void> ask(std::span<const std::string_view> keys, std::vector<std::uint8_t>& answers) const;
    /// Deletes the parts and the notes.
    [[nodiscard]] result<void> drop() const;

    /// A note of this program beside the filter, such as "synced": name:what. Empty: none.
    [[nodiscard]] result<std::string> read_note(std::string_view what) const;
    [[nodiscard]] result<void> write_note(std::string_view what, std::string_view text) const;

private:
    spread_filter(server_group& servers, std::uint32_t shards);

    /// A command by its name, and the words between the name of the part and the keys.
    struct keyed_command {
        std::string_view name;
        std::vector<std::string_view> options = {};
    };
    [[nodiscard]] result<void> each(const keyed_command& command, std::span<const std::string_view> keys,
                                    const std::function<void(std::size_t key, const server_reply&)>& take) const;
    [[nodiscard]] result<void> count_changes(const keyed_command& command, std::span<const std::string_view> keys,
                                             change& so_far) const;

    /// Of the parts that have these keys.
    [[nodiscard]] result<void> require_parts_of(std::span<const std::string_view> keys) const;

    server_group* servers_;
    std::vector<std::string> names_;
};

} // namespace everbloom::cli
