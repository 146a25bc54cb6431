// BF.MERGE and BF.RESIZE: what a chain of Bloom filters cannot do.
#include "bloom_shaping.hpp"

#include "filter_access.hpp"

#include <everbloom/jobs/resizing.hpp>

namespace everbloom::redis {
namespace {

constexpr const char* not_mergeable_text =
    "ERR only filters with the same hash key, capacity and error rate can be merged; reserve both on servers with the "
    "same HASH_KEY, or make the second with COPY before keys are added";

enum class uniting { done, different, no_room };

/// Adds the keys of `from` that are not there yet, by their fingerprints.
uniting unite(any_filter& into, any_filter& from) {
    quotient::filter* const target = into.as<quotient>();
    const quotient::filter* const source = from.as<quotient>();
    const bool fit = target != nullptr && source != nullptr && target->spec().has_fingerprints_of(source->spec());
    if (!fit) return uniting::different;
    bool all = true;
    source->for_each_digest([&](digest item, std::uint64_t) {
        if (all && !target->may_contain(item)) all = succeeded(target->insert(item));
    });
    return all ? uniting::done : uniting::no_room;
}

/// The sources of BF.MERGE, open as long as it lasts.
struct merge_source {
    std::unique_ptr<opened_key> key;
    stored_filter* value = nullptr;
};

/// A filter with the keys of all; nothing after an error reply.
std::optional<any_filter> united(const call& now, const stored_filter& first, std::span<const merge_source> others) {
    auto made = first.filter().clone();
    if (!made) {
        now.error(made.error());
        return std::nullopt;
    }
    for (const merge_source& one : others) {
        const bool alike =
            one.value->file.hasher() == first.file.hasher() && one.value->facts.deletable == first.facts.deletable;
        const uniting outcome = alike ? unite(*made, one.value->filter()) : uniting::different;
        if (outcome == uniting::different) {
            now.error(not_mergeable_text);
            return std::nullopt;
        }
        if (outcome == uniting::no_room) {
            now.error("ERR there is no room for the keys of all filters");
            return std::nullopt;
        }
    }
    if (made->keys().value_or(0) > first.most_keys) {
        now.error("ERR the filters have too many keys together to tell them apart");
        return std::nullopt;
    }
    if (made->memory_bytes() > most_bytes_for(now.context())) {
        now.error(no_memory_text);
        return std::nullopt;
    }
    if (is_over_maxmemory(now)) {
        now.error(over_maxmemory_text);
        return std::nullopt;
    }
    return std::move(*made);
}

} // namespace

int bf_merge(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key target(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const present = target.is_absent() ? nullptr : find_filter(now, target, command_family::bloom);
    if (!target.is_absent() && present == nullptr) return api_ok;
    std::vector<merge_source> sources;
    for (module_string* const name : now.arguments_from(2)) {
        merge_source one;
        one.key = std::make_unique<opened_key>(now, name, open_for_reading);
        one.value = find_filter(now, *one.key, command_family::bloom);
        if (one.value == nullptr) return api_ok;
        sources.push_back(std::move(one));
    }
    const stored_filter& first = present != nullptr ? *present : *sources.front().value;
    auto made = united(now, first, sources);
    if (!made) return api_ok;
    if (present != nullptr) {
        present->filter() = std::move(*made);
        present->dump.reset();
    } else {
        auto value = std::make_unique<stored_filter>();
        value->file = filter_file{{std::move(*made), first.file.hasher()}, first.file.keys, first.file.target};
        value->facts = first.facts;
        value->set_most_keys();
        give(target.key(), std::move(value));
    }
    api.ReplicateVerbatim(now.context());
    now.notify("bf.merge", now.argument(1));
    return now.ok();
}

int bf_resize(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = find_filter(now, key, command_family::bloom);
    if (value == nullptr) return api_ok;
    const auto capacity = now.integer(2);
    if (!capacity) return now.error("ERR bad capacity");
    if (*capacity <= 0) return now.error("ERR (capacity should be larger than 0)");
    const auto wanted = static_cast<std::uint64_t>(*capacity);
    const std::uint64_t most_bytes = most_bytes_for(now.context());
    if (wanted / 8 > most_bytes) return now.error(no_memory_text);
    auto plan = plan_resize(value->file, value->filter().measure(), {.capacity = wanted}, capacity_rule::present_keys);
    if (!plan) return now.error(plan.error());
    if (plan->resized.memory_bytes() > most_bytes) return now.error(no_memory_text);
    if (is_over_maxmemory(now)) return now.error(over_maxmemory_text); // with the empty filter of the plan
    if (const auto done = apply_resize(value->file, *plan); !done) return now.error(done.error());
    value->facts.capacity = wanted;
    api.ReplicateVerbatim(now.context());
    now.changed(*value, "bf.resize");
    return now.ok();
}

} // namespace everbloom::redis
