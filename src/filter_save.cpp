// Saving: a filter becomes a header and sections, which the loader checks in memory before a byte of them is written.
#include "load_unwritten.hpp"
#include "saved_sections.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/file_update.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstring>

namespace everbloom {
namespace {

/// Refuses to write a file that could not be opened again: the loader checks it first, in memory. If a bug or a memory error has
/// damaged the filter, the existing file is still good.
result<void> check_unwritten(std::span<const std::byte> header, std::span<const word_pieces> sections) {
    auto loaded = load_unwritten(header, sections);
    if (loaded) return {};
    if (loaded.error().reason != failure_reason::damaged) return fail(std::move(loaded.error()));
    return fail(failure_reason::damaged,
                "the filter in memory is damaged and was not saved; the file is unchanged: " + loaded.error().sentence);
}

} // namespace

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
        result<void> done;
        for (const auto& words : sections) {
            words.for_each_run([&](std::span<const std::uint64_t> run) {
                if (done) done = into.write(std::as_bytes(run));
            });
        }
        return done;
    });
}

std::vector<std::byte> write_filter(const filter_file& file) {
    if (!file.filter().has_filter()) return {};
    const auto attachment = attachment_words(file.attached);
    const auto sections = all_sections(file, attachment);
    std::vector<std::byte> bytes = v1::header(describe(file), sections);
    for (const auto& words : sections) {
        words.for_each_run([&](std::span<const std::uint64_t> run) {
            const auto part = std::as_bytes(run);
            bytes.insert(bytes.end(), part.begin(), part.end());
        });
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
        for (const auto& words : sections) {
            words.for_each_run([&](std::span<const std::uint64_t> run) { pieces.push_back(std::as_bytes(run)); });
        }
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
