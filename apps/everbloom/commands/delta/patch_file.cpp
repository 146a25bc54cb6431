#include "commands/delta/patch_file.hpp"

#include "commands/sync/zstd_writer.hpp"
#include "keys/memory_stream.hpp"
#include "keys/zstd_stream.hpp"

#include <everbloom/hash/checksum.hpp>

#include <algorithm>

namespace everbloom::cli {

std::vector<std::byte> write_patch(std::span<const std::byte> from, std::span<const std::byte> to,
                                   const patch_changes& changes) {
    const auto body = patch_body(from, to, changes);
    const patch_header header{file_print::of(from), file_print::of(to), body.size(),
                              everbloom::checksum(body.data(), body.size())};
    const auto start = header.write();
    std::vector<std::byte> made(start.begin(), start.end());
    zstd_writer writer(made, zstd_writer::smallest_level);
    writer.add({reinterpret_cast<const char*>(body.data()), body.size()});
    writer.end();
    return made;
}

result<read_patch> parse_patch(const std::string& name, std::span<const std::byte> file, std::uint64_t from_bytes) {
    auto header = patch_header::parse(file);
    if (!header) return fail(in(name, std::move(header.error())));
    // What a patch promises is believed only as far as its size and that of the old file make it possible.
    constexpr std::uint64_t slack = std::uint64_t{64} << 20;
    const std::uint64_t most = slack + 4 * (from_bytes + file.size());
    if (header->to.bytes > most || header->body_bytes > most) {
        return fail(failure_reason::damaged, name + ": damaged patch: it promises more bytes than it can have");
    }
    const std::string_view packed(reinterpret_cast<const char*>(file.data()) + patch_header::bytes,
                                  file.size() - patch_header::bytes);
    zstd_stream stream(std::make_unique<memory_stream>(packed), name);
    read_patch made{*header, {}};
    std::vector<char> piece(std::size_t{1} << 16);
    for (;;) {
        const auto got = stream.read(piece);
        if (!got) return fail(got.error());
        if (*got == 0) return made;
        if (made.body.size() + *got > header->body_bytes) {
            return fail(failure_reason::damaged, name + ": damaged patch: it is longer than its header says");
        }
        const auto more = std::as_bytes(std::span(piece).first(*got));
        made.body.insert(made.body.end(), more.begin(), more.end());
    }
}

} // namespace everbloom::cli
