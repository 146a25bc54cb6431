// BF.EXISTS, BF.MEXISTS and BF.CARD. A filter whose chunks are still arriving answers like an absent one.
#include "bloom_commands.hpp"
#include "filter_access.hpp"
#include "key_groups.hpp"

namespace everbloom::redis {

int bf_exists(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    return now.yes_or_no(may_contain(find_answering(key, command_family::bloom), now.argument(2)));
}

int bf_mexists(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    reply_memberships(now, find_answering(key, command_family::bloom), now.arguments_from(2));
    return api_ok;
}

int bf_card(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    if (key.is_absent()) return now.integer_reply(0);
    const stored_filter* const value = key.of(command_family::bloom);
    if (value == nullptr) return now.error(wrong_type_text);
    return now.integer_reply(value->is_complete() ? value->keys() : 0);
}

} // namespace everbloom::redis
