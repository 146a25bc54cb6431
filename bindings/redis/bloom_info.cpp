// BF.INFO, BF.DEBUG and BF.STATS: what a filter is, in the peer's words and in ours.
//
// A dump of RedisBloom answers them as well, with its own numbers.
#include "bloom_commands.hpp"
#include "filter_access.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace everbloom::redis {
namespace {

/// The reserved capacity, or the first step of the expansion that holds the present keys: what a chain of filters would report.
std::uint64_t reported_capacity(const stored_filter& value) noexcept {
    if (value.chain) return value.chain->capacity();
    const filter_facts& facts = value.facts;
    std::uint64_t last = std::max<std::uint64_t>(facts.capacity, 1);
    std::uint64_t sum = last;
    if (facts.expansion == 1) return std::max(sum, (value.keys() + last - 1) / last * last);
    while (facts.expansion != 0 && sum < value.keys()) {
        last *= std::min<std::uint64_t>(facts.expansion, 1 << 15);
        sum += last;
    }
    return sum;
}

struct info_field {
    std::string_view option;
    const char* name;
};
constexpr std::array<info_field, 5> info_fields{
    info_field{"CAPACITY", "Capacity"}, info_field{"SIZE", "Size"}, info_field{"FILTERS", "Number of filters"},
    info_field{"ITEMS", "Number of items inserted"}, info_field{"EXPANSION", "Expansion rate"}};

void reply_info_field(const call& now, const stored_filter& value, std::size_t index) {
    const std::uint64_t expansion = value.chain ? value.chain->expansion() : value.facts.expansion;
    switch (index) {
    case 0: now.integer_reply(reported_capacity(value)); break;
    case 1: now.integer_reply(value.memory_bytes()); break;
    case 2: now.integer_reply(value.chain ? value.chain->links().size() : 1); break;
    case 3: now.integer_reply(value.keys()); break;
    default:
        if (expansion == 0) {
            api.ReplyWithNull(now.context());
        } else {
            now.integer_reply(expansion);
        }
    }
}

/// One filter of BF.DEBUG.
struct debug_line {
    std::uint64_t bytes;
    std::uint64_t bits;
    std::uint64_t hashes;
    std::uint64_t capacity;
    std::uint64_t keys;
    double error_rate;
};

void reply_debug_line(const call& now, const debug_line& line) {
    std::array<char, 256> text{};
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    const int length = std::snprintf(text.data(), text.size(),
                                     "bytes:%llu bits:%llu hashes:%llu hashwidth:64 capacity:%llu size:%llu ratio:%g",
                                     number(line.bytes), number(line.bits), number(line.hashes), number(line.capacity),
                                     number(line.keys), line.error_rate);
    now.bulk({text.data(), static_cast<std::size_t>(length)});
}

void stat(const call& now, const char* name, std::uint64_t value) {
    api.ReplyWithSimpleString(now.context(), name);
    now.integer_reply(value);
}
void stat(const call& now, const char* name, double value) {
    api.ReplyWithSimpleString(now.context(), name);
    api.ReplyWithDouble(now.context(), value);
}

} // namespace

int bf_info(const call& now) {
    if (now.count() < 2 || now.count() > 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    const stored_filter* const value = find_complete(now, key, command_family::bloom);
    if (value == nullptr) return api_ok;
    if (now.count() == 2) {
        api.ReplyWithMap(now.context(), static_cast<long>(info_fields.size())); // RESP2: a flat array
        for (std::size_t i = 0; i < info_fields.size(); ++i) {
            api.ReplyWithSimpleString(now.context(), info_fields[i].name);
            reply_info_field(now, *value, i);
        }
        return api_ok;
    }
    for (std::size_t i = 0; i < info_fields.size(); ++i) {
        if (!is_word(now.text(2), info_fields[i].option)) continue;
        if (now.is_resp3()) {
            api.ReplyWithMap(now.context(), 1);
            api.ReplyWithSimpleString(now.context(), info_fields[i].name);
        } else {
            api.ReplyWithArray(now.context(), 1);
        }
        reply_info_field(now, *value, i);
        return api_ok;
    }
    return now.error("Invalid information value");
}

int bf_debug(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    const stored_filter* const value = find_complete(now, key, command_family::bloom);
    if (value == nullptr) return api_ok;
    const std::size_t filters = value->chain ? value->chain->links().size() : 1;
    api.ReplyWithArray(now.context(), static_cast<long>(1 + filters));
    now.bulk("size:" + std::to_string(value->keys()));
    if (value->chain) {
        for (const redisbloom_chain::link& one : value->chain->links()) {
            reply_debug_line(now, {one.bytes, one.bytes * 8, one.hashes, one.capacity, one.keys, one.error_rate});
        }
        return api_ok;
    }
    // Two lines are read for a key, or one with all of its hash functions.
    const any_filter& filter = value->filter();
    reply_debug_line(now, {filter.payload_bytes(), filter.structure_bits(), filter.geometry("hashes").value_or(2),
                           reported_capacity(*value), value->keys(), value->file.target.fpr});
    return api_ok;
}

int bf_stats(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    const stored_filter* const value = find_filter(now, key, command_family::bloom);
    if (value == nullptr) return api_ok;
    const any_filter& filter = value->filter();
    const measurement measured = filter.measure();
    const auto keys = static_cast<double>(value->keys());
    api.ReplyWithMap(now.context(), 9);
    api.ReplyWithSimpleString(now.context(), "Kind");
    now.bulk(filter.kind());
    stat(now, "Keys", value->keys());
    stat(now, "Capacity", value->facts.capacity);
    stat(now, "Target error rate", value->file.target.fpr);
    stat(now, "Current error rate", measured.fpr);
    stat(now, "Error rate is kept up to",
         value->facts.deletable ? value->most_keys : filter.geometry("planned_keys").value_or(0));
    stat(now, "Deletable share", value->facts.deletable ? measured.deletable_share.value_or(0) : 0.0);
    stat(now, "Memory", value->memory_bytes());
    stat(now, "Bits per key", keys > 0 ? static_cast<double>(filter.memory_bytes()) * 8 / keys : 0.0);
    return api_ok;
}

} // namespace everbloom::redis
