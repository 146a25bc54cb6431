// EB.INFO and EB.PLAN: what a filter is, and which kind of filter suits a workload.
#include "eb_commands.hpp"
#include "filter_access.hpp"

#include <everbloom/runtime/geometry_text.hpp>
#include <everbloom/runtime/planner.hpp>

namespace everbloom::redis {
namespace {

void name_and(const call& now, const char* name, std::string_view text) {
    api.ReplyWithSimpleString(now.context(), name);
    now.bulk(text);
}
void name_and(const call& now, const char* name, std::uint64_t number) {
    api.ReplyWithSimpleString(now.context(), name);
    now.integer_reply(number);
}
void name_and(const call& now, const char* name, double number) {
    api.ReplyWithSimpleString(now.context(), name);
    api.ReplyWithDouble(now.context(), number);
}

/// EB.INFO of a dump of RedisBloom.
int describe_chain(const call& now, const stored_filter& value) {
    const redisbloom_chain& chain = *value.chain;
    api.ReplyWithMap(now.context(), 7);
    name_and(now, "kind", "redisbloom");
    name_and(now, "commands", name_of(value.facts.family));
    name_and(now, "keys", chain.keys());
    name_and(now, "capacity", chain.capacity());
    name_and(now, "filters", std::uint64_t{chain.links().size()});
    name_and(now, "current error rate", chain.measured_fpr());
    name_and(now, "memory", value.memory_bytes());
    return api_ok;
}

/// One option of EB.PLAN.
result<void> take_option(const call& now, std::size_t at, planning_request& wanted) {
    const std::string_view word = now.text(at);
    const auto number = at + 1 < now.count() ? now.number(at + 1) : std::nullopt;
    if (!number || !(*number >= 0) || !(*number <= 1e15)) {
        return fail(failure_reason::bad_parameter, std::string(word) + " needs a number");
    }
    if (is_word(word, "CAPACITY")) {
        wanted.wanted.items = static_cast<std::uint64_t>(*number);
    } else if (is_word(word, "ERROR")) {
        wanted.wanted.fpr = *number;
    } else if (is_word(word, "GROWTH")) {
        wanted.lifetime.growth = *number;
    } else if (is_word(word, "REMOVED")) {
        wanted.lifetime.removed_share = *number;
    } else if (is_word(word, "CHURN")) {
        wanted.lifetime.churn_rounds = *number;
    } else if (is_word(word, "NEGATIVES")) {
        wanted.negatives = static_cast<std::uint64_t>(*number);
    } else if (is_word(word, "BYTES")) {
        wanted.memory_bytes = static_cast<std::uint64_t>(*number);
    } else {
        return fail(failure_reason::bad_parameter, "syntax error: unknown option '" + std::string(word) + "'");
    }
    return {};
}

} // namespace

int eb_info(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    const stored_filter* const value = find_complete(now, key, std::nullopt);
    if (value == nullptr) return api_ok;
    if (value->chain) return describe_chain(now, *value);
    const any_filter& filter = value->filter();
    const measurement measured = filter.measure();
    const auto exclusions = filter.exclusions() ? std::uint64_t{1} : std::uint64_t{0};
    const std::vector<geometry_value> geometry = filter.geometry();
    api.ReplyWithMap(now.context(), 11);
    name_and(now, "kind", filter.kind());
    name_and(now, "commands", name_of(value->facts.family));
    name_and(now, "keys", filter.keys() ? *filter.keys() : static_cast<std::uint64_t>(measured.items + 0.5));
    name_and(now, "capacity", value->file.target.items);
    name_and(now, "target error rate", value->file.target.fpr);
    name_and(now, "current error rate", measured.fpr);
    name_and(now, "memory", value->memory_bytes());
    name_and(now, "key type", everbloom::name_of(value->file.keys));
    name_and(now, "hash", everbloom::name_of(value->file.hasher().id()));
    name_and(now, "exclusion lists", exclusions);
    api.ReplyWithSimpleString(now.context(), "geometry");
    api.ReplyWithMap(now.context(), static_cast<long>(geometry.size()));
    for (const geometry_value& one : geometry) {
        now.bulk(one.name);
        now.bulk(value_text(one));
    }
    return api_ok;
}

int eb_plan(const call& now) {
    if (now.count() < 3 || now.count() % 2 == 0) return now.wrong_arity();
    planning_request wanted;
    wanted.lifetime = {};
    wanted.wanted.fpr = 0.01;
    for (std::size_t at = 1; at < now.count(); at += 2) {
        if (const auto taken = take_option(now, at, wanted); !taken) return now.error(taken.error());
    }
    const auto ranked = rank_kinds(wanted);
    if (!ranked) return now.error(ranked.error());
    api.ReplyWithArray(now.context(), static_cast<long>(ranked->candidates.size()));
    for (const planned_kind& one : ranked->candidates) {
        api.ReplyWithMap(now.context(), 4);
        name_and(now, "kind", one.kind->name);
        name_and(now, "bytes", one.bytes);
        name_and(now, "bits per key",
                 static_cast<double>(one.bytes) * 8 /
                     (static_cast<double>(wanted.wanted.items) * std::max(1.0, wanted.lifetime.growth)));
        name_and(now, "error rate", one.predicted.fpr.value_or(0));
    }
    return api_ok;
}

} // namespace everbloom::redis
