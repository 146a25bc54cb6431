// EB.EXPORT and EB.IMPORT: the bytes of an .eb file, so that the server exchanges filters with the command line and with other languages.
//
//     redis-cli --raw EB.EXPORT names | head -c -1 > names.eb          redis-cli -x EB.IMPORT names < names.eb
//
// EB.EXPORT names FROM 0 gives 16 MiB of them, and so on from the next byte: in steps for clients that cannot wait, and without a limit.
#include "eb_commands.hpp"
#include "exporting.hpp"
#include "filter_access.hpp"
#include "job.hpp"
#include "preparing.hpp"
#include "settings.hpp"

namespace everbloom::redis {
namespace {

/// Of a reply; the server's own limit for strings.
constexpr std::uint64_t most_reply_bytes = std::uint64_t{512} << 20;
constexpr std::uint64_t most_part_bytes = std::uint64_t{16} << 20;

int reply_bytes(const call& now, std::span<const std::byte> bytes) {
    return api.ReplyWithStringBuffer(now.context(), reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// The part of the file that begins with this byte; empty behind its end.
int export_part(const call& now, stored_filter& value, std::uint64_t first) {
    if (first == 0 || !value.dump) value.dump = std::make_unique<file_parts>(value.file);
    const auto part = value.dump->read(value.file, first, most_part_bytes);
    if (part.empty()) value.dump.reset();
    return reply_bytes(now, part);
}

int export_whole(const call& now, stored_filter& value) {
    auto begun = std::make_unique<exporting>(value);
    if (begun->total_bytes() > most_reply_bytes) {
        return now.error("ERR a reply has at most 512 MiB; use EB.EXPORT key FROM byte, which answers in parts");
    }
    const bool waits = may_wait(now);
    while (begun->advance(now, waits ? current_settings.step_bytes : everything) == work::progress::under_way) {
        if (!waits) continue;
        begin_job(now, std::move(begun));
        return api_ok;
    }
    job_reply reply;
    begun->end(now, reply);
    return reply_bytes(now, reply.bytes);
}

} // namespace

int eb_export(const call& now) {
    const bool in_parts = now.count() == 4 && is_word(now.text(2), "FROM");
    if (now.count() != (in_parts ? 4U : 2U)) return now.wrong_arity();
    const auto first = in_parts ? now.integer(3) : 0;
    if (!first || *first < 0) return now.error("ERR FROM needs the number of a byte");
    const opened_key key(now, now.argument(1), open_for_reading);
    stored_filter* const value = find_filter(now, key, std::nullopt);
    if (value == nullptr) return api_ok;
    value->attach_facts();
    return in_parts ? export_part(now, *value, static_cast<std::uint64_t>(*first)) : export_whole(now, *value);
}

int eb_import(const call& now) {
    const bool replace = now.count() == 4 && is_word(now.text(2), "REPLACE");
    if (now.count() != (replace ? 4U : 3U)) return now.wrong_arity();
    const std::string_view bytes = now.text(now.count() - 1);
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (!key.is_absent() && key.any() == nullptr) return now.error(wrong_type_text);
    if (!key.is_absent() && !replace) return now.error("ERR the key holds a filter already; use REPLACE");
    if (bytes.size() > most_bytes_for(now.context())) return now.error(no_memory_text);
    auto value = now.take_prepared();
    if (!value) {
        if (prepare_from_file(now, now.count() - 1)) return api_ok;
        const counted_objects objects;
        auto file = read_filter(std::as_bytes(std::span(bytes)));
        if (!file) return now.error(file.error());
        value = stored(std::move(*file));
        value->object_bytes = objects.bytes();
    }
    if (is_over_maxmemory(now)) return now.error(over_maxmemory_text);
    give(key.key(), std::move(value));
    api.ReplicateVerbatim(now.context());
    now.notify("eb.import", now.argument(1));
    return now.ok();
}

} // namespace everbloom::redis
