// patch_file: a patch on disk: its header, then its body as one zstd frame.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/jobs/filter_patch.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace everbloom::cli {

/// The file of a patch from one filter file to another.
[[nodiscard]] std::vector<std::byte> write_patch(std::span<const std::byte> from, std::span<const std::byte> to,
                                                 const patch_changes& changes);

struct read_patch {
    patch_header header;
    std::vector<std::byte> body;
};

/// `name` is for messages. Decompresses no more than a file of `from_bytes` can need.
[[nodiscard]] result<read_patch> parse_patch(const std::string& name, std::span<const std::byte> file,
                                             std::uint64_t from_bytes);

} // namespace everbloom::cli
