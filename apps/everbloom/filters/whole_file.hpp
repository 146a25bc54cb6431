// whole_file: small files, read at once, and written as safely as a filter.
#pragma once

#include "keys/byte_stream.hpp"

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// The text of a file, decompressed if need be; "-" is standard input. A longer file is refused before more of it is read.
[[nodiscard]] result<std::string> read_bounded_file(const std::string& path, const reading_rules& rules,
                                                    std::uint64_t most_bytes);

/// The bytes without decompression; a file with more than `most_bytes` is refused before more of it is read.
[[nodiscard]] result<std::vector<std::byte>> read_whole_file(const std::string& path, std::uint64_t most_bytes);

/// The old file stays until the new one is complete. `inputs`, the files that the command reads, are not overwritten.
[[nodiscard]] result<void> write_whole_file(const std::string& path, std::span<const std::byte> bytes,
                                            std::span<const std::string> inputs = {});

[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

} // namespace everbloom::cli
