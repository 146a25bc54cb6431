#include "kind_entry.hpp"

#include <everbloom/bits/file_mapping.hpp>
#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace everbloom {
namespace {

class open_file {
public:
    explicit open_file(int descriptor) noexcept : descriptor_(descriptor) {}
    open_file(open_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    open_file& operator=(open_file&&) = delete;
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ~open_file() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

struct sized_file {
    open_file file;
    std::uint64_t bytes;
};

result<sized_file> open_regular(const std::string& path) {
    // O_NONBLOCK: a named pipe must be refused below, not waited for.
    open_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found {};
    if (file.descriptor() < 0 || ::fstat(file.descriptor(), &found) != 0) {
        return fail(failure_reason::input_output, std::string("cannot open it: ") + std::strerror(errno));
    }
    if (S_ISDIR(found.st_mode)) return fail(failure_reason::input_output, "is a directory; name a filter file");
    if (!S_ISREG(found.st_mode)) return fail(failure_reason::input_output, "is not a regular file; name a filter file");
    return sized_file{std::move(file), static_cast<std::uint64_t>(found.st_size)};
}

// The three places a filter is loaded from. Each gives the bytes of its header, and a store with the words of a section.

class descriptor_source {
public:
    using store_type = heap_words;
    descriptor_source(int descriptor, std::uint64_t bytes) noexcept : descriptor_(descriptor), bytes_(bytes) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    result<std::span<const std::byte>> first(std::uint64_t count) {
        header_.resize(std::min(count, bytes_));
        if (auto done = read(0, header_); !done) return fail(std::move(done.error()));
        return std::span<const std::byte>(header_);
    }

    result<heap_words> section(const section_description& where) const {
        auto words = heap_words::make(where.lines);
        if (!words) return fail(std::move(words.error()));
        const std::span<std::uint64_t> all(words->data(), words->words());
        if (auto done = read(where.offset, std::as_writable_bytes(all)); !done) return fail(std::move(done.error()));
        return words;
    }

private:
    result<void> read(std::uint64_t offset, std::span<std::byte> into) const {
        while (!into.empty()) {
            const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0)
                return fail(failure_reason::input_output, std::string("cannot read it: ") + std::strerror(errno));
            if (got == 0) return fail(failure_reason::damaged, "the file became shorter while it was read");
            offset += static_cast<std::uint64_t>(got);
            into = into.subspan(static_cast<std::size_t>(got));
        }
        return {};
    }

    int descriptor_;
    std::uint64_t bytes_;
    std::vector<std::byte> header_;
};

class memory_source {
public:
    using store_type = heap_words;
    explicit memory_source(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.size(); }

    [[nodiscard]] result<std::span<const std::byte>> first(std::uint64_t count) const {
        return bytes_.first(static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes_.size())));
    }

    [[nodiscard]] result<heap_words> section(const section_description& where) const {
        auto words = heap_words::make(where.lines);
        if (words && where.lines != 0)
            std::memcpy(words->data(), bytes_.data() + where.offset, where.lines * line_bytes);
        return words;
    }

private:
    std::span<const std::byte> bytes_;
};

/// Bytes that come once, in order: the header, then the sections as they lie in the file.
class piecewise_source {
public:
    using store_type = heap_words;
    piecewise_source(byte_source& from, std::uint64_t bytes) noexcept : from_(from), bytes_(bytes) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    result<std::span<const std::byte>> first(std::uint64_t count) {
        const std::size_t before = header_.size();
        header_.resize(static_cast<std::size_t>(std::max<std::uint64_t>(before, std::min(count, bytes_))));
        if (auto done = take(std::span(header_).subspan(before)); !done) return fail(std::move(done.error()));
        return std::span<const std::byte>(header_);
    }

    result<heap_words> section(const section_description& where) {
        if (where.offset != position_) return fail(failure_reason::damaged, "the sections are not in order");
        auto words = heap_words::make(where.lines);
        if (!words) return fail(std::move(words.error()));
        const std::span<std::uint64_t> all(words->data(), words->words());
        if (auto done = take(std::as_writable_bytes(all)); !done) return fail(std::move(done.error()));
        return words;
    }

private:
    result<void> take(std::span<std::byte> into) {
        if (into.empty()) return {};
        auto done = from_.read(into);
        position_ += into.size();
        return done;
    }

    byte_source& from_;
    std::uint64_t bytes_;
    std::uint64_t position_ = 0;
    std::vector<std::byte> header_;
};

class mapping_source {
public:
    using store_type = const_words;
    explicit mapping_source(std::shared_ptr<const file_mapping> mapping) noexcept : mapping_(std::move(mapping)) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept { return mapping_->bytes(); }

    [[nodiscard]] result<std::span<const std::byte>> first(std::uint64_t count) const {
        return std::span(start(), static_cast<std::size_t>(std::min(count, mapping_->bytes())));
    }

    [[nodiscard]] result<const_words> section(const section_description& where) const {
        // The mapping starts on a page and sections lie on lines, so the words are aligned.
        const auto* words = reinterpret_cast<const std::uint64_t*>(start() + where.offset);
        return const_words(words, where.lines * line_words, mapping_);
    }

private:
    [[nodiscard]] const std::byte* start() const noexcept { return static_cast<const std::byte*>(mapping_->address()); }

    std::shared_ptr<const file_mapping> mapping_;
};

/// A file that is not written yet: its header, and its sections where they lie in memory.
class unwritten_source {
public:
    using store_type = const_words;
    unwritten_source(std::span<const std::byte> header,
                     std::span<const std::span<const std::uint64_t>> sections) noexcept
        : header_(header), sections_(sections) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        std::uint64_t sum = header_.size();
        for (const auto& words : sections_) sum += words.size_bytes();
        return sum;
    }

    [[nodiscard]] result<std::span<const std::byte>> first(std::uint64_t count) const {
        return header_.first(static_cast<std::size_t>(std::min<std::uint64_t>(count, header_.size())));
    }

    [[nodiscard]] result<const_words> section(const section_description& where) const {
        std::uint64_t offset = header_.size();
        for (const auto& words : sections_) {
            if (offset == where.offset && words.size() == where.lines * line_words) {
                return const_words(words.data(), words.size(), nullptr);
            }
            offset += words.size_bytes();
        }
        return fail(failure_reason::damaged, "the header describes a section that does not exist");
    }

private:
    std::span<const std::byte> header_;
    std::span<const std::span<const std::uint64_t>> sections_;
};

result<any_filter> assemble(const kind_entry& kind, const parameter_values& values, std::vector<heap_words> stores) {
    return kind.assemble(values, std::move(stores));
}
result<any_filter> assemble(const kind_entry& kind, const parameter_values& values, std::vector<const_words> stores) {
    return kind.assemble_view(values, std::move(stores));
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

/// The words of an attachment, in whole lines; no words if there is none.
std::vector<std::uint64_t> attachment_words(const std::vector<std::byte>& attached) {
    std::vector<std::uint64_t> words(ceil_divide(attached.size(), line_bytes) * line_words);
    if (!attached.empty()) std::memcpy(words.data(), attached.data(), attached.size());
    return words;
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
        auto words = source.section(file->sections[i]);
        if (!words) return fail(std::move(words.error()));
        const auto& read_only = *words;
        if (verify_all) {
            if (auto intact =
                    v1::check_section(*file, i, {read_only.data(), static_cast<std::size_t>(read_only.words())});
                !intact) {
                return fail(std::move(intact.error()));
            }
        }
        stores.push_back(std::move(*words));
    }
    filter_file made;
    if (found->attached_bytes) {
        const auto& store = stores.back();
        auto attached = attachment_in({store.data(), static_cast<std::size_t>(store.words())}, *found->attached_bytes);
        if (!attached) return fail(std::move(attached.error()));
        made.attached = std::move(*attached);
        stores.pop_back();
    }
    std::optional<exclusion_list> guarded;
    if (found->guarded) {
        auto made = exclusion_list::assemble(*found->guarded, std::move(stores.back()));
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

file_description describe(const filter_file& file) {
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
std::vector<std::span<const std::uint64_t>> all_sections(const filter_file& file,
                                                         const std::vector<std::uint64_t>& attachment) {
    auto sections = file.filter().sections();
    if (!attachment.empty()) sections.emplace_back(attachment);
    return sections;
}

/// Refuses to write a file that could not be opened again: the loader checks it first, in memory. If a bug or a memory error has
/// damaged the filter, the existing file is still good.
result<void> check_unwritten(std::span<const std::byte> header,
                             std::span<const std::span<const std::uint64_t>> sections) {
    unwritten_source source(header, sections);
    auto loaded = load(source);
    if (loaded) return {};
    if (loaded.error().reason != failure_reason::damaged) return fail(std::move(loaded.error()));
    return fail(failure_reason::damaged,
                "the filter in memory is damaged and was not saved; the file is unchanged: " + loaded.error().sentence);
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

std::uint64_t saved_bytes(const filter_file& file) {
    if (!file.filter().has_filter()) return 0;
    const auto attachment = attachment_words(file.attached);
    const auto sections = all_sections(file, attachment);
    std::uint64_t pages = 0;
    std::uint64_t bytes = 0;
    for (const auto& words : sections) {
        pages += v1::pages_of(words.size() / line_words);
        bytes += words.size_bytes();
    }
    return bytes + v1::header_bytes_for(describe(file).parameters.size(), sections.size(), pages);
}

result<void> write_filter(const filter_file& file, byte_sink& into) {
    return or_out_of_memory([&]() -> result<void> {
        if (!file.filter().has_filter()) return fail(failure_reason::unsupported, "there is no filter to save");
        const auto attachment = attachment_words(file.attached);
        const auto sections = all_sections(file, attachment);
        const std::vector<std::byte> header = v1::header(describe(file), sections);
        if (auto opens = check_unwritten(header, sections); !opens) return opens;
        if (auto done = into.write(header); !done) return done;
        for (const auto& words : sections) {
            if (words.empty()) continue;
            if (auto done = into.write(std::as_bytes(words)); !done) return done;
        }
        return {};
    });
}

std::vector<std::byte> write_filter(const filter_file& file) {
    if (!file.filter().has_filter()) return {};
    const auto attachment = attachment_words(file.attached);
    const auto sections = all_sections(file, attachment);
    std::vector<std::byte> bytes = v1::header(describe(file), sections);
    for (const auto& words : sections) {
        const auto part = std::as_bytes(words);
        bytes.insert(bytes.end(), part.begin(), part.end());
    }
    return bytes;
}

result<void> prepare_filter(const filter_file& file, file_update& update) {
    return or_out_of_memory([&]() -> result<void> {
        if (!file.filter().has_filter()) {
            return fail(failure_reason::unsupported, update.target() + ": there is no filter to save");
        }
        const auto attachment = attachment_words(file.attached);
        const auto sections = all_sections(file, attachment);
        const std::vector<std::byte> header = v1::header(describe(file), sections);
        if (auto opens = check_unwritten(header, sections); !opens) {
            return fail(in(update.target(), std::move(opens.error())));
        }
        std::vector<std::span<const std::byte>> pieces{header};
        for (const auto& words : sections) pieces.push_back(std::as_bytes(words));
        return update.prepare(pieces);
    });
}

result<void> save_filter(const filter_file& file, file_update& update) {
    if (auto prepared = prepare_filter(file, update); !prepared) return prepared;
    return update.publish();
}

result<void> save_filter(const filter_file& file, const std::string& path) {
    auto update = file_update::begin(path);
    if (!update) return fail(std::move(update.error()));
    return save_filter(file, *update);
}

} // namespace everbloom
