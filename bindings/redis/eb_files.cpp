// EB.EXPORT and EB.IMPORT: the bytes of an .eb file, so that the server exchanges filters with the command line and with other languages.
//
//     redis-cli --raw EB.EXPORT names | head -c -1 > names.eb          redis-cli -x EB.IMPORT names < names.eb
#include "eb_commands.hpp"
#include "filter_access.hpp"

#include <limits>

namespace everbloom::redis {

int eb_export(const call& now) {
    if (now.count() != 2) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    stored_filter* const value = find_filter(now, key, std::nullopt);
    if (value == nullptr) return api_ok;
    value->attach_facts();
    if (saved_bytes(value->file) > static_cast<std::uint64_t>(std::numeric_limits<int>::max()) / 4) {
        return now.error("ERR a reply has at most 512 MiB; use SCANDUMP, which answers in chunks");
    }
    const std::vector<std::byte> bytes = write_filter(value->file);
    return api.ReplyWithStringBuffer(now.context(), reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

int eb_import(const call& now) {
    const bool replace = now.count() == 4 && is_word(now.text(2), "REPLACE");
    if (now.count() != (replace ? 4U : 3U)) return now.wrong_arity();
    const std::string_view bytes = now.text(now.count() - 1);
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (!key.is_absent() && key.any() == nullptr) return now.error(wrong_type_text);
    if (!key.is_absent() && !replace) return now.error("ERR the key holds a filter already; use REPLACE");
    if (bytes.size() > most_bytes_for(now.context())) return now.error(no_memory_text);
    const counted_objects objects;
    auto file = read_filter(std::as_bytes(std::span(bytes)));
    if (!file) return now.error(file.error());
    if (is_over_maxmemory(now)) return now.error(over_maxmemory_text);
    auto value = stored(std::move(*file));
    value->object_bytes = objects.bytes();
    give(key.key(), std::move(value));
    api.ReplicateVerbatim(now.context());
    now.notify("eb.import", now.argument(1));
    return now.ok();
}

} // namespace everbloom::redis
