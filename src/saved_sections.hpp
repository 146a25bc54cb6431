// What a filter file is made of when it is saved: its description and its sections.
#pragma once

#include <everbloom/bits/word_pieces.hpp>
#include <everbloom/core/checked.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/format/description.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstring>
#include <vector>

namespace everbloom {

/// The words of an attachment, in whole lines; no words if there is none.
[[nodiscard]] inline std::vector<std::uint64_t> attachment_words(const std::vector<std::byte>& attached) {
    std::vector<std::uint64_t> words(ceil_divide(attached.size(), line_bytes) * line_words);
    if (!attached.empty()) std::memcpy(words.data(), attached.data(), attached.size());
    return words;
}

/// What the header says.
[[nodiscard]] inline file_description describe(const filter_file& file) {
    file_description made;
    made.kind = file.filter().kind_id();
    made.hash = static_cast<std::uint32_t>(file.hasher().id());
    made.hash_key = file.hasher().key().bytes;
    made.key_type = static_cast<std::uint32_t>(file.keys);
    made.agreed_items = file.target.items;
    made.agreed_fpr = file.target.items == 0 ? 0 : file.target.fpr;
    for (const geometry_value& one : file.filter().geometry()) made.parameters.push_back(one.value);
    if (const auto& guarded = file.filter().exclusions()) {
        made.guarded = true;
        made.parameters.push_back(guarded->size().bits);
        made.parameters.push_back(guarded->size().hashes);
    }
    if (!file.attached.empty()) {
        made.attached = true;
        made.parameters.push_back(file.attached.size());
    }
    return made;
}

/// The sections of the filter, and that of the attachment, whose words the caller holds.
[[nodiscard]] inline std::vector<word_pieces> all_sections(const filter_file& file,
                                                           const std::vector<std::uint64_t>& attachment) {
    auto sections = file.filter().sections();
    if (!attachment.empty()) sections.emplace_back(std::span<const std::uint64_t>(attachment));
    return sections;
}

} // namespace everbloom
