// BF.SCANDUMP and CF.SCANDUMP: a filter as chunks of the bytes of its file.
//
// No step reads more than 16 MiB of the filter: the checksums in the file's header are computed as the dump goes on, and kept with the
// filter until the end of the dump or its next change.
#include "chunk_commands.hpp"
#include "dump_header.hpp"
#include "filter_access.hpp"

namespace everbloom::redis {
namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{16} << 20;

int end_of_dump(const call& now, command_family family) {
    api.ReplyWithArray(now.context(), 2);
    now.integer_reply(0);
    if (family == command_family::cuckoo) return api.ReplyWithNull(now.context());
    return api.ReplyWithStringBuffer(now.context(), "", 0);
}

int reply_chunk(const call& now, std::uint64_t next, std::span<const std::byte> chunk) {
    api.ReplyWithArray(now.context(), 2);
    now.integer_reply(next);
    return api.ReplyWithStringBuffer(now.context(), reinterpret_cast<const char*>(chunk.data()), chunk.size());
}

/// As RedisBloom dumped it.
int scan_chain(const call& now, const redisbloom_chain& chain, long long position) {
    if (position == 0) return reply_chunk(now, 1, std::as_bytes(std::span(chain.header())));
    const auto first = static_cast<std::uint64_t>(position);
    const auto chunk = position < 0 ? std::span<const std::byte>() : chain.data(first - 1, chunk_bytes);
    return chunk.empty() ? end_of_dump(now, command_family::bloom) : reply_chunk(now, first + chunk.size(), chunk);
}

int scan_dump(const call& now, command_family family) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading);
    if (key.is_absent()) return now.error(not_found_text);
    stored_filter* const value = key.of(family);
    if (value == nullptr) return now.error(wrong_type_text);
    const auto position = now.integer(2);
    const bool is_cuckoo = family == command_family::cuckoo;
    if (!position || (*position < 0 && is_cuckoo)) {
        return now.error(is_cuckoo ? "Invalid position" : "Second argument must be numeric");
    }
    if (is_arriving(now, *value)) return api_ok;
    if (value->chain) return scan_chain(now, *value->chain, *position);
    if (*position < 0) return end_of_dump(now, family);
    value->attach_facts();
    if (*position == 0 || !value->dump) value->dump = std::make_unique<file_parts>(value->file);
    if (*position == 0) {
        const std::string header = dump_header(value->dump->bytes());
        return reply_chunk(now, 1, std::as_bytes(std::span(header)));
    }
    const auto first = static_cast<std::uint64_t>(*position);
    const std::vector<std::byte> chunk = value->dump->read(value->file, first - 1, chunk_bytes);
    if (chunk.empty()) {
        value->dump.reset();
        return end_of_dump(now, family);
    }
    return reply_chunk(now, first + chunk.size(), chunk);
}

} // namespace

int bf_scandump(const call& now) { return scan_dump(now, command_family::bloom); }
int cf_scandump(const call& now) { return scan_dump(now, command_family::cuckoo); }

} // namespace everbloom::redis
