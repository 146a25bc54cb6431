// The bytes of a key file, in order: as they are, or decompressed if the file begins like gzip or zstd.
#pragma once

#include "cancellation.hpp"

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace everbloom::cli {

class byte_stream {
public:
    byte_stream() = default;
    byte_stream(const byte_stream&) = delete;
    byte_stream& operator=(const byte_stream&) = delete;
    virtual ~byte_stream() = default;

    /// Waits until there is something, and gives what there is; 0 at the end, and when `cancel` was requested.
    [[nodiscard]] virtual result<std::size_t> read(std::span<char> into) = 0;

    /// Would `read` return without waiting for somebody to type or send more?
    [[nodiscard]] virtual bool ready() const = 0;

    /// How far into the file, as it lies on the disk, the reader is.
    [[nodiscard]] virtual std::uint64_t file_offset() const noexcept = 0;
};

/// "-" is standard input. `cancel` must outlive the stream.
[[nodiscard]] result<std::unique_ptr<byte_stream>> open_bytes(const std::string& name, const cancellation& cancel);

} // namespace everbloom::cli
