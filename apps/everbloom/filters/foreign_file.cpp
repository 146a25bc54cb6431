#include "filters/foreign_file.hpp"

#include "filters/dcso_file.hpp"
#include "frame/interruption.hpp"
#include "keys/byte_stream.hpp"
#include "keys/key_files.hpp"

#include <everbloom/core/out_of_memory.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

namespace everbloom::cli {
namespace {

constexpr std::uint64_t least_limit = std::uint64_t{64} << 20;

/// The length of a regular file on disk; nothing for pipes and devices, which are not read for a guess.
std::optional<std::uint64_t> regular_bytes(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(found.st_size);
}

/// The first bytes of a file, and the rest to come.
struct opened_file {
    std::unique_ptr<byte_stream> stream;
    std::vector<std::byte> start;
    std::uint64_t disk_bytes = 0;

    /// More than the file may have in memory.
    [[nodiscard]] std::uint64_t limit() const noexcept {
        return stream->is_decompressed() ? 4 * disk_bytes + least_limit : disk_bytes;
    }
};

result<void> read_up_to(byte_stream& from, std::uint64_t bytes, std::vector<std::byte>& into) {
    std::array<char, 1 << 16> block;
    while (into.size() < bytes) {
        const auto wanted = std::min<std::uint64_t>(block.size(), bytes - into.size());
        const auto got = from.read(std::span(block).first(static_cast<std::size_t>(wanted)));
        if (!got) return fail(got.error());
        if (*got == 0) return {};
        const auto more = std::as_bytes(std::span(block).first(*got));
        into.insert(into.end(), more.begin(), more.end());
    }
    return {};
}

result<opened_file> open_start(const std::string& path, const cancellation& cancel) {
    opened_file made;
    auto stream = open_bytes(path, decompressed_only, cancel);
    if (!stream) return fail(std::move(stream.error()));
    const auto bytes = regular_bytes(path);
    if (!bytes) return fail(failure_reason::input_output, display_name(path) + ": is not a regular file");
    made.stream = std::move(*stream);
    made.disk_bytes = *bytes;
    auto got = read_up_to(*made.stream, foreign_start_bytes, made.start);
    if (!got) return fail(in(display_name(path), std::move(got.error())));
    return made;
}

/// Decompresses without keeping anything, up to one byte more.
result<std::uint64_t> length_of(opened_file& file, std::uint64_t at_most) {
    if (!file.stream->is_decompressed()) return file.disk_bytes;
    std::uint64_t length = file.start.size();
    std::array<char, 1 << 16> block;
    while (length <= at_most) {
        const auto got = file.stream->read(block);
        if (!got) return fail(got.error());
        if (*got == 0) break;
        length += *got;
    }
    return length;
}

result<void> check_limit(const opened_file& file, std::uint64_t bytes) {
    if (bytes <= file.limit() || !file.stream->is_decompressed()) return {};
    return fail(failure_reason::damaged,
                fmt::format("expands from {} to {} bytes, too many for the bits of a filter; if that is right, "
                            "decompress it first",
                            file.disk_bytes, bytes));
}

/// All bytes; no more than one beyond the stated length are read.
result<std::vector<std::byte>> read_all(opened_file& file, std::optional<std::uint64_t> stated) {
    const std::uint64_t most = file.limit();
    if (stated) {
        if (auto fits = check_limit(file, *stated); !fits) return fail(std::move(fits.error()));
        if (*stated <= most && *stated <= std::numeric_limits<std::size_t>::max() / 2) {
            file.start.reserve(static_cast<std::size_t>(*stated) + 1);
        }
    }
    // A byte beyond makes a file that is too long fail in its reader.
    const std::uint64_t wanted = std::min(stated.value_or(most), most) + 1;
    if (auto got = read_up_to(*file.stream, wanted, file.start); !got) return fail(std::move(got.error()));
    if (auto fits = check_limit(file, file.start.size()); !fits) return fail(std::move(fits.error()));
    return std::move(file.start);
}

} // namespace

std::vector<std::string> names_of_foreign_formats() {
    std::vector<std::string> names(known_foreign_formats.size());
    std::transform(known_foreign_formats.begin(), known_foreign_formats.end(), names.begin(),
                   [](foreign_format one) { return std::string(name_of(one)); });
    return names;
}

void foreign_flags::declare(command_flags& command) {
    command
        .add_option("--from", from_,
                    "the filter is one of another program: bloom (DCSO), guava, parquet, redisbloom (default: by its "
                    "content), or parquet-bitset, which has no header to recognise")
        ->type_name("FORMAT")
        ->one_of(names_of_foreign_formats());
}

std::optional<foreign_format> foreign_format_of(const std::string& path) {
    const auto bytes = regular_bytes(path);
    if (!bytes || looks_like_filter(path)) return std::nullopt;
    const cancellation never;
    auto file = open_start(path, never);
    if (!file) return std::nullopt;
    const auto guess = guess_foreign(file->start);
    if (!guess) return std::nullopt;
    if (guess->has_strong_header) return guess->format;
    // One that is too long to be decompressed has its own message.
    if (file->stream->is_decompressed() && *guess->file_bytes > file->limit()) return guess->format;
    const auto length = length_of(*file, *guess->file_bytes);
    return length && *length == *guess->file_bytes ? std::optional(guess->format) : std::nullopt;
}

result<foreign_filter> read_foreign(const std::string& path, foreign_format format, const cancellation& cancel) {
    if (format == foreign_format::dcso) {
        auto file = read_dcso(path, cancel);
        if (!file) return fail(std::move(file.error()));
        return foreign_filter(dcso_bits(std::move(*file)));
    }
    auto read = or_out_of_memory([&]() -> result<foreign_filter> {
        auto file = open_start(path, cancel);
        if (!file) return fail(std::move(file.error()));
        const auto stated = foreign_file_bytes(format, file->start);
        if (!stated) return fail(in(path, stated.error()));
        const auto bytes = read_all(*file, *stated);
        if (!bytes) return fail(in(path, bytes.error()));
        if (cancel.requested()) return fail(failure_reason::input_output, interruption::sentence);
        auto made = foreign_filter::read(format, *bytes);
        if (!made) return fail(in(path, std::move(made.error())));
        return made;
    });
    return read;
}

} // namespace everbloom::cli
