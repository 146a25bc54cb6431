#include "saved_sections.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/file_parts.hpp>

#include <algorithm>

namespace everbloom {
namespace {

/// One page of one section.
struct page_place {
    std::size_t section = 0;
    std::uint64_t first_byte = 0;
    std::uint64_t bytes = 0;
};

page_place place_of(std::uint64_t page, std::span<const word_pieces> sections) {
    page_place found;
    for (; found.section < sections.size(); ++found.section) {
        const std::uint64_t bytes = sections[found.section].size_bytes();
        const std::uint64_t pages = ceil_divide(bytes, v1::page_bytes);
        if (page < pages) {
            found.first_byte = page * v1::page_bytes;
            found.bytes = std::min(v1::page_bytes, bytes - found.first_byte);
            break;
        }
        page -= pages;
    }
    return found;
}

/// Appends the bytes [first, last) of the sections, counted from the first byte of the first one.
void append_cells(std::span<const word_pieces> sections, std::uint64_t first, std::uint64_t last,
                  std::vector<std::byte>& into) {
    std::uint64_t before = 0;
    for (const word_pieces& words : sections) {
        const std::uint64_t begin = std::clamp(first, before, before + words.size_bytes()) - before;
        const std::uint64_t end = std::clamp(last, before, before + words.size_bytes()) - before;
        before += words.size_bytes();
        if (begin == end) continue;
        std::uint64_t at = begin / sizeof(std::uint64_t) * sizeof(std::uint64_t);
        words.for_each_run(begin / sizeof(std::uint64_t), ceil_divide(end, sizeof(std::uint64_t)),
                           [&](std::span<const std::uint64_t> run) {
                               const auto bytes = std::as_bytes(run);
                               const std::uint64_t from = std::max(begin, at) - at;
                               const std::uint64_t to = std::min<std::uint64_t>(end - at, bytes.size());
                               into.insert(into.end(), bytes.begin() + static_cast<std::ptrdiff_t>(from),
                                           bytes.begin() + static_cast<std::ptrdiff_t>(to));
                               at += bytes.size();
                           });
    }
}

} // namespace

file_parts::file_parts(const filter_file& file) {
    const auto attachment = attachment_words(file.attached);
    const auto sections = all_sections(file, attachment);
    const file_description said = describe(file);
    header_ = v1::unsealed_header(said, sections);
    checksums_at_ = v1::checksums_at(said, sections.size());
    total_ = header_.size();
    for (const word_pieces& words : sections) {
        section_bytes_.push_back(words.size_bytes());
        total_ += words.size_bytes();
        pages_ += v1::pages_of(words.size() / line_words);
    }
}

std::vector<std::byte> file_parts::read(const filter_file& file, std::uint64_t first, std::uint64_t most) {
    const auto attachment = attachment_words(file.attached);
    const auto sections = all_sections(file, attachment);
    const auto has_size = [](const word_pieces& words, std::uint64_t bytes) { return words.size_bytes() == bytes; };
    if (!std::equal(sections.begin(), sections.end(), section_bytes_.begin(), section_bytes_.end(), has_size)) {
        *this = file_parts(file);
    }
    std::vector<std::byte> made;
    if (first >= total_) return made;
    std::uint64_t left = most;
    if (first < header_.size()) {
        const auto ready_bytes = [&] {
            return summed_pages_ == pages_ ? header_.size() : checksums_at_ + 8 * summed_pages_;
        };
        while (summed_pages_ < pages_) {
            const page_place page = place_of(summed_pages_, sections);
            if (page.bytes > left && ready_bytes() > first) break;
            v1::write_at(std::span(header_), static_cast<std::size_t>(checksums_at_ + 8 * summed_pages_),
                         v1::page_checksum(sections[page.section], page.first_byte));
            left -= std::min(left, page.bytes);
            ++summed_pages_;
        }
        if (summed_pages_ == pages_) v1::seal(header_);
        const std::uint64_t end = std::min<std::uint64_t>(ready_bytes(), first + most);
        made.assign(header_.begin() + static_cast<std::ptrdiff_t>(first),
                    header_.begin() + static_cast<std::ptrdiff_t>(end));
        if (end < header_.size()) return made;
        first = end;
        left -= std::min<std::uint64_t>(left, made.size());
    }
    const std::uint64_t from = first - header_.size();
    const std::uint64_t to = std::min(from + left, total_ - header_.size());
    made.reserve(made.size() + static_cast<std::size_t>(to - from));
    append_cells(sections, from, to, made);
    return made;
}

} // namespace everbloom
