#include "filter_access.hpp"

namespace everbloom::redis {

bool is_arriving(const call& now, const stored_filter& value) {
    if (value.is_complete()) return false;
    const std::uint64_t arrived = value.chain ? value.chain->arrived_bytes() : value.arriving->arrived_bytes();
    const std::uint64_t missing = value.chain ? value.chain->missing_bytes() : value.arriving->total_bytes() - arrived;
    now.error("ERR the filter is still being loaded: " + std::to_string(arrived) + " of " +
              std::to_string(arrived + missing) + " bytes have arrived");
    return true;
}

stored_filter* find_complete(const call& now, const opened_key& key, std::optional<command_family> family) {
    stored_filter* const value = family ? key.of(*family) : key.any();
    if (value == nullptr) {
        now.error(key.is_absent() ? not_found_text : wrong_type_text);
        return nullptr;
    }
    return is_arriving(now, *value) ? nullptr : value;
}

stored_filter* find_filter(const call& now, const opened_key& key, std::optional<command_family> family) {
    stored_filter* const value = find_complete(now, key, family);
    if (value != nullptr && value->chain) {
        now.error("ERR this filter was imported from RedisBloom and answers queries only; add new keys to another one");
        return nullptr;
    }
    return value;
}

const stored_filter* find_answering(const opened_key& key, command_family family) noexcept {
    const stored_filter* const value = key.of(family);
    return value != nullptr && value->is_complete() ? value : nullptr;
}

} // namespace everbloom::redis
