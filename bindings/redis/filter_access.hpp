// What a command finds behind its key: the filter it asked for, or an error reply that says why not.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

/// The filter of these commands, or of any if none are named; null after an error reply: the key is absent, holds something else, its
/// chunks are still arriving, or it is a dump of RedisBloom, which answers queries only.
[[nodiscard]] stored_filter* find_filter(const call& now, const opened_key& key, std::optional<command_family> family);

/// The same, dumps of RedisBloom included.
[[nodiscard]] stored_filter* find_complete(const call& now, const opened_key& key,
                                           std::optional<command_family> family);

/// For queries that have no errors: null if there is nothing that could answer.
[[nodiscard]] const stored_filter* find_answering(const opened_key& key, command_family family) noexcept;

/// The reply to a command about a filter whose chunks are still arriving, if it is one.
[[nodiscard]] bool is_arriving(const call& now, const stored_filter& value);

} // namespace everbloom::redis
