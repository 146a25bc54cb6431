// CF.EXISTS, CF.MEXISTS, CF.COUNT, CF.INFO, CF.DEBUG and CF.COMPACT.
#include "cuckoo_commands.hpp"
#include "filter_access.hpp"
#include "key_groups.hpp"

#include <array>
#include <utility>

namespace everbloom::redis {
namespace {

/// One whose chunks are still arriving answers like an absent one.
const stored_filter* answering(const opened_key& key) noexcept { return find_answering(key, command_family::cuckoo); }

} // namespace

int cf_exists(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    return now.yes_or_no(may_contain(answering(key), now.argument(2)));
}

int cf_mexists(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    reply_memberships(now, answering(key), now.arguments_from(2));
    return api_ok;
}

int cf_count(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    const stored_filter* const value = answering(key);
    if (value == nullptr) return now.integer_reply(0);
    const auto copies = value->filter().estimate_count(value->file.hasher()(now.text(2)));
    return now.integer_reply(copies ? *copies : 0);
}

int cf_info(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    const stored_filter* const value = find_filter(now, key, command_family::cuckoo);
    if (value == nullptr) return api_ok;
    const std::array<std::pair<const char*, std::uint64_t>, 8> fields{{
        {"Size", value->memory_bytes()},
        {"Number of buckets", value->filter().cells()},
        {"Number of filters", 1},
        {"Number of items inserted", value->keys()},
        {"Number of items deleted", value->facts.deleted},
        {"Bucket size", value->facts.bucket_keys},
        {"Expansion rate", value->facts.expansion},
        {"Max iterations", value->facts.most_moves},
    }};
    api.ReplyWithMap(now.context(), static_cast<long>(fields.size()));
    for (const auto& [name, number] : fields) {
        api.ReplyWithSimpleString(now.context(), name);
        now.integer_reply(number);
    }
    return api_ok;
}

int cf_debug(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    const stored_filter* const value = find_filter(now, key, command_family::cuckoo);
    if (value == nullptr) return api_ok;
    const filter_facts& facts = value->facts;
    now.bulk("bktsize:" + std::to_string(facts.bucket_keys) + " buckets:" + std::to_string(value->filter().cells()) +
             " items:" + std::to_string(value->keys()) + " deletes:" + std::to_string(facts.deleted) +
             " filters:1 max_iterations:" + std::to_string(facts.most_moves) +
             " expansion:" + std::to_string(facts.expansion));
    return api_ok;
}

/// There is one table, and it gives memory back by itself: only the count of removals begins anew, as with the peer.
int cf_compact(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = key.of(command_family::cuckoo);
    if (value == nullptr) return now.error("Cuckoo filter was not found");
    if (is_arriving(now, *value)) return api_ok;
    value->facts.deleted = 0;
    value->dump.reset();
    api.ReplicateVerbatim(now.context());
    return now.ok();
}

} // namespace everbloom::redis
