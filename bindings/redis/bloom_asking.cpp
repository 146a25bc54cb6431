// BF.EXISTS, BF.MEXISTS, BF.CARD, BF.INFO and BF.DEBUG: what a filter knows.
#include "bloom_commands.hpp"
#include "key_groups.hpp"

#include <array>
#include <cstdio>

namespace everbloom::redis {
namespace {

/// The reserved capacity, or the first step of the expansion that holds the present keys: what a chain of filters would report.
std::uint64_t reported_capacity(const stored_filter& value) noexcept {
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

struct field {
    std::string_view option;
    const char* name;
};
constexpr std::array<field, 5> fields{field{"CAPACITY", "Capacity"}, field{"SIZE", "Size"},
                                      field{"FILTERS", "Number of filters"}, field{"ITEMS", "Number of items inserted"},
                                      field{"EXPANSION", "Expansion rate"}};

void reply_field(const call& now, const stored_filter& value, std::size_t index) {
    switch (index) {
    case 0: now.integer_reply(reported_capacity(value)); break;
    case 1: now.integer_reply(value.memory_bytes()); break;
    case 2: now.integer_reply(1); break;
    case 3: now.integer_reply(value.keys()); break;
    default:
        if (value.facts.expansion == 0) {
            api.ReplyWithNull(now.context());
        } else {
            now.integer_reply(value.facts.expansion);
        }
    }
}

/// A filter whose chunks are still arriving answers like an absent one.
const stored_filter* complete(const stored_filter* value) noexcept {
    return value != nullptr && !value->arriving ? value : nullptr;
}

} // namespace

int bf_exists(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    return now.yes_or_no(may_contain(complete(key.of(command_family::bloom)), now.argument(2)));
}

int bf_mexists(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    reply_memberships(now, complete(key.of(command_family::bloom)), now.arguments_from(2));
    return api_ok;
}

int bf_card(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    if (key.is_absent()) return now.integer_reply(0);
    const stored_filter* const value = key.of(command_family::bloom);
    if (value == nullptr) return now.error(wrong_type_text);
    return now.integer_reply(value->keys());
}

int bf_info(const call& now) {
    if (now.count() < 2 || now.count() > 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    if (key.is_absent()) return now.error(not_found_text);
    const stored_filter* const value = key.of(command_family::bloom);
    if (value == nullptr) return now.error(wrong_type_text);
    if (is_arriving(now, *value)) return api_ok;
    if (now.count() == 2) {
        api.ReplyWithMap(now.context(), static_cast<long>(fields.size())); // RESP2: a flat array
        for (std::size_t i = 0; i < fields.size(); ++i) {
            api.ReplyWithSimpleString(now.context(), fields[i].name);
            reply_field(now, *value, i);
        }
        return api_ok;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!is_word(now.text(2), fields[i].option)) continue;
        if (now.is_resp3()) {
            api.ReplyWithMap(now.context(), 1);
            api.ReplyWithSimpleString(now.context(), fields[i].name);
        } else {
            api.ReplyWithArray(now.context(), 1);
        }
        reply_field(now, *value, i);
        return api_ok;
    }
    return now.error("Invalid information value");
}

int bf_debug(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    if (key.is_absent()) return now.error(not_found_text);
    const stored_filter* const value = key.of(command_family::bloom);
    if (value == nullptr) return now.error(wrong_type_text);
    if (is_arriving(now, *value)) return api_ok;
    // The peer's words, for one filter; two lines are read for a key, or one with all of its hash functions.
    const any_filter& filter = value->filter();
    std::array<char, 256> line{};
    const int length = std::snprintf(line.data(), line.size(),
                                     "bytes:%llu bits:%llu hashes:%llu hashwidth:64 capacity:%llu size:%llu ratio:%g",
                                     static_cast<unsigned long long>(filter.payload_bytes()),
                                     static_cast<unsigned long long>(filter.structure_bits()),
                                     static_cast<unsigned long long>(filter.geometry("hashes").value_or(2)),
                                     static_cast<unsigned long long>(reported_capacity(*value)),
                                     static_cast<unsigned long long>(value->keys()), value->file.target.fpr);
    api.ReplyWithArray(now.context(), 2);
    now.bulk("size:" + std::to_string(value->keys()));
    now.bulk({line.data(), static_cast<std::size_t>(length)});
    return api_ok;
}

} // namespace everbloom::redis
