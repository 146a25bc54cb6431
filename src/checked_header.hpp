// checked_header: the header of a file whose every number has been compared with the bytes of the file and with its kind, and the last step
// of loading, from sections to a filter. Between the two, sections may come from a file, a mapping or a server, at once or in pieces.
#pragma once

#include "kind_entry.hpp"

#include <everbloom/format/description.hpp>
#include <everbloom/runtime/exclusion_list.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace everbloom {

/// The parts of a header: those of the filter, of its exclusion list and of its attachment.
struct header_contents {
    parameter_values values;
    std::vector<section_description> sections; // the filter's own
    std::optional<exclusion_list_size> guarded;
    std::optional<std::uint64_t> attached_bytes;
};

/// How the kind of a filter wants the memory of a section.
enum class section_memory : std::uint8_t { whole, in_chunks };

[[nodiscard]] inline result<chunked_words> make_section(std::uint64_t lines, section_memory how) {
    return how == section_memory::whole ? chunked_words::make_whole(lines) : chunked_words::make(lines);
}

struct checked_header {
    file_description file;
    header_contents contents;
    const kind_entry* kind = nullptr;

    [[nodiscard]] section_memory memory_of(std::size_t section) const noexcept {
        return section < kind->chunked_sections ? section_memory::in_chunks : section_memory::whole;
    }
};

/// Allocates no more than a small multiple of the header.
[[nodiscard]] result<checked_header> check_header(std::span<const std::byte> header, std::uint64_t file_bytes);

/// The filter of all sections of a file. `checked_items`: what `kind_entry::check_lines` has counted, if it has seen the first
/// section.
[[nodiscard]] result<filter_file> assemble_file(const checked_header& header, std::vector<chunked_words> stores,
                                                std::optional<std::uint64_t> checked_items = {});
[[nodiscard]] result<filter_file> assemble_file(const checked_header& header, std::vector<const_words> stores);

} // namespace everbloom
