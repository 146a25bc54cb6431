// File format, version 1. docs/format.md is the specification for independent readers; this file implements it.
//
//   | header: a multiple of 64 bytes | section 0: a multiple of 64 bytes | section 1 | ... |
//
// The header holds the geometry, the sizes of the sections and one checksum for every MiB (page) of every section, and ends with
// a checksum of itself, so that every byte of the file lies under exactly one checksum. There are no bytes between the parts or
// after the last. Numbers are little-endian.
//
// Parsing checks form: ranges, sums without overflow, exact length, zero padding. Meaning (does the kind exist, are its
// parameters valid, are the cells legal) is checked by the loader and the kind itself.
#pragma once

#include <everbloom/bits/word_pieces.hpp>
#include <everbloom/core/checked.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/format/description.hpp>
#include <everbloom/format/lookalike.hpp>
#include <everbloom/hash/checksum.hpp>
#include <everbloom/hash/running_checksum.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace everbloom::v1 {

// The first byte is not ASCII and the last is a newline: a file mangled as text is recognised at once.
inline constexpr std::array<std::uint8_t, 8> magic{0x89, 'E', 'B', 'L', 'O', 'O', 'M', '\n'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << 20;
inline constexpr std::uint32_t most_parameters = 64;
inline constexpr std::uint32_t most_sections = 16;
inline constexpr std::uint32_t guarded_flag = 1;  // two more parameters and one more section: the exclusion list
inline constexpr std::uint32_t attached_flag = 2; // one more parameter and one more section: an application's own bytes

// Offsets of the fixed part; parameters, section sizes and page checksums follow it.
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
inline constexpr std::size_t fixed_bytes = 72;

template <class T>
[[nodiscard]] T read_at(std::span<const std::byte> bytes, std::size_t offset) noexcept {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

template <class T>
void write_at(std::span<std::byte> bytes, std::size_t offset, T value) noexcept {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

[[nodiscard]] inline std::uint64_t pages_of(std::uint64_t lines) noexcept {
    return ceil_divide(lines, page_bytes / line_bytes);
}

[[nodiscard]] inline std::uint64_t header_bytes_for(std::size_t parameters, std::size_t sections,
                                                    std::uint64_t pages) noexcept {
    const std::uint64_t used =
        fixed_bytes + 8 * (parameters + sections + pages) + 8; // the last 8: the header's checksum
    return ceil_divide(used, line_bytes) * line_bytes;
}

/// The padding of the last line of a header or an attachment.
[[nodiscard]] inline bool is_zero_padding(std::span<const std::byte> bytes) noexcept {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

[[nodiscard]] inline auto damaged(std::string sentence) { return fail(failure_reason::damaged, std::move(sentence)); }

/// From the first `fixed_bytes` of a file: the claimed length of its header. Never more than the pages of
/// such a file need.
[[nodiscard]] inline result<std::uint64_t> header_bytes(std::span<const std::byte> start, std::uint64_t file_bytes) {
    if (start.size() < magic.size() || std::memcmp(start.data(), magic.data(), magic.size()) != 0) {
        return damaged("is not an everbloom filter (bad magic number); it looks like " +
                       std::string(words_of(lookalike_of(start))));
    }
    if (start.size() < fixed_bytes)
        return damaged("the file ends within its header, at byte " + std::to_string(start.size()));
    const auto found = read_at<std::uint32_t>(start, at_version);
    if (found != version) {
        return damaged("the file has format version " + std::to_string(found) + "; this program reads version " +
                       std::to_string(version));
    }
    const auto claimed = read_at<std::uint32_t>(start, at_header_bytes);
    // The caller will allocate the header: a sparse file of a terabyte must not cause an allocation of four gigabytes.
    const std::uint64_t most_pages = pages_of(file_bytes / line_bytes) + most_sections;
    const std::uint64_t longest = std::min(file_bytes, header_bytes_for(most_parameters, most_sections, most_pages));
    if (claimed < header_bytes_for(0, 0, 0) || claimed % line_bytes != 0 || claimed > longest) {
        return damaged("the header claims a length of " + std::to_string(claimed) + " bytes, in a file of " +
                       std::to_string(file_bytes));
    }
    return claimed;
}

/// Parses a whole header. Allocates no more than a small multiple of it.
[[nodiscard]] inline result<file_description> parse(std::span<const std::byte> header, std::uint64_t file_bytes) {
    const auto claimed = header_bytes(header, file_bytes);
    if (!claimed) return fail(claimed.error());
    if (*claimed != header.size())
        return damaged("the file ends within its header, at byte " + std::to_string(header.size()));
    const std::size_t sealed = header.size() - 8;
    if (checksum(header.data(), sealed) != read_at<std::uint64_t>(header, sealed)) {
        return damaged("the header is damaged (bytes 0 to " + std::to_string(header.size() - 1) +
                       ": its checksum does not match)");
    }
    const auto flags = read_at<std::uint32_t>(header, at_flags);
    if ((flags & ~(guarded_flag | attached_flag)) != 0)
        return damaged("the header has flags unknown to format version " + std::to_string(version) +
                       "; a newer everbloom may read it");

    file_description made;
    made.guarded = (flags & guarded_flag) != 0;
    made.attached = (flags & attached_flag) != 0;
    made.kind = read_at<std::uint32_t>(header, at_kind);
    made.hash = read_at<std::uint32_t>(header, at_hash);
    made.key_type = read_at<std::uint32_t>(header, at_key_type);
    std::memcpy(made.hash_key.data(), header.data() + at_hash_key, made.hash_key.size());
    made.agreed_items = read_at<std::uint64_t>(header, at_agreed_items);
    made.agreed_fpr = read_at<double>(header, at_agreed_fpr);
    const bool target = made.agreed_items != 0;
    if (target ? !(made.agreed_fpr > 0 && made.agreed_fpr < 1) : read_at<std::uint64_t>(header, at_agreed_fpr) != 0) {
        return damaged("the header's target false positive rate is invalid");
    }

    const auto parameters = read_at<std::uint32_t>(header, at_parameter_count);
    const auto sections = read_at<std::uint32_t>(header, at_section_count);
    if (parameters > most_parameters || sections == 0 || sections > most_sections ||
        header_bytes_for(parameters, sections, 0) > header.size()) {
        return damaged("the header's counts of parameters and sections are out of range");
    }
    std::size_t at = fixed_bytes;
    for (std::uint32_t i = 0; i < parameters; ++i, at += 8)
        made.parameters.push_back(read_at<std::uint64_t>(header, at));

    std::uint64_t offset = header.size();
    std::uint64_t pages = 0;
    for (std::uint32_t i = 0; i < sections; ++i, at += 8) {
        const auto lines = read_at<std::uint64_t>(header, at);
        const auto bytes = checked_multiply(lines, line_bytes);
        const auto end = bytes ? checked_add(offset, *bytes) : std::nullopt;
        if (!end || *end > file_bytes) {
            return damaged("section " + std::to_string(i) + " would extend beyond the end of the file (byte " +
                           std::to_string(file_bytes) + ")");
        }
        made.sections.push_back({offset, lines, static_cast<std::size_t>(pages)});
        offset = *end;
        pages += pages_of(lines);
    }
    if (offset != file_bytes) {
        return damaged("the sections end at byte " + std::to_string(offset) + ", the file at byte " +
                       std::to_string(file_bytes));
    }
    if (header_bytes_for(parameters, sections, pages) != header.size()) {
        return damaged("the header's length does not fit its counts of parameters, sections and pages");
    }
    for (std::uint64_t i = 0; i < pages; ++i, at += 8)
        made.page_checksums.push_back(read_at<std::uint64_t>(header, at));
    if (!is_zero_padding(header.subspan(at, sealed - at))) return damaged("the header's padding is not zero");
    return made;
}

/// The checksum of the page that begins at the byte `from`.
[[nodiscard]] inline std::uint64_t page_checksum(const word_pieces& words, std::uint64_t from) {
    const auto first = static_cast<std::size_t>(from / sizeof(std::uint64_t));
    const auto end =
        static_cast<std::size_t>(std::min<std::uint64_t>(first + page_bytes / sizeof(std::uint64_t), words.size()));
    if (words.run(first).size() >= end - first) {
        return checksum(words.run(first).data(), (end - first) * sizeof(std::uint64_t));
    }
    running_checksum sum;
    words.for_each_run(first, end, [&](std::span<const std::uint64_t> run) { sum.add(run.data(), run.size_bytes()); });
    return sum.value();
}

/// Checks the page that begins at the byte `from` of a section, and is there up to its end; says where the damage is.
[[nodiscard]] inline result<void> check_page(const file_description& file, std::size_t index, const word_pieces& words,
                                             std::uint64_t from) {
    const section_description& section = file.sections[index];
    if (page_checksum(words, from) == file.page_checksums[section.first_page + from / page_bytes]) return {};
    const std::uint64_t length = std::min(page_bytes, section.lines * line_bytes - from);
    return damaged("section " + std::to_string(index) + " is damaged (checksum mismatch) between bytes " +
                   std::to_string(section.offset + from) + " and " +
                   std::to_string(section.offset + from + length - 1) + " of the file");
}

/// The same for all pages of a section.
[[nodiscard]] inline result<void> check_section(const file_description& file, std::size_t index,
                                                const word_pieces& words) {
    for (std::uint64_t from = 0; from < file.sections[index].lines * line_bytes; from += page_bytes) {
        if (auto intact = check_page(file, index, words, from); !intact) return intact;
    }
    return {};
}

/// Where the page checksums of a header begin.
[[nodiscard]] inline std::size_t checksums_at(const file_description& file, std::size_t sections) noexcept {
    return fixed_bytes + 8 * (file.parameters.size() + sections);
}

/// The last step of making a header: the checksum of itself.
inline void seal(std::span<std::byte> header) noexcept {
    write_at(header, header.size() - 8, checksum(header.data(), header.size() - 8));
}

/// The header of a file with these sections, still without checksums.
[[nodiscard]] inline std::vector<std::byte> unsealed_header(const file_description& file,
                                                            std::span<const word_pieces> sections) {
    std::uint64_t pages = 0;
    for (const auto& words : sections) pages += pages_of(words.size() / line_words);
    std::vector<std::byte> made(header_bytes_for(file.parameters.size(), sections.size(), pages), std::byte{0});
    std::memcpy(made.data(), magic.data(), magic.size());
    write_at(made, at_version, version);
    write_at(made, at_kind, file.kind);
    write_at(made, at_flags, (file.guarded ? guarded_flag : 0) | (file.attached ? attached_flag : 0));
    write_at(made, at_header_bytes, static_cast<std::uint32_t>(made.size()));
    write_at(made, at_hash, file.hash);
    write_at(made, at_key_type, file.key_type);
    std::memcpy(made.data() + at_hash_key, file.hash_key.data(), file.hash_key.size());
    write_at(made, at_agreed_items, file.agreed_items);
    write_at(made, at_agreed_fpr, file.agreed_fpr);
    write_at(made, at_parameter_count, static_cast<std::uint32_t>(file.parameters.size()));
    write_at(made, at_section_count, static_cast<std::uint32_t>(sections.size()));
    std::size_t at = fixed_bytes;
    for (const std::uint64_t value : file.parameters) write_at(made, std::exchange(at, at + 8), value);
    for (const auto& words : sections)
        write_at(made, std::exchange(at, at + 8), std::uint64_t{words.size() / line_words});
    return made;
}

/// The whole header. Sections and page checksums of `file` are made here, not taken from it.
[[nodiscard]] inline std::vector<std::byte> header(const file_description& file,
                                                   std::span<const word_pieces> sections) {
    std::vector<std::byte> made = unsealed_header(file, sections);
    std::size_t at = checksums_at(file, sections.size());
    for (const auto& words : sections) {
        for (std::uint64_t from = 0; from < words.size_bytes(); from += page_bytes) {
            write_at(made, std::exchange(at, at + 8), page_checksum(words, from));
        }
    }
    seal(made);
    return made;
}

} // namespace everbloom::v1
