// Loading: one function, `load`, for every source. The header is checked before anything is allocated by it, then every byte.
#include "checked_header.hpp"
#include "file_sources.hpp"
#include "load_unwritten.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/filter_file.hpp>

namespace everbloom {
namespace {

template <class Source>
result<filter_file> load(Source& source, bool verify_all = true) {
    const auto start = source.first(v1::fixed_bytes);
    if (!start) return fail(start.error());
    const auto header_bytes = v1::header_bytes(*start, source.bytes());
    if (!header_bytes) return fail(header_bytes.error());
    const auto header = source.first(*header_bytes);
    if (!header) return fail(header.error());
    const auto checked = check_header(*header, source.bytes());
    if (!checked) return fail(checked.error());

    std::vector<typename Source::store_type> stores;
    for (std::size_t i = 0; i < checked->file.sections.size(); ++i) {
        auto words = source.section(checked->file.sections[i], checked->memory_of(i));
        if (!words) return fail(std::move(words.error()));
        if (verify_all) {
            if (auto intact = v1::check_section(checked->file, i, words->pieces()); !intact) {
                return fail(std::move(intact.error()));
            }
        }
        stores.push_back(std::move(*words));
    }
    return assemble_file(*checked, std::move(stores));
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
