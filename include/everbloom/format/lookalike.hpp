// lookalike: what a file that is not a filter looks like, from its first bytes, for error messages.
//
// A guess, never a decision: nothing is read or refused because of it. 48 bytes are enough for all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace everbloom {

enum class lookalike { nothing, text, utf16, gzip, zstd, xz, bzip2, lz4, zip, bloom, slow, json, html, binary };

[[nodiscard]] constexpr std::string_view words_of(lookalike guess) noexcept {
    switch (guess) {
    case lookalike::nothing: return "an empty file";
    case lookalike::text: return "a text list";
    case lookalike::utf16: return "text in UTF-16";
    case lookalike::gzip: return "a gzip file";
    case lookalike::zstd: return "a zstd file";
    case lookalike::xz: return "an xz file";
    case lookalike::bzip2: return "a bzip2 file";
    case lookalike::lz4: return "an lz4 file";
    case lookalike::zip: return "a zip archive";
    case lookalike::bloom: return "a .bloom file of DCSO's program";
    case lookalike::slow: return "a slow filter";
    case lookalike::json: return "a JSON document";
    case lookalike::html: return "an HTML or XML document";
    case lookalike::binary: return "binary data of another program";
    }
    return "something else";
}

/// Printable bytes, blanks and line ends only; bytes above 127 may be UTF-8.
[[nodiscard]] inline bool looks_like_text(std::span<const std::byte> start) noexcept {
    return std::all_of(start.begin(), start.end(), [](std::byte one) {
        const auto byte = std::to_integer<unsigned>(one);
        return (byte >= 0x20 && byte != 0x7f) || (byte >= '\t' && byte <= '\r');
    });
}

/// Whether the numbers of a .bloom header are plausible: version 1, items, an FPR between 0 and 1, few hash functions, bits.
[[nodiscard]] inline bool looks_like_bloom(std::span<const std::byte> start) noexcept {
    std::array<std::uint64_t, 6> fields{};
    if (start.size() < sizeof fields) return false;
    std::memcpy(fields.data(), start.data(), sizeof fields);
    double rate = 0;
    std::memcpy(&rate, &fields[2], sizeof rate);
    return (fields[0] & 0xff) == 1 && fields[1] != 0 && rate > 0 && rate < 1 && fields[3] != 0 && fields[3] < 1000 &&
           fields[4] != 0;
}

[[nodiscard]] inline lookalike lookalike_of(std::span<const std::byte> start) noexcept {
    using namespace std::string_view_literals;
    if (start.empty()) return lookalike::nothing;
    const std::string_view bytes(reinterpret_cast<const char*>(start.data()), start.size());
    struct known_start {
        std::string_view bytes;
        lookalike means;
    };
    constexpr std::array<known_start, 10> known{{{"EBslow\r\n"sv, lookalike::slow},
                                                 {"\x1f\x8b"sv, lookalike::gzip},
                                                 {"\x28\xb5\x2f\xfd"sv, lookalike::zstd},
                                                 {"\xfd"
                                                  "7zXZ\0"sv,
                                                  lookalike::xz},
                                                 {"BZh"sv, lookalike::bzip2},
                                                 {"\x04\x22\x4d\x18"sv, lookalike::lz4},
                                                 {"PK\x03\x04"sv, lookalike::zip},
                                                 {"PK\x05\x06"sv, lookalike::zip},
                                                 {"\xff\xfe"sv, lookalike::utf16},
                                                 {"\xfe\xff"sv, lookalike::utf16}}};
    for (const known_start& one : known) {
        if (bytes.starts_with(one.bytes)) return one.means;
    }
    if (looks_like_bloom(start)) return lookalike::bloom;
    if (!looks_like_text(start)) return lookalike::binary;
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && bytes[first] == '<') return lookalike::html;
    if (first != std::string_view::npos && bytes[first] == '{') return lookalike::json;
    return lookalike::text;
}

} // namespace everbloom
