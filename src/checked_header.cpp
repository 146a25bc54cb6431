#include "checked_header.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/format/v1.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace everbloom {
namespace {

result<exclusion_list> assemble_exclusions(const exclusion_list_size& size, chunked_words store) {
    auto words = std::move(store).whole();
    if (!words) return fail(std::move(words.error()));
    return exclusion_list::assemble(size, std::move(*words));
}
result<exclusion_list> assemble_exclusions(const exclusion_list_size& size, const_words store) {
    return exclusion_list::assemble(size, std::move(store));
}

constexpr std::size_t guard_parameters = 2;

/// Takes the last parameter and the last section, which are an attachment's; says what is wrong with them, if anything.
const char* take_attachment(header_contents& made) {
    if (made.values.empty()) return "the header has the attachment flag, but no attachment size";
    made.attached_bytes = made.values.back();
    made.values.pop_back();
    const std::uint64_t lines = made.sections.back().lines;
    made.sections.pop_back();
    const bool fits = *made.attached_bytes != 0 && ceil_divide(*made.attached_bytes, line_bytes) == lines;
    return fits ? nullptr : "the attachment's section does not have the size given in the header";
}

result<header_contents> contents_of(const file_description& file) {
    header_contents made{file.parameters, file.sections, {}, {}};
    if (file.attached) {
        if (const char* const wrong = take_attachment(made)) return fail(failure_reason::damaged, wrong);
    }
    if (!file.guarded) return made;
    if (made.values.size() < guard_parameters || made.sections.empty()) {
        return fail(failure_reason::damaged, "the header has the exclusion list flag, but no exclusion list size");
    }
    const std::size_t kept = made.values.size() - guard_parameters;
    made.guarded = exclusion_list_size{made.values[kept], made.values[kept + 1]};
    made.values.resize(kept);
    const section_description last = made.sections.back();
    made.sections.pop_back();
    if (auto checked = made.guarded->check(); !checked) return fail(failure_reason::damaged, checked.error().sentence);
    if (made.guarded->lines() != last.lines) {
        return fail(failure_reason::damaged, "the exclusion list's section does not have the size given in the header");
    }
    return made;
}

/// Everything about the header that the format cannot know: is there such a kind, hash, geometry, and do the sizes fit it?
result<const kind_entry*> check_meaning(const file_description& file, const header_contents& found) {
    const kind_entry* kind = find_entry(file.kind);
    if (kind == nullptr) {
        return fail(failure_reason::damaged,
                    "the file holds a filter of kind " + std::to_string(file.kind) +
                        ", which is unknown to this version; use a newer version of everbloom");
    }
    if (found.values.size() != kind->info.parameters.size()) {
        return fail(failure_reason::damaged, "the header has " + std::to_string(found.values.size()) + " parameters; " +
                                                 with_article(kind->info.name) + " filter has " +
                                                 std::to_string(kind->info.parameters.size()));
    }
    if (auto checked = kind->check(found.values); !checked) {
        return fail(failure_reason::damaged, "the header is not that of " + with_article(kind->info.name) +
                                                 " filter: " + checked.error().sentence);
    }
    const auto lines = kind->section_lines(found.values);
    bool fits = lines.size() == found.sections.size();
    for (std::size_t i = 0; fits && i < lines.size(); ++i) fits = lines[i] == found.sections[i].lines;
    if (!fits)
        return fail(failure_reason::damaged, "the sections do not have the sizes that the header's geometry needs");
    if (std::none_of(known_hashes.begin(), known_hashes.end(),
                     [&](hash_id id) { return static_cast<std::uint32_t>(id) == file.hash; })) {
        return fail(failure_reason::damaged,
                    "the file uses hash " + std::to_string(file.hash) +
                        ", which is unknown to this version; use a newer version of everbloom");
    }
    if (file.key_type >= key_type_names.size()) {
        return fail(failure_reason::damaged,
                    "the file's keys are of type " + std::to_string(file.key_type) +
                        ", which is unknown to this version; use a newer version of everbloom");
    }
    return kind;
}

/// The bytes of an attachment; behind the last one stand zeros up to the end of the line.
result<std::vector<std::byte>> attachment_in(std::span<const std::uint64_t> words, std::uint64_t bytes) {
    const auto all = std::as_bytes(words);
    if (!v1::is_zero_padding(all.subspan(bytes))) {
        return fail(failure_reason::damaged, "the padding behind the attachment is not zero");
    }
    return std::vector<std::byte>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(bytes));
}

template <class Store, class Assemble>
result<filter_file> assemble_with(const checked_header& header, std::vector<Store> stores, Assemble assemble) {
    const header_contents& contents = header.contents;
    filter_file made;
    if (contents.attached_bytes) {
        auto attached = attachment_in(stores.back().pieces().whole(), *contents.attached_bytes);
        if (!attached) return fail(std::move(attached.error()));
        made.attached = std::move(*attached);
        stores.pop_back();
    }
    std::optional<exclusion_list> guarded;
    if (contents.guarded) {
        auto list = assemble_exclusions(*contents.guarded, std::move(stores.back()));
        if (!list) return fail(std::move(list.error()));
        guarded = std::move(*list);
        stores.pop_back();
    }
    result<any_filter> filter = assemble(std::move(stores));
    if (!filter) return fail(std::move(filter.error()));
    if (guarded) filter->set_exclusions(std::move(*guarded));
    const file_description& file = header.file;
    made.handle = keyed(std::move(*filter), any_hasher(static_cast<hash_id>(file.hash), hash_key{file.hash_key}));
    made.keys = static_cast<key_type>(file.key_type);
    made.target = {file.agreed_items, file.agreed_fpr};
    return made;
}

} // namespace

result<checked_header> check_header(std::span<const std::byte> header, std::uint64_t file_bytes) {
    auto file = v1::parse(header, file_bytes);
    if (!file) return fail(std::move(file.error()));
    auto found = contents_of(*file);
    if (!found) return fail(std::move(found.error()));
    const auto kind = check_meaning(*file, *found);
    if (!kind) return fail(kind.error());
    return checked_header{std::move(*file), std::move(*found), *kind};
}

result<filter_file> assemble_file(const checked_header& header, std::vector<chunked_words> stores,
                                  std::optional<std::uint64_t> checked_items) {
    return assemble_with(header, std::move(stores), [&](std::vector<chunked_words> own) {
        const parameter_values& values = header.contents.values;
        return checked_items ? header.kind->assemble_checked(values, std::move(own), *checked_items)
                             : header.kind->assemble(values, std::move(own));
    });
}

result<filter_file> assemble_file(const checked_header& header, std::vector<const_words> stores) {
    return assemble_with(header, std::move(stores), [&](std::vector<const_words> own) {
        return header.kind->assemble_view(header.contents.values, std::move(own));
    });
}

} // namespace everbloom
