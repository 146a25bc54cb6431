#include "keys/file_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace everbloom::cli {
namespace {

using namespace std::string_view_literals;

std::uint8_t byte_at(std::string_view text, std::size_t index) noexcept {
    return static_cast<std::uint8_t>(text[index]);
}

template <class Number>
Number number_at(std::string_view text, std::size_t index) noexcept {
    Number number; // little-endian, as on every machine we support
    std::memcpy(&number, text.data() + index, sizeof number);
    return number;
}

/// RFC 1952: the upper three flags are reserved and zero.
bool is_gzip(std::string_view start) noexcept { return (byte_at(start, 3) & 0xe0) == 0; }

/// After the block size a bzip2 file has the digits of pi (31 41 59 26 53 59), or those of the square root of pi if it is empty.
bool is_bzip2(std::string_view start) noexcept {
    const std::string_view behind = start.substr(4, 6);
    return start[3] >= '1' && start[3] <= '9' && (behind == "1AY&SY"sv || behind == "\x17\x72\x45\x38\x50\x90"sv);
}

/// The old LZMA format has no magic number; its own tools require a dictionary of 2^n or 2^n + 2^(n-1) bytes and a size below 256 GiB,
/// or none.
bool is_lzma(std::string_view start) noexcept {
    const auto dictionary = number_at<std::uint32_t>(start, 1);
    const auto size = number_at<std::uint64_t>(start, 5);
    const std::uint32_t lower = dictionary & (dictionary - 1);
    const bool is_usual = std::has_single_bit(dictionary) || (std::has_single_bit(lower) && lower == dictionary / 3);
    return dictionary != 0 && is_usual && (size == ~std::uint64_t{0} || size < std::uint64_t{1} << 38);
}

/// compress(1): the third byte is the number of bits per code, 9 to 16.
bool is_compress(std::string_view start) noexcept {
    const unsigned bits = byte_at(start, 2) & 0x1f;
    return (byte_at(start, 2) & 0x60) == 0 && bits >= 9 && bits <= 16;
}

/// After the magic number of a pcapng file and a length: the byte order.
bool is_pcapng(std::string_view start) noexcept {
    return start.substr(8, 4) == "\x1a\x2b\x3c\x4d"sv || start.substr(8, 4) == "\x4d\x3c\x2b\x1a"sv;
}

/// No real magic number: version 1 in eight bytes, and a target FPR between 0 and 1.
bool is_dcso(std::string_view start) noexcept {
    const auto rate = std::bit_cast<double>(number_at<std::uint64_t>(start, 16));
    return rate > 0 && rate < 1;
}

constexpr std::string_view once_more = "decompress it first";
constexpr std::string_view unpack = "unpack it first, and name the text file inside";
constexpr std::string_view as_text = "export the keys from it as text, one per line";
constexpr std::string_view to_utf8_16 = "convert it first: iconv -f UTF-16 -t UTF-8";
constexpr std::string_view to_utf8_32 = "convert it first: iconv -f UTF-32 -t UTF-8";
constexpr std::string_view to_gate = "'everbloom gate --packets' reads captures";

using enum format_group;

// Order: a magic number that is a prefix of another comes after it.
constexpr file_format everbloom_filter{"an everbloom filter",
                                       "\x89"
                                       "EBLOOM\n"sv,
                                       filter, "'everbloom merge' combines filters"};

constexpr std::array formats{
    everbloom_filter,
    file_format{"gzip data", "\x1f\x8b\x08"sv, compressed, once_more, compression::gzip, 0, 4, is_gzip},
    // 0x28 is the current zstd, smaller bytes are its versions of 2015; the second entry is a skippable frame, as pzstd writes.
    file_format{"zstd data", "\x22\xb5\x2f\xfd"sv, compressed, once_more, compression::zstd, 0, 0, nullptr, 0x28},
    file_format{"zstd data", "\x50\x2a\x4d\x18"sv, compressed, once_more, compression::zstd, 0, 0, nullptr, 0x5f},
    file_format{"xz data", "\xfd\x37\x7a\x58\x5a\x00"sv, compressed, once_more, compression::xz},
    file_format{"bzip2 data", "BZh"sv, compressed, once_more, compression::bzip2, 0, 10, is_bzip2},
    file_format{"lzma data", "\x5d\x00\x00"sv, compressed, once_more, compression::lzma, 0, 13, is_lzma},

    file_format{"lz4 data", "\x04\x22\x4d\x18"sv, compressed, "decompress it first: lz4 -dc"},
    file_format{"lz4 data", "\x02\x21\x4c\x18"sv, compressed, "decompress it first: lz4 -dc"},
    file_format{"compress (.Z) data", "\x1f\x9d"sv, compressed, "decompress it first: gzip -dc", compression::none, 0,
                3, is_compress},
    file_format{"lzip data", "LZIP\x01"sv, compressed, "decompress it first: lzip -dc"},
    file_format{"lzop data", "\x89LZO\x00\x0d\x0a\x1a\x0a"sv, compressed, "decompress it first: lzop -dc"},
    file_format{"snappy data", "\xff\x06\x00\x00sNaPpY"sv, compressed, "decompress it first: snzip -dc"},
    file_format{"lrzip data", "LRZI\x00"sv, compressed, "decompress it first: lrzip -d"},

    file_format{"a zip archive", "PK\x03\x04"sv, archive, "unpack it first: unzip -p"},
    file_format{"a zip archive", "PK\x05\x06"sv, archive, "it is empty: name a list of keys"},
    file_format{"a zip archive", "PK\x07\x08"sv, archive, "unpack it first: unzip -p"},
    file_format{"a 7z archive", "7z\xbc\xaf\x27\x1c"sv, archive, "unpack it first: 7z x -so"},
    file_format{"a rar archive", "Rar!\x1a\x07"sv, archive, "unpack it first: unrar p -inul"},
    file_format{"a Microsoft cabinet", "MSCF\x00\x00\x00\x00"sv, archive, unpack},
    file_format{"an ar archive", "!<arch>\n"sv, archive, unpack},

    file_format{"a PDF document", "%PDF-"sv, document, as_text},
    file_format{"an ELF program",
                "\x7f"
                "ELF"sv,
                document, "name a text file"},
    file_format{"an SQLite database", "SQLite format 3\x00"sv, document, as_text},
    file_format{"a Parquet file", "PAR1\x15"sv, document, as_text},
    file_format{"an Avro file", "Obj\x01"sv, document, as_text},
    file_format{"an Arrow file", "ARROW1\x00\x00"sv, document, as_text},
    file_format{"an HDF5 file", "\x89HDF\r\n\x1a\n"sv, document, as_text},
    file_format{"a Microsoft Office document", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, document, as_text},
    file_format{"a PNG image", "\x89PNG\r\n\x1a\n"sv, document, "name a text file"},
    file_format{"a JPEG image", "\xff\xd8\xff"sv, document, "name a text file"},
    file_format{"encrypted data", "-----BEGIN PGP MESSAGE-----"sv, document, "decrypt it first: gpg -d"},
    file_format{"encrypted data", "age-encryption.org/v1\n"sv, document, "decrypt it first: age -d"},

    file_format{"a packet capture", "\xa1\xb2\xc3\xd4"sv, capture, to_gate},
    file_format{"a packet capture", "\xd4\xc3\xb2\xa1"sv, capture, to_gate},
    file_format{"a packet capture", "\xa1\xb2\x3c\x4d"sv, capture, to_gate},
    file_format{"a packet capture", "\x4d\x3c\xb2\xa1"sv, capture, to_gate},
    file_format{"a packet capture", "\x0a\x0d\x0d\x0a"sv, capture, to_gate, compression::none, 0, 12, is_pcapng},
    file_format{"a .bloom file", "\x01\x00\x00\x00\x00\x00\x00\x00"sv, bloom_file,
                "'everbloom convert' turns it into a filter", compression::none, 0, 24, is_dcso},

    file_format{"UTF-32 text", "\xff\xfe\x00\x00"sv, encoding, to_utf8_32},
    file_format{"UTF-32 text", "\x00\x00\xfe\xff"sv, encoding, to_utf8_32},
    file_format{"UTF-16 text", "\xff\xfe"sv, encoding, to_utf8_16},
    file_format{"UTF-16 text", "\xfe\xff"sv, encoding, to_utf8_16},
    file_format{"UTF-8 text", "\xef\xbb\xbf"sv, byte_order_mark, ""},

    file_format{"a tar archive", "ustar"sv, archive, "unpack it first: tar -xO -f", compression::none, 257},
};

constexpr file_format bare_utf16_little{"UTF-16 text", {}, encoding, "convert it first: iconv -f UTF-16LE -t UTF-8"};
constexpr file_format bare_utf16_big{"UTF-16 text", {}, encoding, "convert it first: iconv -f UTF-16BE -t UTF-8"};

enum class verdict { no, yes, undecided };

verdict judge(const file_format& format, std::string_view start) noexcept {
    if (start.size() <= format.at) return verdict::undecided;
    const std::string_view here = start.substr(format.at, format.magic.size());
    const auto first = byte_at(here, 0);
    const auto least = byte_at(format.magic, 0);
    if (first < least || first > std::max<unsigned>(least, format.up_to)) return verdict::no;
    if (!format.magic.substr(1).starts_with(here.substr(1))) return verdict::no;
    if (here.size() < format.magic.size() || start.size() < format.needed) return verdict::undecided;
    return format.also == nullptr || format.also(start) ? verdict::yes : verdict::no;
}

/// Is every byte at an index of this parity NUL, and none at the other?
bool alternates(std::string_view start, std::size_t nul_parity) noexcept {
    for (std::size_t i = 0; i < start.size(); ++i) {
        if ((start[i] == '\0') != (i % 2 == nul_parity)) return false;
    }
    return true;
}

} // namespace

recognition recognise(std::string_view start) noexcept {
    recognition made;
    for (const file_format& one : formats) {
        const verdict found = judge(one, start);
        if (found == verdict::undecided) (one.at == 0 ? made.undecided_soon : made.undecided_far) = true;
        if (found != verdict::yes) continue;
        made.format = &one;
        break;
    }
    return made;
}

const file_format* recognise_bare_utf16(std::string_view start) noexcept {
    constexpr std::size_t least = 4; // two characters: one could be a key that ends with NUL
    start = start.substr(0, start.size() / 2 * 2);
    if (start.size() < least) return nullptr;
    if (alternates(start, 1)) return &bare_utf16_little;
    return alternates(start, 0) ? &bare_utf16_big : nullptr;
}

const file_format& everbloom_filter_format() noexcept { return everbloom_filter; }

} // namespace everbloom::cli
