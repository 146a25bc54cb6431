// gzip_bytes: pieces of a file, compressed as gzip, in memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace everbloom::cli {

[[nodiscard]] std::vector<std::byte> gzip_bytes(std::span<const std::span<const std::byte>> pieces);

} // namespace everbloom::cli
