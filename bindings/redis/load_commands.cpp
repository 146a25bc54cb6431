// BF.LOADCHUNK, CF.LOADCHUNK and EB.LOADCHUNK: a filter from the chunks of a dump, of ours or of RedisBloom's.
#include "chunk_commands.hpp"
#include "dump_header.hpp"
#include "filter_access.hpp"

namespace everbloom::redis {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) noexcept { return std::as_bytes(std::span(text)); }

/// A key whose filter begins to arrive; null without memory.
stored_filter* begin_arriving(const opened_key& key, command_family family, std::uint64_t total) {
    auto arrival = filter_arrival::of(total);
    if (!arrival) return nullptr;
    auto value = std::make_unique<stored_filter>();
    value->facts.family = family;
    value->arriving = std::move(*arrival);
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

/// A key with the header of a dump of RedisBloom.
result<void> begin_chain(const opened_key& key, std::string_view header, std::uint64_t most_bytes) {
    auto chain = redisbloom_chain::from_header(header, most_bytes);
    if (!chain) return fail(std::move(chain.error()));
    auto value = std::make_unique<stored_filter>();
    value->facts.family = command_family::bloom;
    value->chain = std::move(*chain);
    give(key.key(), std::move(value));
    return {};
}

/// The next bytes of such a dump; its positions are those of ours: one more than the bytes up to the chunk's end.
result<void> continue_chain(redisbloom_chain& chain, std::uint64_t position, std::string_view chunk) {
    if (position < 2 || chunk.empty() || position - 1 != chain.arrived_bytes() + chunk.size()) {
        return fail(failure_reason::mismatch,
                    "the chunks must come in order, with the positions they were dumped with");
    }
    if (chunk.size() > chain.missing_bytes()) return fail(failure_reason::damaged, "the chunk is longer than the rest");
    chain.append(bytes_of(chunk));
    return {};
}

/// What the two families say differently.
struct load_texts {
    command_family family;
    const char* bad_position;
    const char* bad_header;
    const char* bad_offset;
    const char* too_long;
    const char* bad_contents;
};
constexpr load_texts bloom_texts{command_family::bloom,
                                 "ERR Second argument must be numeric",
                                 "ERR received bad data",
                                 "ERR invalid offset - no link found",
                                 "ERR invalid chunk - Too big for current filter",
                                 "ERR received bad data"};
constexpr load_texts cuckoo_texts{command_family::cuckoo, "Invalid position",     "Invalid header",
                                  "Couldn't load chunk!", "Couldn't load chunk!", "Couldn't load chunk!"};

int load_header(const call& now, const opened_key& key, const load_texts& texts) {
    const auto total = total_of(now.text(3));
    if (!total && texts.family == command_family::bloom) {
        const auto begun = begin_chain(key, now.text(3), most_bytes_for(now.context()));
        if (!begun && begun.error().reason == failure_reason::out_of_memory) return now.error(no_memory_text);
        if (!begun && begun.error().reason == failure_reason::unsupported) return now.error(begun.error());
        if (!begun) return now.error(texts.bad_header);
        api.ReplicateVerbatim(now.context());
        return now.ok();
    }
    if (!total || *total == 0) return now.error(texts.bad_header);
    if (*total > most_bytes_for(now.context())) return now.error(no_memory_text);
    if (begin_arriving(key, texts.family, *total) == nullptr) return now.error(no_memory_text);
    api.ReplicateVerbatim(now.context());
    return now.ok();
}

int load_chunk(const call& now, const load_texts& texts) {
    if (now.count() != 4) return now.wrong_arity();
    const auto position = now.integer(2);
    const bool is_cuckoo = texts.family == command_family::cuckoo;
    if (!position || (is_cuckoo && *position <= 0)) return now.error(texts.bad_position);
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (key.is_absent()) return *position == 1 ? load_header(now, key, texts) : now.error(not_found_text);
    stored_filter* const value = key.of(texts.family);
    if (value == nullptr) return now.error(wrong_type_text);
    if (*position <= 1) return now.error(is_cuckoo ? exists_text : texts.bad_header);
    if (value->chain) {
        const std::string_view bits = now.text(3);
        if (bits.size() > value->chain->missing_bytes()) {
            return now.error(value->is_complete() ? texts.bad_offset : texts.too_long);
        }
        if (!continue_chain(*value->chain, static_cast<std::uint64_t>(*position), bits))
            return now.error(texts.bad_offset);
        api.ReplicateVerbatim(now.context());
        if (value->is_complete()) now.notify("bf.loadchunk", now.argument(1));
        return now.ok();
    }
    if (!value->arriving) return now.error(texts.bad_offset);
    const std::string_view chunk = now.text(3);
    const auto end = static_cast<std::uint64_t>(*position) - 1;
    if (end > value->arriving->total_bytes()) return now.error(texts.too_long);
    if (chunk.empty() || end != value->arriving->arrived_bytes() + chunk.size()) return now.error(texts.bad_offset);
    api.ReplicateVerbatim(now.context());
    if (!take_chunk(*value, bytes_of(chunk))) {
        api.DeleteKey(key.key());
        return now.error(texts.bad_contents);
    }
    if (!value->arriving) now.notify(is_cuckoo ? "cf.loadchunk" : "bf.loadchunk", now.argument(1));
    return now.ok();
}

/// EB.LOADCHUNK key REDISBLOOM position chunk: as BF.LOADCHUNK takes them, for servers where RedisBloom itself has that name.
int load_chain_chunk(const call& now) {
    const auto position = now.integer(3);
    if (!position || *position < 1) return now.error("ERR the position must be that of RedisBloom's BF.SCANDUMP");
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    result<void> done;
    if (*position == 1) {
        if (!key.is_absent()) return now.error(key.any() != nullptr ? exists_text : wrong_type_text);
        done = begin_chain(key, now.text(4), most_bytes_for(now.context()));
    } else {
        stored_filter* const value = key.any();
        if (value == nullptr) return now.error(key.is_absent() ? not_found_text : wrong_type_text);
        if (!value->chain || value->is_complete()) return now.error(exists_text);
        done = continue_chain(*value->chain, static_cast<std::uint64_t>(*position), now.text(4));
        if (done && value->is_complete()) now.notify("eb.loadchunk", now.argument(1));
    }
    if (!done) return now.error(done.error());
    api.ReplicateVerbatim(now.context());
    return now.ok();
}

} // namespace

int bf_loadchunk(const call& now) { return load_chunk(now, bloom_texts); }
int cf_loadchunk(const call& now) { return load_chunk(now, cuckoo_texts); }

int eb_loadchunk(const call& now) {
    if (now.count() != 5) return now.wrong_arity();
    if (is_word(now.text(2), "REDISBLOOM")) return load_chain_chunk(now);
    const auto family = family_named(now.text(2));
    const auto total = now.integer(3);
    const std::string_view chunk = now.text(4);
    if (!family) return now.error("ERR the second argument must be EB, BF, CF or REDISBLOOM");
    if (!total || *total < 1 || chunk.empty())
        return now.error("ERR a chunk and the bytes of all chunks must be given");
    const auto bytes = static_cast<std::uint64_t>(*total);
    if (bytes > most_bytes_for(now.context())) return now.error(no_memory_text);

    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (!key.is_absent() && key.of(*family) == nullptr) return now.error(wrong_type_text);
    stored_filter* value = key.of(*family);
    if (value != nullptr && (!value->arriving || value->arriving->total_bytes() != bytes))
        return now.error(exists_text);
    const std::uint64_t before = value != nullptr ? value->arriving->arrived_bytes() : 0;
    if (chunk.size() > bytes - before) return now.error("ERR the chunks are longer than the whole");
    if (value == nullptr) value = begin_arriving(key, *family, bytes);
    if (value == nullptr) return now.error(no_memory_text);
    api.ReplicateVerbatim(now.context());
    if (const auto taken = take_chunk(*value, bytes_of(chunk)); !taken) {
        api.DeleteKey(key.key());
        return now.error(taken.error());
    }
    if (!value->arriving) now.notify("eb.loadchunk", now.argument(1));
    return now.ok();
}

} // namespace everbloom::redis
