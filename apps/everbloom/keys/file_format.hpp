// file_format: what a file is, told from its first bytes: one table of magic numbers, with a name, a decoder or an advice for each.
//
// A key list that is really a zip archive or UTF-16 would be read as lines that nobody ever added, and every query would answer "not
// found". So whatever the table recognises is either decompressed or refused by name; nothing of it is read as text.
#pragma once

#include <cstddef>
#include <string_view>

namespace everbloom::cli {

/// How the contents of a compressed file are got at.
enum class compression { none, gzip, zstd, bzip2, xz, lzma };

enum class format_group {
    compressed, // decompressed where we can, refused where we cannot
    archive,    // several files in one
    document,   // what other programs write
    encoding,   // text, but not in bytes that can be compared with ours
    byte_order_mark,
    capture,    // packets: the gate reads them
    bloom_file, // `convert` reads it
    filter      // one of ours
};

struct file_format {
    std::string_view name; // with its article: "a zip archive"
    std::string_view magic;
    format_group group;
    std::string_view advice; // what to do instead
    compression packed = compression::none;
    std::size_t at = 0;                             // where the magic number is
    std::size_t needed = 0;                         // bytes that `also` looks at, if they are more
    bool (*also)(std::string_view start) = nullptr; // what else must be true, where the magic number is short
    unsigned char up_to = 0;                        // the first byte of the magic number may be larger, up to this
};

/// What is known of a file's beginning.
struct recognition {
    const file_format* format = nullptr; // none: nothing in the table
    bool undecided_soon = false;         // the bytes are the beginning of a magic number: a few more would tell
    bool undecided_far = false;          // a magic number may stand further on
};

/// The first bytes of a file that `recognise` needs at most.
inline constexpr std::size_t most_start_bytes = 512;

/// `start` are the first bytes of a file, as many as there are so far.
[[nodiscard]] recognition recognise(std::string_view start) noexcept;

/// UTF-16 without a byte order mark, if these lines are it: every second byte is NUL, and none of the others. Otherwise nothing.
[[nodiscard]] const file_format* recognise_bare_utf16(std::string_view start) noexcept;

/// A file of keys that is a filter, for messages about it.
[[nodiscard]] const file_format& everbloom_filter_format() noexcept;

} // namespace everbloom::cli
