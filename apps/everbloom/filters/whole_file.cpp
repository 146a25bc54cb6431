#include "filters/whole_file.hpp"

#include "filters/output_file.hpp"
#include "keys/key_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::cli {
namespace {

/// The limit for compressed input: a few bytes can expand to megabytes, and those to a document of many times their size.
constexpr std::uint64_t most_decompressed_bytes = std::uint64_t{8} << 20;

} // namespace

result<std::string> read_bounded_file(const std::string& path, const reading_rules& rules, std::uint64_t most_bytes) {
    const cancellation never;
    const auto stream = open_bytes(path, rules, never);
    if (!stream) return fail(stream.error());
    if ((*stream)->is_decompressed()) most_bytes = std::min(most_bytes, most_decompressed_bytes);
    std::string text;
    // In pieces: the size of a pipe, a device or compressed data is unknown.
    std::string piece(std::size_t{1} << 16, '\0');
    for (;;) {
        const auto got = (*stream)->read(piece);
        if (!got) return fail(got.error());
        if (*got == 0) return text;
        text.append(piece, 0, *got);
        if (text.size() > most_bytes) {
            return fail(failure_reason::bad_parameter,
                        fmt::format("{}: is larger than {} MiB{}, the limit for such a file", display_name(path),
                                    most_bytes >> 20, (*stream)->is_decompressed() ? " when decompressed" : ""));
        }
    }
}

result<std::vector<std::byte>> read_whole_file(const std::string& path, std::uint64_t most_bytes) {
    const cancellation never;
    const auto stream = open_bytes(path, as_it_is, never);
    if (!stream) return fail(stream.error());
    std::vector<std::byte> bytes;
    std::vector<char> piece(std::size_t{1} << 16);
    for (;;) {
        const auto got = (*stream)->read(piece);
        if (!got) return fail(got.error());
        if (*got == 0) return bytes;
        if (bytes.size() + *got > most_bytes) {
            return fail(failure_reason::damaged,
                        fmt::format("{}: is longer than {} bytes, the limit for such a file", path, most_bytes));
        }
        const auto more = std::as_bytes(std::span(piece).first(*got));
        bytes.insert(bytes.end(), more.begin(), more.end());
    }
}

result<void> write_whole_file(const std::string& path, std::span<const std::byte> bytes,
                              std::span<const std::string> inputs) {
    // Reports, pictures and exported lists hold no secret: as other programs write them.
    auto update = output_file::begin_other(path, inputs, readers::by_umask);
    if (!update) return fail(std::move(update.error()));
    return update->commit(std::span(&bytes, 1));
}

} // namespace everbloom::cli
