#include "call.hpp"

#include "explicit_creation.hpp"
#include "preparing.hpp"
#include "settings.hpp"

#include <algorithm>

namespace everbloom::redis {

bool is_word(std::string_view given, std::string_view upper) noexcept {
    return std::equal(given.begin(), given.end(), upper.begin(), upper.end(), [](char one, char other) {
        return (one >= 'a' && one <= 'z' ? static_cast<char>(one - 'a' + 'A') : one) == other;
    });
}

std::optional<std::size_t> call::find(std::string_view upper, std::size_t first) const noexcept {
    for (std::size_t i = first; i < count(); ++i) {
        if (is_word(text(i), upper)) return i;
    }
    return std::nullopt;
}

std::string error_text(const failure& why) {
    std::string text = "ERR " + why.sentence;
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
    return text;
}

bool is_over_maxmemory(const call& now) {
    constexpr int exempt = context_may_evict | context_replicated | context_replica | context_loading;
    return !now.has_flag(exempt) && api.GetUsedMemoryRatio() > 1;
}

int run_safely(const call& now, command_body body) noexcept {
    try {
        return body(now);
    } catch (const std::exception&) { // no memory for the reply or for a filter
        return now.error("ERR the server has no memory for this command");
    }
}

stored_filter* create_value(const call& now, const opened_key& key, module_string* name, const creation& wanted) {
    const auto refuse = [&](const failure& why) -> stored_filter* {
        if (why.reason == failure_reason::out_of_memory) {
            now.error(no_memory_text);
        } else {
            now.error(why);
        }
        return nullptr;
    };
    auto made = now.take_prepared();
    if (!made) {
        const auto bytes = bytes_for(wanted, most_bytes_for(now.context()));
        if (!bytes) return refuse(bytes.error());
        if (prepare(now, wanted, *bytes)) return nullptr;
        auto created = create_filter(wanted);
        if (!created) return refuse(created.error());
        made = std::move(*created);
    }
    if (is_over_maxmemory(now)) {
        made.reset();
        now.error(over_maxmemory_text);
        return nullptr;
    }
    stored_filter* const value = made.get();
    give(key.key(), std::move(made));
    replicate_creation(now, name, *value);
    return value;
}

any_hasher new_hasher() { return {hash_id::siphash, current_settings.key}; }

} // namespace everbloom::redis
