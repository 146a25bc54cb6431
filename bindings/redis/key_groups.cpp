#include "key_groups.hpp"

namespace everbloom::redis {

void reply_memberships(const call& now, const stored_filter* value, std::span<module_string* const> keys) {
    api.ReplyWithArray(now.context(), static_cast<long>(keys.size()));
    if (value == nullptr) {
        for (std::size_t i = 0; i < keys.size(); ++i) now.yes_or_no(false);
        return;
    }
    if (value->chain) {
        for (const module_string* const key : keys) now.yes_or_no(value->chain->may_contain(call::text_of(key)));
        return;
    }
    std::array<std::uint8_t, batch_items> answers{};
    for_key_groups(*value, keys, [&](std::span<const digest> digests, std::size_t) {
        value->filter().may_contain(digests, std::span(answers.data(), digests.size()));
        for (std::size_t i = 0; i < digests.size(); ++i) now.yes_or_no(answers[i] != 0);
        return true;
    });
}

bool may_contain(const stored_filter* value, module_string* key) {
    if (value == nullptr) return false;
    if (value->chain) return value->chain->may_contain(call::text_of(key));
    return value->filter().may_contain(value->file.hasher()(call::text_of(key)));
}

} // namespace everbloom::redis
