// Loading: one function, `load`, for every source. The header is checked before anything is allocated by it, then every byte.
#include "file_sources.hpp"
#include "kind_entry.hpp"
#include "load_unwritten.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <algorithm>
#include <optional>

namespace everbloom {
namespace {

result<any_filter> assemble(const kind_entry& kind, const parameter_values& values, std::vector<chunked_words> stores) {
    return kind.assemble(values, std::move(stores));
}
result<any_filter> assemble(const kind_entry& kind, const parameter_values& values, std::vector<const_words> stores) {
    return kind.assemble_view(values, std::move(stores));
}

result<exclusion_list> assemble_exclusions(const exclusion_list_size& size, chunked_words store) {
    auto words = std::move(store).whole();
    if (!words) return fail(std::move(words.error()));
    return exclusion_list::assemble(size, std::move(*words));
}
result<exclusion_list> assemble_exclusions(const exclusion_list_size& size, const_words store) {
    return exclusion_list::assemble(size, std::move(store));
}

constexpr std::size_t guard_parameters = 2;

/// The parts of a header: those of the filter, of its exclusion list and of its attachment.
struct contents {
    parameter_values values;
    std::vector<section_description> sections;
    std::optional<exclusion_list_size> guarded;
    std::optional<std::uint64_t> attached_bytes;
};

/// The last parameter and the last section, if there is an attachment.
result<void> take_attachment(contents& made) {
    if (made.values.empty()) {
        return fail(failure_reason::damaged, "the header has the attachment flag, but no attachment size");
    }
    made.attached_bytes = made.values.back();
    made.values.pop_back();
    const std::uint64_t lines = made.sections.back().lines;
    made.sections.pop_back();
    if (*made.attached_bytes == 0 || ceil_divide(*made.attached_bytes, line_bytes) != lines) {
        return fail(failure_reason::damaged, "the attachment's section does not have the size given in the header");
    }
    return {};
}

result<contents> contents_of(const file_description& file) {
    contents made{file.parameters, file.sections, {}, {}};
    if (file.attached) {
        if (auto taken = take_attachment(made); !taken) return fail(std::move(taken.error()));
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
result<const kind_entry*> check_meaning(const file_description& file, const contents& found) {
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

template <class Source>
result<filter_file> load(Source& source, bool verify_all = true) {
    const auto start = source.first(v1::fixed_bytes);
    if (!start) return fail(start.error());
    const auto header_bytes = v1::header_bytes(*start, source.bytes());
    if (!header_bytes) return fail(header_bytes.error());
    const auto header = source.first(*header_bytes);
    if (!header) return fail(header.error());
    const auto file = v1::parse(*header, source.bytes());
    if (!file) return fail(file.error());
    const auto found = contents_of(*file);
    if (!found) return fail(found.error());
    const auto kind = check_meaning(*file, *found);
    if (!kind) return fail(kind.error());

    std::vector<typename Source::store_type> stores;
    for (std::size_t i = 0; i < file->sections.size(); ++i) {
        auto words = source.section(file->sections[i],
                                    i < (*kind)->chunked_sections ? section_memory::in_chunks : section_memory::whole);
        if (!words) return fail(std::move(words.error()));
        if (verify_all) {
            if (auto intact = v1::check_section(*file, i, words->pieces()); !intact) {
                return fail(std::move(intact.error()));
            }
        }
        stores.push_back(std::move(*words));
    }
    filter_file made;
    if (found->attached_bytes) {
        auto attached = attachment_in(stores.back().pieces().whole(), *found->attached_bytes);
        if (!attached) return fail(std::move(attached.error()));
        made.attached = std::move(*attached);
        stores.pop_back();
    }
    std::optional<exclusion_list> guarded;
    if (found->guarded) {
        auto made = assemble_exclusions(*found->guarded, std::move(stores.back()));
        if (!made) return fail(std::move(made.error()));
        guarded = std::move(*made);
        stores.pop_back();
    }
    auto filter = assemble(**kind, found->values, std::move(stores));
    if (!filter) return fail(std::move(filter.error()));
    if (guarded) filter->set_exclusions(std::move(*guarded));
    made.handle = keyed(std::move(*filter), any_hasher(static_cast<hash_id>(file->hash), hash_key{file->hash_key}));
    made.keys = static_cast<key_type>(file->key_type);
    made.target = {file->agreed_items, file->agreed_fpr};
    return made;
}

result<filter_file> named(const std::string& path, result<filter_file> loaded) {
    if (!loaded) return fail(in(path, std::move(loaded.error())));
    return loaded;
}

result<filter_file> map_file(const std::string& path, bool verify_all) {
    return or_out_of_memory([&]() -> result<filter_file> {
        const auto opened = open_regular(path);
        if (!opened) return fail(in(path, opened.error()));
        auto mapping = file_mapping::map(opened->file.descriptor(), opened->bytes);
        if (!mapping) return fail(in(path, std::move(mapping.error())));
        mapping_source source(std::make_shared<const file_mapping>(std::move(*mapping)));
        return named(path, load(source, verify_all));
    });
}

} // namespace

result<filter_file> open_filter(const std::string& path) {
    return or_out_of_memory([&]() -> result<filter_file> {
        const auto opened = open_regular(path);
        if (!opened) return fail(in(path, opened.error()));
        descriptor_source source(opened->file.descriptor(), opened->bytes);
        return named(path, load(source));
    });
}

result<filter_file> map_filter(const std::string& path) { return map_file(path, true); }

result<filter_file> map_unverified_filter(const std::string& path) { return map_file(path, false); }

result<filter_file> read_filter(std::span<const std::byte> bytes) {
    return or_out_of_memory([&] {
        memory_source source(bytes);
        return load(source);
    });
}

result<filter_file> read_filter(byte_source& from, std::uint64_t bytes) {
    return or_out_of_memory([&] {
        piecewise_source source(from, bytes);
        return load(source);
    });
}

result<filter_file> load_unwritten(std::span<const std::byte> header, std::span<const word_pieces> sections) {
    unwritten_source source(header, sections);
    return load(source);
}

} // namespace everbloom
