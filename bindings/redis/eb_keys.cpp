// EB.ADD, EB.EXISTS, EB.DEL and EB.PROTECT: the keys of a filter of any kind, in the filter's own key type.
#include "eb_commands.hpp"
#include "filter_access.hpp"
#include "key_groups.hpp"

#include <everbloom/jobs/key_decoder.hpp>

namespace everbloom::redis {
namespace {

/// All keys, or none if one of them is malformed.
result<std::vector<digest>> digests_of(const stored_filter& value, std::span<module_string* const> keys) {
    std::vector<digest> digests;
    digests.reserve(keys.size());
    for (module_string* const key : keys) {
        if (value.file.keys == key_type::text) {
            digests.push_back(value.file.hasher()(call::text_of(key)));
            continue;
        }
        const auto bytes = key_from_text(value.file.keys, call::text_of(key));
        if (!bytes) return fail(bytes.error());
        digests.push_back(value.file.hasher()(std::string_view(*bytes)));
    }
    return digests;
}

/// A filter of EB.* that may be changed; null after an error reply.
stored_filter* changeable(const call& now, const opened_key& key) {
    stored_filter* const value = find_filter(now, key, std::nullopt);
    if (value != nullptr && value->facts.family != command_family::plain) {
        now.error("ERR this filter belongs to the commands " + std::string(name_of(value->facts.family)) + ".*");
        return nullptr;
    }
    return value;
}

template <class Outcome>
std::string refusal(Outcome outcome) {
    return "ERR " + std::string(everbloom::name_of(outcome));
}

} // namespace

int eb_add(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = changeable(now, key);
    if (value == nullptr) return api_ok;
    if (!value->filter().can(capability::insert))
        return now.error("ERR this kind of filter is built once and takes no other keys");
    const auto keys = now.arguments_from(2);
    const auto digests = digests_of(*value, keys);
    if (!digests) return now.error(digests.error());
    const std::uint64_t most_bytes = most_bytes_for(now.context());
    std::vector<insert_outcome> outcomes;
    std::vector<module_string*> fresh;
    outcomes.reserve(keys.size());
    fresh.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        // One look per group: memory does not change much between two.
        const bool is_new_group = i % batch_items == 0;
        if (is_new_group && (value->filter().memory_bytes() >= most_bytes || (i != 0 && is_over_maxmemory(now)))) break;
        outcomes.push_back(value->filter().insert_one((*digests)[i]));
        if (succeeded(outcomes.back())) fresh.push_back(keys[i]);
    }
    if (!fresh.empty()) {
        api.Replicate(now.context(), "EB.ADD", "sv", now.argument(1), fresh.data(), fresh.size());
        now.changed(*value, "eb.add");
    }
    const bool is_cut = outcomes.size() < keys.size();
    api.ReplyWithArray(now.context(), static_cast<long>(outcomes.size() + (is_cut ? 1 : 0)));
    for (const insert_outcome one : outcomes) {
        if (succeeded(one)) {
            now.yes_or_no(true);
        } else {
            now.error(refusal(one));
        }
    }
    if (is_cut) now.error("ERR the filter may not grow further (MAX_BYTES or maxmemory)");
    return api_ok;
}

int eb_exists(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    const stored_filter* value = key.any();
    if (!key.is_absent() && value == nullptr) return now.error(wrong_type_text);
    if (value != nullptr && !value->is_complete()) value = nullptr;
    if (value == nullptr || value->file.keys == key_type::text) {
        reply_memberships(now, value, now.arguments_from(2));
        return api_ok;
    }
    const auto digests = digests_of(*value, now.arguments_from(2));
    if (!digests) return now.error(digests.error());
    api.ReplyWithArray(now.context(), static_cast<long>(digests->size()));
    for (const digest item : *digests) now.yes_or_no(value->filter().may_contain(item));
    return api_ok;
}

int eb_del(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = changeable(now, key);
    if (value == nullptr) return api_ok;
    if (!value->filter().can(capability::erase)) return now.error("ERR this kind of filter cannot remove keys");
    const auto digests = digests_of(*value, now.arguments_from(2));
    if (!digests) return now.error(digests.error());
    std::vector<erase_outcome> outcomes;
    outcomes.reserve(digests->size());
    bool changed = false;
    for (const digest item : *digests) {
        outcomes.push_back(value->filter().erase_one(item));
        changed = changed || succeeded(outcomes.back());
    }
    if (changed) {
        api.ReplicateVerbatim(now.context());
        now.changed(*value, "eb.del");
    }
    api.ReplyWithArray(now.context(), static_cast<long>(outcomes.size()));
    for (const erase_outcome one : outcomes) {
        if (succeeded(one) || one == erase_outcome::not_present) {
            now.yes_or_no(succeeded(one));
        } else {
            now.error(refusal(one));
        }
    }
    return api_ok;
}

int eb_protect(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = changeable(now, key);
    if (value == nullptr) return api_ok;
    const auto digests = digests_of(*value, now.arguments_from(2));
    if (!digests) return now.error(digests.error());
    const auto done = value->filter().exclude(*digests);
    if (!done) return now.error(done.error());
    api.ReplicateVerbatim(now.context());
    now.changed(*value, "eb.protect");
    api.ReplyWithMap(now.context(), 3);
    const auto field = [&](const char* name, std::uint64_t number) {
        api.ReplyWithSimpleString(now.context(), name);
        now.integer_reply(number);
    };
    field("negatives", done->negatives);
    field("false positives before", done->false_positives_before);
    field("false positives after", done->false_positives_after);
    return api_ok;
}

} // namespace everbloom::redis
