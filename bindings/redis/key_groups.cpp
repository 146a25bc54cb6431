#include "key_groups.hpp"

namespace everbloom::redis {

void reply_memberships(const call& now, const stored_filter* value, std::span<module_string* const> keys) {
    api.ReplyWithArray(now.context(), static_cast<long>(keys.size()));
    if (value == nullptr) {
        for (std::size_t i = 0; i < keys.size(); ++i) now.yes_or_no(false);
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
    return value != nullptr && value->filter().may_contain(value->file.hasher()(call::text_of(key)));
}

bool is_arriving(const call& now, const stored_filter& value) {
    if (!value.arriving) return false;
    now.error("ERR the filter is still being loaded: " + std::to_string(value.arriving->bytes) + " of " +
              std::to_string(value.arriving->total_bytes) + " bytes have arrived");
    return true;
}

} // namespace everbloom::redis
