// file_format: recognises file formats by their first bytes: one table of magic numbers, each with a name, a decoder or advice.
//
// A key list that is really a zip archive or UTF-16 would be read as meaningless keys, and every query would answer "not found". So every
// format in the table is either decompressed or refused by name; none is read as text.
#pragma once

#include <cstddef>
#include <string_view>

namespace everbloom::cli {

/// The decoder of a compressed file.
enum class compression { none, gzip, zstd, bzip2, xz, lzma };

enum class format_group {
    compressed, // decompressed if there is a decoder, refused otherwise
    archive,    // several files in one
    document,   // files of other programs
    encoding,   // text, but not UTF-8
    byte_order_mark,
    capture,    // packets: for `gate`
    bloom_file, // for `convert`
    filter      // an everbloom filter
};

struct file_format {
    std::string_view name; // with its article: "a zip archive"
    std::string_view magic;
    format_group group;
    std::string_view advice; // what to do instead
    compression packed = compression::none;
    std::size_t at = 0;                             // offset of the magic number
    std::size_t needed = 0;                         // bytes that `also` reads, if they are more
    bool (*also)(std::string_view start) = nullptr; // another condition, for short magic numbers
    unsigned char up_to = 0;                        // the largest first byte of the magic number
};

/// What the first bytes of a file say about its format.
struct recognition {
    const file_format* format = nullptr; // null: not in the table
    bool undecided_soon = false;         // the bytes are the beginning of a magic number: a few more decide
    bool undecided_far = false;          // a magic number may follow at a later offset
};

/// The most bytes that `recognise` needs.
inline constexpr std::size_t most_start_bytes = 512;

/// `start`: the first bytes of a file, as far as they are read.
[[nodiscard]] recognition recognise(std::string_view start) noexcept;

/// UTF-16 without a byte order mark, if every second byte is NUL and none of the others is. Otherwise null.
[[nodiscard]] const file_format* recognise_bare_utf16(std::string_view start) noexcept;

/// The format of everbloom filters, for messages.
[[nodiscard]] const file_format& everbloom_filter_format() noexcept;

} // namespace everbloom::cli
