// BF.ADD, BF.MADD and BF.INSERT: adding keys to a set.
//
// Only keys that were really added are replicated, behind the creation of the filter if there was one: a replica repeats what happened, not
// what was asked for.
#include "bloom_commands.hpp"
#include "filter_access.hpp"
#include "key_groups.hpp"
#include "settings.hpp"

namespace everbloom::redis {
namespace {

constexpr const char* full_text = "ERR non scaling filter is full";
constexpr const char* refused_text = "ERR problem inserting into filter";
constexpr const char* outgrown_text =
    "ERR this DELETABLE filter has too many keys to tell them apart; reserve one with a larger capacity";

/// What happened to the keys of a command, up to the first that was refused.
struct addition {
    std::vector<std::uint8_t> added; // one per key that was looked at
    std::vector<module_string*> fresh;
    const char* refusal = nullptr;
};

/// How many keys the filter may have, and the words for one more.
struct key_limit {
    std::uint64_t most;
    const char* words;
};
key_limit limit_of(const stored_filter& value) noexcept {
    const filter_facts& facts = value.facts;
    if (facts.expansion == 0 && facts.capacity <= value.most_keys) return {facts.capacity, full_text};
    return {value.most_keys, outgrown_text};
}

/// Adds a key that is not there; null, or why not.
const char* add_one(stored_filter& value, digest item, bool has_memory, bool& is_new) {
    const key_limit limit = limit_of(value);
    quotient::filter* const table = value.as_quotient();
    insert_outcome outcome = insert_outcome::already_present;
    if (table != nullptr && has_memory && table->keys() < limit.most) {
        outcome = table->insert_new(item);
    } else if (!value.filter().may_contain(item)) {
        if (value.keys() >= limit.most) return limit.words;
        if (!has_memory) return refused_text;
        outcome = value.filter().insert_one(item);
    }
    is_new = succeeded(outcome);
    return is_new || outcome == insert_outcome::already_present ? nullptr : refused_text;
}

/// The same for a group of keys; where there is room for all of them, at once.
const char* add_group(stored_filter& value, std::span<const digest> items, bool has_memory,
                      std::vector<std::uint8_t>& added) {
    quotient::filter* const table = value.as_quotient();
    const std::uint64_t most = limit_of(value).most;
    if (table != nullptr && has_memory && table->keys() < most && items.size() <= most - table->keys()) {
        std::array<insert_outcome, batch_items> outcomes; // NOLINT(*-member-init): written before it is read
        const std::size_t done = table->insert_new(items, outcomes);
        for (std::size_t i = 0; i < done; ++i) {
            const bool is_new = succeeded(outcomes[i]);
            if (!is_new && outcomes[i] != insert_outcome::already_present) return refused_text;
            added.push_back(is_new ? 1 : 0);
        }
        return nullptr;
    }
    for (const digest item : items) {
        bool is_new = false;
        if (const char* const refusal = add_one(value, item, has_memory, is_new)) return refusal;
        added.push_back(is_new ? 1 : 0);
    }
    return nullptr;
}

void add_keys(const call& now, stored_filter& value, std::span<module_string* const> keys, addition& done) {
    for_key_groups(value, keys, [&](std::span<const digest> digests, std::size_t first) {
        // One look per group: a group adds a few kilobytes.
        if (first != 0 && is_over_maxmemory(now)) {
            done.refusal = over_maxmemory_text;
        } else {
            done.refusal = add_group(value, digests, may_grow(now.context(), value), done.added);
        }
        for (std::size_t i = first; i < done.added.size(); ++i) {
            if (done.added[i] != 0) done.fresh.push_back(keys[i]);
        }
        return done.refusal == nullptr;
    });
}

/// Adds, replicates and notifies. `verbatim`: the command as it came would do the same elsewhere.
addition add_and_replicate(const call& now, stored_filter& value, std::span<module_string* const> keys, bool verbatim) {
    addition done;
    done.added.reserve(keys.size());
    done.fresh.reserve(keys.size());
    add_keys(now, value, keys, done);
    if (done.fresh.empty()) return done;
    if (verbatim && done.fresh.size() == keys.size()) {
        api.ReplicateVerbatim(now.context());
    } else {
        api.Replicate(now.context(), "BF.MADD", "sv", now.argument(1), done.fresh.data(), done.fresh.size());
    }
    now.changed(value, "bf.add");
    return done;
}

int reply_array(const call& now, const addition& done) {
    api.ReplyWithArray(now.context(), static_cast<long>(done.added.size() + (done.refusal != nullptr ? 1 : 0)));
    for (const std::uint8_t one : done.added) now.yes_or_no(one != 0);
    if (done.refusal != nullptr) now.error(done.refusal);
    return api_ok;
}

bloom_options default_options() {
    return {current_settings.error_rate, current_settings.initial_size, 2, current_settings.deletable};
}

/// The filter behind the key, made if there is none; null after an error reply.
stored_filter* found_or_made(const call& now, const opened_key& key, const bloom_options& options, bool& was_made) {
    was_made = false;
    stored_filter* const value = key.of(command_family::bloom);
    if (value != nullptr && value->is_complete() && !value->chain) return value; // nearly always
    was_made = value == nullptr && key.is_absent();
    if (was_made) return create_value(now, key, now.argument(1), bloom_creation(options));
    return find_filter(now, key, command_family::bloom);
}

} // namespace

int bf_add(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    bool was_made = false;
    stored_filter* const value = found_or_made(now, key, default_options(), was_made);
    if (value == nullptr) return api_ok;
    module_string* const item = now.argument(2);
    const digest hashed = value->file.hasher()(call::text_of(item));
    bool is_new = false;
    if (const char* const refusal = add_one(*value, hashed, may_grow(now.context(), *value), is_new)) {
        return now.error(refusal);
    }
    if (is_new && was_made) api.Replicate(now.context(), "BF.ADD", "ss", now.argument(1), item);
    if (is_new && !was_made) api.ReplicateVerbatim(now.context());
    if (is_new) now.changed(*value, "bf.add");
    return now.yes_or_no(is_new);
}

int bf_madd(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    bool was_made = false;
    stored_filter* const value = found_or_made(now, key, default_options(), was_made);
    if (value == nullptr) return api_ok;
    return reply_array(now, add_and_replicate(now, *value, now.arguments_from(2), !was_made));
}

int bf_insert(const call& now) {
    if (now.count() < 4) return now.wrong_arity();
    bloom_options options = default_options();
    bool create = true;
    std::optional<std::size_t> items;
    for (std::size_t at = 2; at < now.count() && !items; ++at) {
        // As the peer does: by the first letters, in any order.
        const auto letter = [&](std::size_t index) {
            const std::string_view word = now.text(at);
            return index < word.size() ? static_cast<char>(word[index] | 0x20) : '\0';
        };
        const char first = letter(0);
        const bool has_value = first == 'c' || first == 'e';
        if (has_value && at + 1 == now.count()) return now.wrong_arity();
        if (first == 'i') {
            items = at + 1;
        } else if (first == 'c') {
            const auto capacity = now.integer(++at);
            if (!capacity) return now.error("Bad capacity");
            if (*capacity <= 0) return now.error("Bad argument received");
            options.capacity = static_cast<std::uint64_t>(*capacity);
        } else if (first == 'e' && letter(1) == 'x') {
            const auto expansion = now.integer(++at);
            if (!expansion) return now.error("Bad expansion");
            if (*expansion < 1) return now.error("Bad argument received");
            if (options.expansion != 0) options.expansion = static_cast<std::uint64_t>(*expansion);
        } else if (first == 'e') {
            const auto rate = now.number(++at);
            if (!rate) return now.error("Bad error rate");
            if (!(*rate > 0) || !(*rate < 1)) return now.error("Bad argument received");
            options.error_rate = *rate;
        } else if (first == 'n' && letter(2) == 'c') {
            create = false;
        } else if (first == 'n') {
            options.expansion = 0;
        } else if (first == 'd') {
            options.deletable = true;
        } else {
            return now.error("Unknown argument received");
        }
    }
    if (!items || *items == now.count()) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (!create && key.is_absent()) return now.error(not_found_text);
    bool was_made = false;
    stored_filter* const value = found_or_made(now, key, options, was_made);
    if (value == nullptr) return api_ok;
    return reply_array(now, add_and_replicate(now, *value, now.arguments_from(*items), false));
}

} // namespace everbloom::redis
