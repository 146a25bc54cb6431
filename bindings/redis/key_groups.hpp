// key_groups: the keys of a command as digests, in groups that a filter takes at once.
#pragma once

#include "call.hpp"

#include <everbloom/runtime/any_filter.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace everbloom::redis {

/// Calls `act(digests, first)` for groups of up to 256 keys, until it returns false.
template <class Act>
void for_key_groups(const stored_filter& value, std::span<module_string* const> keys, Act act) {
    std::array<std::string_view, batch_items> texts;
    std::array<digest, batch_items> digests;
    for (std::size_t first = 0; first < keys.size(); first += batch_items) {
        const std::size_t count = std::min(batch_items, keys.size() - first);
        for (std::size_t i = 0; i < count; ++i) texts[i] = call::text_of(keys[first + i]);
        value.file.hasher()(std::span<const std::string_view>(texts.data(), count), std::span(digests.data(), count));
        if (!act(std::span<const digest>(digests.data(), count), first)) return;
    }
}

/// Replies an array of whether each key may be there; all false without a filter.
void reply_memberships(const call& now, const stored_filter* value, std::span<module_string* const> keys);

/// The answer for one key; false without a filter.
[[nodiscard]] bool may_contain(const stored_filter* value, module_string* key);

} // namespace everbloom::redis
