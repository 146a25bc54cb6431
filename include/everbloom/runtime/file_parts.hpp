// file_parts: the bytes of a filter's file, part by part, for a server that dumps in steps and must not take long in any of them.
//
// The header comes first, and it has a checksum of every MiB of the cells. They are computed as its bytes are asked for, so no part makes
// more bytes be read than were asked for, or one MiB. The filter must not change from part to part; if it does, the parts do not pass the
// checks of files, or are those of the changed filter because nothing of the change had been read before.
#pragma once

#include <everbloom/runtime/filter_file.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace everbloom {

class file_parts {
public:
    /// Of a file that has a filter. Reads no cells yet.
    explicit file_parts(const filter_file& file);

    /// Of the whole file.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return total_; }

    /// Bytes from `first` on, at most `most`, and fewer where checksums had to be computed; none behind the end. `file` as before: if its
    /// size has changed, these are parts of the new one.
    [[nodiscard]] std::vector<std::byte> read(const filter_file& file, std::uint64_t first, std::uint64_t most);

private:
    std::vector<std::byte> header_;
    std::uint64_t total_ = 0;
    std::uint64_t checksums_at_ = 0;
    std::uint64_t pages_ = 0;
    std::uint64_t summed_pages_ = 0;
    std::vector<std::uint64_t> section_bytes_;
};

} // namespace everbloom
