#include "chunk_commands.hpp"

#include "filter_access.hpp"

#include <algorithm>
#include <cstring>

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

constexpr std::uint64_t chunk_bytes = std::uint64_t{16} << 20;
constexpr std::string_view dump_magic = "EBchunks";
constexpr std::size_t dump_header_bytes = 16; // the magic word, and the bytes that follow

std::string dump_header(std::uint64_t total) {
    std::string header(dump_magic);
    for (unsigned i = 0; i < 8; ++i) header += static_cast<char>(total >> (8 * i));
    return header;
}

std::optional<std::uint64_t> total_of(std::string_view header) noexcept {
    if (header.size() != dump_header_bytes || !header.starts_with(dump_magic)) return std::nullopt;
    std::uint64_t total = 0;
    for (unsigned i = 0; i < 8; ++i) {
        total |= std::uint64_t{static_cast<unsigned char>(header[dump_magic.size() + i])} << (8 * i);
    }
    return total;
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
        return fail(failure_reason::mismatch, "the chunks must come in order, with the positions they were dumped with");
    }
    if (chunk.size() > chain.missing_bytes()) return fail(failure_reason::damaged, "the chunk is longer than the rest");
    chain.append(bytes_of(chunk));
    return {};
}

/// Keeps the bytes between two positions, and stops the writer behind them.
class window_sink final : public byte_sink {
public:
    window_sink(std::uint64_t first, std::uint64_t most) noexcept : first_(first), last_(first + most) {}
    result<void> write(std::span<const std::byte> bytes) override {
        const std::uint64_t begin = std::max(first_, position_);
        const std::uint64_t end = std::min(last_, position_ + bytes.size());
        if (begin < end) {
            kept_.append(reinterpret_cast<const char*>(bytes.data()) + (begin - position_),
                         static_cast<std::size_t>(end - begin));
        }
        position_ += bytes.size();
        if (position_ >= last_) return fail(failure_reason::unsupported, "enough");
        return {};
    }
    [[nodiscard]] std::string take() { return std::move(kept_); }

private:
    std::uint64_t first_;
    std::uint64_t last_;
    std::uint64_t position_ = 0;
    std::string kept_;
};

/// What the two families say differently.
struct dump_texts {
    command_family family;
    const char* bad_dump_position;
    const char* bad_load_position;
    const char* bad_header;
    const char* bad_offset;
    const char* too_long;
    const char* bad_contents;
};
constexpr dump_texts bloom_texts{
    command_family::bloom,   "Second argument must be numeric",    "ERR Second argument must be numeric",
    "ERR received bad data", "ERR invalid offset - no link found", "ERR invalid chunk - Too big for current filter",
    "ERR received bad data"};
constexpr dump_texts cuckoo_texts{command_family::cuckoo, "Invalid position",     "Invalid position",
                                  "Invalid header",       "Couldn't load chunk!", "Couldn't load chunk!",
                                  "Couldn't load chunk!"};

int end_of_dump(const call& now, command_family family) {
    api.ReplyWithArray(now.context(), 2);
    now.integer_reply(0);
    if (family == command_family::cuckoo) return api.ReplyWithNull(now.context());
    return api.ReplyWithStringBuffer(now.context(), "", 0);
}

/// As RedisBloom dumped it.
int scan_chain(const call& now, const redisbloom_chain& chain, long long position) {
    if (position < 0) return end_of_dump(now, command_family::bloom);
    const auto first = static_cast<std::uint64_t>(position) - 1;
    const auto bytes = position == 0 ? bytes_of(chain.header()) : chain.data(first, chunk_bytes);
    if (bytes.empty()) return end_of_dump(now, command_family::bloom);
    api.ReplyWithArray(now.context(), 2);
    now.integer_reply(position == 0 ? 1 : static_cast<std::uint64_t>(position) + bytes.size());
    return api.ReplyWithStringBuffer(now.context(), reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

int scan_dump(const call& now, const dump_texts& texts) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    if (key.is_absent()) return now.error(not_found_text);
    stored_filter* const value = key.of(texts.family);
    if (value == nullptr) return now.error(wrong_type_text);
    const auto position = now.integer(2);
    if (!position || (*position < 0 && texts.family == command_family::cuckoo)) {
        return now.error(texts.bad_dump_position);
    }
    if (is_arriving(now, *value)) return api_ok;
    if (value->chain) return scan_chain(now, *value->chain, *position);
    std::string bytes;
    std::uint64_t next = 1;
    if (*position == 0) {
        value->attach_facts();
        bytes = dump_header(saved_bytes(value->file));
    } else if (*position > 0) {
        bytes = file_bytes(*value, static_cast<std::uint64_t>(*position) - 1, chunk_bytes);
        next = static_cast<std::uint64_t>(*position) + bytes.size();
    }
    if (bytes.empty()) return end_of_dump(now, texts.family);
    api.ReplyWithArray(now.context(), 2);
    now.integer_reply(next);
    now.bulk(bytes);
    return api_ok;
}

int load_header(const call& now, const opened_key& key, const dump_texts& texts) {
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
    begin_arriving(key, texts.family, *total);
    api.ReplicateVerbatim(now.context());
    return now.ok();
}

int load_chunk(const call& now, const dump_texts& texts) {
    if (now.count() != 4) return now.wrong_arity();
    const auto position = now.integer(2);
    const bool is_cuckoo = texts.family == command_family::cuckoo;
    if (!position || (is_cuckoo && *position <= 0)) return now.error(texts.bad_load_position);
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
        if (!continue_chain(*value->chain, static_cast<std::uint64_t>(*position), bits)) return now.error(texts.bad_offset);
        api.ReplicateVerbatim(now.context());
        if (value->is_complete()) now.notify("bf.loadchunk", now.argument(1));
        return now.ok();
    }
    if (!value->arriving) return now.error(texts.bad_offset);
    const std::string_view chunk = now.text(3);
    const auto end = static_cast<std::uint64_t>(*position) - 1;
    if (end > value->arriving->total_bytes) return now.error(texts.too_long);
    if (chunk.empty() || end != value->arriving->bytes + chunk.size()) return now.error(texts.bad_offset);
    api.ReplicateVerbatim(now.context());
    if (!take_chunk(*value, bytes_of(chunk))) {
        api.DeleteKey(key.key());
        return now.error(texts.bad_contents);
    }
    if (!value->arriving) now.notify(is_cuckoo ? "cf.loadchunk" : "bf.loadchunk", now.argument(1));
    return now.ok();
}

} // namespace

int bf_scandump(const call& now) { return scan_dump(now, bloom_texts); }
int bf_loadchunk(const call& now) { return load_chunk(now, bloom_texts); }
int cf_scandump(const call& now) { return scan_dump(now, cuckoo_texts); }
int cf_loadchunk(const call& now) { return load_chunk(now, cuckoo_texts); }

std::string file_bytes(stored_filter& value, std::uint64_t first, std::uint64_t most) {
    value.attach_facts();
    const std::uint64_t total = saved_bytes(value.file);
    if (first >= total) return {};
    window_sink sink(first, std::min(most, total - first));
    (void)write_filter(value.file, sink); // ends early, when the window is full
    return sink.take();
}

namespace {

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
