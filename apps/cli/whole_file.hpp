// A small file as a whole: read at once, and written as safely as a filter.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

[[nodiscard]] result<std::vector<std::byte>> read_whole_file(const std::string& path);

/// The old file stays until the new one is complete.
[[nodiscard]] result<void> write_whole_file(const std::string& path, std::span<const std::byte> bytes);

[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

} // namespace everbloom::cli
