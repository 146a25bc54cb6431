// Files that are not what a reader of text expects: each with the name that error messages must use.
#pragma once

#include "support/compressed_bytes.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::support {

struct foreign_file {
    std::string name; // as in error messages
    std::string bytes;
    bool is_text = false; // only what is text can be encoded in another way
};

/// The text, every character in `width` bytes.
[[nodiscard]] inline std::string widened(std::string_view text, std::size_t width, bool big_endian) {
    std::string made;
    for (const char one : text) {
        std::string character(width, '\0');
        character[big_endian ? width - 1 : 0] = one;
        made += character;
    }
    return made;
}

[[nodiscard]] inline std::string tar_of(std::string_view text) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, std::string_view what) {
        std::copy(what.begin(), what.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
    };
    put(0, "keys.txt");
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(136, "00000000000");
    put(156, "0");
    put(257, std::string_view("ustar\00000", 8));
    std::string made = header + std::string(text);
    made.resize((made.size() / 512 + 3) * 512);
    return made;
}

/// `text` as it would stand in a file of each of these formats; or, of those that are long to make, the beginning of such a file.
[[nodiscard]] inline std::vector<foreign_file> foreign_files(std::string_view text) {
    using namespace std::string_literals;
    const std::string more = std::string(text);
    const std::string size_unknown(8, '\xff');
    std::string bloom_head = "\x01\0\0\0\0\0\0\0"s + "\x64\0\0\0\0\0\0\0"s + "\xfc\xa9\xf1\xd2\x4d\x62\x50\x3f"s;
    return {
        {"lz4 data", "\x04\x22\x4d\x18\x64\x40\xa7"s + more},
        {"lz4 data", "\x02\x21\x4c\x18"s + more},
        {"compress (.Z) data", "\x1f\x9d\x90"s + more},
        {"lzip data", "LZIP\x01\x0c"s + more},
        {"lzop data", "\x89LZO\0\r\n\x1a\n"s + more},
        {"snappy data", "\xff\x06\0\0sNaPpY"s + more},
        {"a zip archive", "PK\x03\x04\x14\0\0\0"s + more},
        {"a zip archive", "PK\x05\x06"s + std::string(18, '\0')},
        {"a 7z archive", "7z\xbc\xaf\x27\x1c\0\4"s + more},
        {"a rar archive", "Rar!\x1a\x07\x01\0"s + more},
        {"a tar archive", tar_of(text)},
        {"a PDF document", "%PDF-1.7\n"s + more},
        {"an ELF program", "\x7f"
                           "ELF\2\1\1\0"s +
                               more},
        {"an SQLite database", "SQLite format 3\0"s + more},
        {"a Parquet file", "PAR1\x15\x04"s + more},
        {"a Microsoft Office document", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"s + more},
        {"a .bloom file", bloom_head + std::string(24, '\1') + more},
        {"an everbloom filter", "\x89"
                                "EBLOOM\n"s +
                                    more},
        {"a packet capture", "\xd4\xc3\xb2\xa1\2\0\4\0"s + more},
        {"a packet capture", "\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a"s + more},
        {"UTF-16 text", "\xff\xfe"s + widened(text, 2, false), true},
        {"UTF-16 text", "\xfe\xff"s + widened(text, 2, true), true},
        {"UTF-16 text", widened(text, 2, false), true},
        {"UTF-16 text", widened(text, 2, true), true},
        {"UTF-32 text", "\xff\xfe\0\0"s + widened(text, 4, false), true},
        {"UTF-32 text", "\0\0\xfe\xff"s + widened(text, 4, true), true},
        // One in another: what is inside is looked at as well.
        {"a tar archive", gzip_of(tar_of(text))},
        {"a zip archive", xz_of("PK\x03\x04\x14\0\0\0"s + more)},
        {"gzip data", bzip2_of(gzip_of(text))},
        {"UTF-16 text", zstd_of("\xff\xfe"s + widened(text, 2, false)), true},
    };
}

} // namespace everbloom::support
