// A filter file as an attacker sees it: bytes, offsets learnt from docs/format.md, and a way to make the checksums right again.
//
// Nothing here comes from format/v1.hpp. If the two ever disagree about where a field lies, these tests fail, and that is the point.
#pragma once

#include <everbloom/hash/checksum.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace everbloom::hostile {

using file_bytes = std::vector<std::byte>;

inline constexpr std::size_t at_version = 8;
inline constexpr std::size_t at_kind = 12;
inline constexpr std::size_t at_flags = 16;
inline constexpr std::size_t at_header_bytes = 20;
inline constexpr std::size_t at_hash = 24;
inline constexpr std::size_t at_key_type = 28;
inline constexpr std::size_t at_hash_key = 32;
inline constexpr std::size_t at_agreed_items = 48;
inline constexpr std::size_t at_agreed_fpr = 56;
inline constexpr std::size_t at_parameter_count = 64;
inline constexpr std::size_t at_section_count = 68;
inline constexpr std::size_t at_parameters = 72;
inline constexpr std::size_t page = 1048576;
inline constexpr std::size_t line = 64;

template <class T>
[[nodiscard]] T get(std::span<const std::byte> file, std::size_t offset) {
    T value{};
    std::memcpy(&value, file.data() + offset, sizeof value);
    return value;
}

template <class T>
void put(std::span<std::byte> file, std::size_t offset, T value) {
    std::memcpy(file.data() + offset, &value, sizeof value);
}

/// Makes every checksum right that still has a place in the file, however little sense the numbers around it make.
inline void seal(std::span<std::byte> file) {
    if (file.size() < at_parameters + 8) return;
    const std::uint64_t claimed = get<std::uint32_t>(file, at_header_bytes);
    const bool believable = claimed >= at_parameters + 8 && claimed <= file.size();
    const std::uint64_t header = believable ? claimed : std::min<std::uint64_t>(file.size(), 128);
    const std::uint64_t parameters = get<std::uint32_t>(file, at_parameter_count);
    const std::uint64_t sections = get<std::uint32_t>(file, at_section_count);
    std::uint64_t lines_at = at_parameters + 8 * parameters;
    std::uint64_t checksum_at = lines_at + 8 * sections;
    std::uint64_t offset = header;
    for (std::uint64_t i = 0; i < sections && lines_at + 8 <= header; ++i, lines_at += 8) {
        const std::uint64_t lines = get<std::uint64_t>(file, lines_at);
        const std::uint64_t end = offset + std::min<std::uint64_t>(lines, (file.size() - offset) / line) * line;
        for (; offset < end && checksum_at + 16 <= header; checksum_at += 8) {
            const std::uint64_t length = std::min<std::uint64_t>(page, end - offset);
            put(file, checksum_at, std::uint64_t{checksum(file.data() + offset, length)});
            offset += length;
        }
        offset = end;
    }
    put(file, header - 8, std::uint64_t{checksum(file.data(), header - 8)});
}

/// One number in a header.
struct header_field {
    std::size_t offset;
    std::size_t width; // 4 or 8 bytes

    [[nodiscard]] std::uint64_t read(std::span<const std::byte> file) const {
        return width == 4 ? get<std::uint32_t>(file, offset) : get<std::uint64_t>(file, offset);
    }
    void write(std::span<std::byte> file, std::uint64_t value) const {
        if (width == 4) {
            put(file, offset, static_cast<std::uint32_t>(value));
        } else {
            put(file, offset, value);
        }
    }
};

/// Every number of the header that is not a checksum.
[[nodiscard]] inline std::vector<header_field> fields_of(std::span<const std::byte> file) {
    std::vector<header_field> fields;
    for (const std::size_t at :
         {at_version, at_kind, at_flags, at_header_bytes, at_hash, at_key_type, at_parameter_count, at_section_count}) {
        fields.push_back({at, 4});
    }
    for (const std::size_t at : {at_hash_key, at_hash_key + 8, at_agreed_items, at_agreed_fpr}) {
        fields.push_back({at, 8});
    }
    const std::size_t numbers =
        get<std::uint32_t>(file, at_parameter_count) + get<std::uint32_t>(file, at_section_count);
    for (std::size_t i = 0; i < numbers; ++i) fields.push_back({at_parameters + 8 * i, 8});
    return fields;
}

/// What a whole file is made of, for those who forge one from nothing.
struct file_plan {
    std::uint32_t kind = 0;
    std::uint32_t hash = 1;
    std::uint32_t key_type = 0;
    std::vector<std::uint64_t> parameters;
    std::vector<std::vector<std::uint64_t>> sections; // words, whole lines
};

[[nodiscard]] inline file_bytes forge(const file_plan& plan) {
    std::size_t pages = 0;
    std::size_t payload = 0;
    for (const auto& words : plan.sections) {
        pages += (words.size() * 8 + page - 1) / page;
        payload += words.size() * 8;
    }
    const std::size_t used = at_parameters + 8 * (plan.parameters.size() + plan.sections.size() + pages) + 8;
    const std::size_t header = (used + line - 1) / line * line;
    file_bytes file(header + payload, std::byte{0});
    std::memcpy(file.data(),
                "\x89"
                "EBLOOM\n",
                8);
    put(file, at_version, std::uint32_t{1});
    put(file, at_kind, plan.kind);
    put(file, at_header_bytes, static_cast<std::uint32_t>(header));
    put(file, at_hash, plan.hash);
    put(file, at_key_type, plan.key_type);
    put(file, at_parameter_count, static_cast<std::uint32_t>(plan.parameters.size()));
    put(file, at_section_count, static_cast<std::uint32_t>(plan.sections.size()));
    std::size_t at = at_parameters;
    for (const std::uint64_t value : plan.parameters) put(file, std::exchange(at, at + 8), value);
    for (const auto& words : plan.sections) put(file, std::exchange(at, at + 8), std::uint64_t{words.size() / 8});
    std::size_t offset = header;
    for (const auto& words : plan.sections) {
        if (words.empty()) continue;
        std::memcpy(file.data() + std::exchange(offset, offset + words.size() * 8), words.data(), words.size() * 8);
    }
    seal(file);
    return file;
}

} // namespace everbloom::hostile
