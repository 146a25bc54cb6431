// CF.ADD, CF.ADDNX, CF.INSERT, CF.INSERTNX and CF.DEL: copies are added and taken away.
//
// Additions are replicated as CF.INSERT of what was really added, behind the creation of the filter if there was one.
#include "cuckoo_commands.hpp"
#include "filter_access.hpp"
#include "key_groups.hpp"
#include "settings.hpp"

namespace everbloom::redis {
namespace {

enum class presence { ignored, refused }; // of a key that is there already: another copy, or none

constexpr int added = 1;
constexpr int present = 0;
constexpr int full = -1;

/// One copy of a key.
int add_copy(stored_filter& value, digest item, presence rule, bool has_memory) {
    any_filter& filter = value.filter();
    if (rule == presence::refused && filter.may_contain(item)) return present;
    const bool has_room = value.facts.expansion != 0 || value.keys() < value.facts.capacity;
    return has_memory && has_room && succeeded(filter.insert_one(item)) ? added : full;
}

void replicate_copies(const call& now, stored_filter& value, std::span<module_string*> fresh) {
    if (fresh.empty()) return;
    api.Replicate(now.context(), "CF.INSERT", "sccv", now.argument(1), "NOCREATE", "ITEMS", fresh.data(), fresh.size());
    now.changed(value, "cf.add");
}

std::vector<int> add_copies(const call& now, stored_filter& value, std::span<module_string* const> keys,
                            presence rule) {
    std::vector<int> outcomes;
    std::vector<module_string*> fresh;
    outcomes.reserve(keys.size());
    fresh.reserve(keys.size());
    for_key_groups(value, keys, [&](std::span<const digest> digests, std::size_t first) {
        // Refused keys are reported one by one, so those of a whole group may be.
        const bool has_memory = may_grow(now.context(), value) && (first == 0 || !is_over_maxmemory(now));
        for (std::size_t i = 0; i < digests.size(); ++i) {
            outcomes.push_back(add_copy(value, digests[i], rule, has_memory));
            if (outcomes.back() == added) fresh.push_back(keys[first + i]);
        }
        return true;
    });
    replicate_copies(now, value, fresh);
    return outcomes;
}

/// The filter behind the key, made if there is none; null after an error reply.
stored_filter* cuckoo_found_or_made(const call& now, const opened_key& key, std::uint64_t capacity) {
    if (key.is_absent()) {
        cuckoo_options options;
        options.capacity = capacity;
        if (capacity < 2 * options.bucket_keys) {
            now.error(small_capacity_text);
            return nullptr;
        }
        return create_value(now, key, now.argument(1), cuckoo_creation(options));
    }
    return find_filter(now, key, command_family::cuckoo);
}

int add_single(const call& now, presence rule) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = cuckoo_found_or_made(now, key, current_settings.cuckoo_size);
    if (value == nullptr) return api_ok;
    module_string* item = now.argument(2);
    const digest hashed = value->file.hasher()(call::text_of(item));
    const int outcome = add_copy(*value, hashed, rule, may_grow(now.context(), *value));
    if (outcome == added) replicate_copies(now, *value, std::span(&item, 1));
    return outcome == full ? now.error("Filter is full") : now.yes_or_no(outcome == added);
}

int add_many(const call& now, presence rule) {
    if (now.count() < 4) return now.wrong_arity();
    std::uint64_t capacity = current_settings.cuckoo_size;
    bool create = true;
    std::optional<std::size_t> items;
    for (std::size_t at = 2; at < now.count() && !items; ++at) {
        if (is_word(now.text(at), "ITEMS")) {
            items = at + 1;
        } else if (is_word(now.text(at), "NOCREATE")) {
            create = false;
        } else if (is_word(now.text(at), "CAPACITY")) {
            if (++at == now.count()) return now.wrong_arity();
            const auto given = now.integer(at);
            if (!given) return now.error("Bad capacity");
            capacity = static_cast<std::uint64_t>(std::max(*given, 0LL));
        } else {
            return now.error("Unknown argument received");
        }
    }
    if (!items || *items == now.count()) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (!create && key.is_absent()) return now.error(not_found_text);
    stored_filter* const value = cuckoo_found_or_made(now, key, capacity);
    if (value == nullptr) return api_ok;
    const std::vector<int> outcomes = add_copies(now, *value, now.arguments_from(*items), rule);
    // The peer's replies: truth values in RESP3, which cannot say "full", except for INSERTNX.
    const bool truths = rule == presence::ignored && now.is_resp3();
    api.ReplyWithArray(now.context(), static_cast<long>(outcomes.size()));
    for (const int one : outcomes) {
        if (truths) {
            now.yes_or_no(one == added);
        } else {
            api.ReplyWithLongLong(now.context(), one);
        }
    }
    return api_ok;
}

} // namespace

int cf_add(const call& now) { return add_single(now, presence::ignored); }
int cf_addnx(const call& now) { return add_single(now, presence::refused); }
int cf_insert(const call& now) { return add_many(now, presence::ignored); }
int cf_insertnx(const call& now) { return add_many(now, presence::refused); }

int cf_del(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = key.of(command_family::cuckoo);
    if (value == nullptr) return now.error("Not found");
    if (is_arriving(now, *value)) return api_ok;
    const bool removed = succeeded(value->filter().erase_one(value->file.hasher()(now.text(2))));
    if (removed) {
        ++value->facts.deleted;
        api.ReplicateVerbatim(now.context());
        now.changed(*value, "cf.del");
    }
    return now.yes_or_no(removed);
}

} // namespace everbloom::redis
