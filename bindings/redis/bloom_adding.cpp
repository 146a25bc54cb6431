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
    "ERR this DELETABLE filter has so many keys that it may take one for another; reserve one with a larger capacity";

/// What happened to the keys of a command, up to the first that was refused.
struct addition {
    std::vector<std::uint8_t> added; // one per key that was looked at
    std::vector<module_string*> fresh;
    const char* refusal = nullptr;
};

/// Adds one key that the filter does not seem to have; null, or why not.
const char* add_one(stored_filter& value, digest item, bool may_grow, bool& is_new) {
    any_filter& filter = value.filter();
    is_new = false;
    if (filter.may_contain(item)) return nullptr; // a key of this very command may have brought it
    if (value.facts.expansion == 0 && value.keys() >= value.facts.capacity) return full_text;
    if (value.keys() >= value.most_keys) return outgrown_text;
    if (!may_grow) return refused_text;
    is_new = succeeded(filter.insert_one(item));
    return is_new ? nullptr : refused_text;
}

void add_keys(const call& now, stored_filter& value, std::span<module_string* const> keys, addition& done) {
    std::array<std::uint8_t, batch_items> there{};
    const std::uint64_t most_bytes = most_bytes_for(now.context());
    for_key_groups(value, keys, [&](std::span<const digest> digests, std::size_t first) {
        // One look per group: a group adds a few kilobytes.
        if (first != 0 && is_over_maxmemory(now)) {
            done.refusal = over_maxmemory_text;
            return false;
        }
        const bool may_grow = value.filter().memory_bytes() < most_bytes;
        value.filter().may_contain(digests, std::span(there.data(), digests.size()));
        for (std::size_t i = 0; i < digests.size(); ++i) {
            bool is_new = false;
            if (there[i] == 0) {
                done.refusal = add_one(value, digests[i], may_grow, is_new);
                if (done.refusal != nullptr) return false;
            }
            done.added.push_back(is_new ? 1 : 0);
            if (is_new) done.fresh.push_back(keys[first + i]);
        }
        return true;
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
    now.notify("bf.add", now.argument(1));
    return done;
}

int reply_array(const call& now, const addition& done) {
    api.ReplyWithArray(now.context(), static_cast<long>(done.added.size() + (done.refusal != nullptr ? 1 : 0)));
    for (const std::uint8_t one : done.added) now.yes_or_no(one != 0);
    if (done.refusal != nullptr) now.error(done.refusal);
    return api_ok;
}

bloom_options default_options() { return {current_settings.error_rate, current_settings.initial_size, 2, false}; }

/// The filter behind the key, made if there is none; null after an error reply.
stored_filter* found_or_made(const call& now, const opened_key& key, const bloom_options& options, bool& was_made) {
    was_made = key.is_absent();
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
    const addition done = add_and_replicate(now, *value, now.arguments_from(2), !was_made);
    return done.refusal != nullptr ? now.error(done.refusal) : now.yes_or_no(done.added.front() != 0);
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
