// BF.DEL and BF.MDEL: removing keys, where long fingerprints make sure that only members are removed.
//
// Elsewhere it is refused: BF.ADD takes a key for present by mistake at the FPR and does not store it; removing the key it was taken for
// would lose it.
#include "bloom_commands.hpp"
#include "filter_access.hpp"
#include "key_groups.hpp"

namespace everbloom::redis {
namespace {

constexpr const char* not_deletable_text =
    "ERR this filter cannot remove keys; make one that can with BF.RESERVE key error_rate capacity DELETABLE";

std::vector<std::uint8_t> remove_keys(const call& now, stored_filter& value, std::span<module_string* const> keys) {
    std::vector<std::uint8_t> removed;
    removed.reserve(keys.size());
    std::uint64_t count = 0;
    for_key_groups(value, keys, [&](std::span<const digest> digests, std::size_t) {
        for (const digest item : digests) {
            removed.push_back(succeeded(value.filter().erase_one(item)) ? 1 : 0);
            count += removed.back();
        }
        return true;
    });
    if (count != 0) {
        value.facts.deleted += count;
        api.ReplicateVerbatim(now.context());
        now.changed(value, "bf.del");
    }
    return removed;
}

/// The filter to remove from; null after a reply.
stored_filter* removable(const call& now, const opened_key& key) {
    stored_filter* const value = find_filter(now, key, command_family::bloom);
    if (value != nullptr && !value->facts.deletable) {
        now.error(not_deletable_text);
        return nullptr;
    }
    return value;
}

} // namespace

int bf_del(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = removable(now, key);
    if (value == nullptr) return api_ok;
    return now.yes_or_no(remove_keys(now, *value, now.arguments_from(2)).front() != 0);
}

int bf_mdel(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = removable(now, key);
    if (value == nullptr) return api_ok;
    const std::vector<std::uint8_t> removed = remove_keys(now, *value, now.arguments_from(2));
    api.ReplyWithArray(now.context(), static_cast<long>(removed.size()));
    for (const std::uint8_t one : removed) now.yes_or_no(one != 0);
    return api_ok;
}

} // namespace everbloom::redis
