// dcso_conversion: `.bloom` file to filter and back, without the keys: the bits stay where they are; the hash and the probe scheme of
// those files exist in the library (both are called dcso).
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/jobs/dcso_file.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace everbloom {

/// The filter in a .bloom file. What a filter has no place for goes into the attachment, so that converting back gives the same bytes.
[[nodiscard]] result<filter_file> filter_from_dcso(const dcso_file& from);

/// A .bloom file for this filter, as plain bytes.
[[nodiscard]] result<std::vector<std::byte>> write_dcso(const filter_file& from);

/// Why a filter cannot become a .bloom file.
enum class dcso_obstacle {
    none,
    other_hash,       // or another kind, or another probe scheme
    exclusion_list,   // no place for it
    key_type,         // not text
    linked_positions, // a power of two bits
};
[[nodiscard]] dcso_obstacle obstacle_to_dcso(const filter_file& from);

/// The same conversions in parts, for writing to a file without a copy in memory.

/// The header of a .bloom file for this filter, or the obstacle in a sentence.
[[nodiscard]] result<dcso_header> header_as_dcso(const filter_file& from);
/// What follows the header: the words, and the attached data.
[[nodiscard]] std::array<std::span<const std::byte>, 2> body_as_dcso(const filter_file& from,
                                                                     const dcso_header& header);

/// What a filter file has before and after the words of a .bloom file.
struct everbloom_frame {
    std::vector<std::byte> header;
    std::vector<std::uint64_t> attachment;
};
[[nodiscard]] everbloom_frame frame_for(const dcso_file& from);

} // namespace everbloom
