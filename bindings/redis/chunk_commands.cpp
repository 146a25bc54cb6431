#include "chunk_commands.hpp"

namespace everbloom::redis {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) noexcept { return std::as_bytes(std::span(text)); }

/// A key whose filter begins to arrive.
stored_filter* begin_arriving(const opened_key& key, command_family family, std::uint64_t total) {
    auto value = std::make_unique<stored_filter>();
    value->facts.family = family;
    value->arriving.emplace();
    value->arriving->total_bytes = total;
    stored_filter* const begun = value.get();
    give(key.key(), std::move(value));
    return begun;
}

std::optional<command_family> family_named(std::string_view name) noexcept {
    for (const command_family family : {command_family::plain, command_family::bloom, command_family::cuckoo}) {
        if (is_word(name, name_of(family))) return family;
    }
    return std::nullopt;
}

} // namespace

int eb_loadchunk(const call& now) {
    if (now.count() != 5) return now.wrong_arity();
    const auto family = family_named(now.text(2));
    const auto total = now.integer(3);
    const std::string_view chunk = now.text(4);
    if (!family) return now.error("ERR the second argument must be EB, BF or CF");
    if (!total || *total < 1 || chunk.empty())
        return now.error("ERR a chunk and the bytes of all chunks must be given");
    const auto bytes = static_cast<std::uint64_t>(*total);
    if (bytes > most_bytes_for(now.context())) return now.error(no_memory_text);

    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (!key.is_absent() && key.of(*family) == nullptr) return now.error(wrong_type_text);
    stored_filter* value = key.of(*family);
    if (value != nullptr && (!value->arriving || value->arriving->total_bytes != bytes)) return now.error(exists_text);
    const std::uint64_t before = value != nullptr ? value->arriving->bytes : 0;
    if (chunk.size() > bytes - before) return now.error("ERR the chunks are longer than the whole");
    if (value == nullptr) value = begin_arriving(key, *family, bytes);
    api.ReplicateVerbatim(now.context());
    if (const auto taken = take_chunk(*value, bytes_of(chunk)); !taken) {
        api.DeleteKey(key.key());
        return now.error(taken.error());
    }
    if (!value->arriving) now.notify("eb.loadchunk", now.argument(1));
    return now.ok();
}

} // namespace everbloom::redis
