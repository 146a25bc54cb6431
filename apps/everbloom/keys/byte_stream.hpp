// byte_stream: the bytes of an input file, decompressed if it is gzip, zstd, xz, lzma or bzip2.
#pragma once

#include "frame/cancellation.hpp"
#include "keys/file_format.hpp"

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace everbloom::cli {

class byte_stream {
public:
    byte_stream() = default;
    byte_stream(const byte_stream&) = delete;
    byte_stream& operator=(const byte_stream&) = delete;
    virtual ~byte_stream() = default;

    /// Waits for input and returns what is available; 0 at the end, and after a cancellation.
    [[nodiscard]] virtual result<std::size_t> read(std::span<char> into) = 0;

    /// Would `read` return without waiting for input?
    [[nodiscard]] virtual bool ready() const = 0;

    /// The position in the file on disk.
    [[nodiscard]] virtual std::uint64_t file_offset() const noexcept = 0;

    /// Can a small file expand to many bytes? Then the reader limits what it keeps.
    [[nodiscard]] virtual bool is_decompressed() const noexcept { return false; }
};

/// The expected contents of a file, and how others are treated.
struct reading_rules {
    enum class bytes {
        of_this_format, // all known other formats are refused
        any             // decompressed if necessary, then read as they are
    };
    enum class text {
        encoded_as_ours, // UTF-16 and UTF-32 are refused, a UTF-8 byte order mark is left out
        of_any_encoding
    };
    enum class packing { recognised, ignored };

    std::string_view meaning = "a list of keys"; // in messages: "is a zip archive, not ..."
    bytes contents = bytes::of_this_format;
    text encoding = text::encoded_as_ours;
    packing compressed = packing::recognised;
    // A complete entry ends the recognition of the format: one that ends with the separator, or has this many bytes.
    char separator = '\n';
    std::size_t entry_bytes = most_start_bytes;
    std::optional<format_group> wanted; // this one is what is expected
    std::string_view way_out;           // how to have the bytes read all the same, for the end of a refusal
};

/// The bytes of the file: nothing is recognised, decompressed or refused.
inline constexpr reading_rules as_it_is{.meaning = "",
                                        .contents = reading_rules::bytes::any,
                                        .encoding = reading_rules::text::of_any_encoding,
                                        .compressed = reading_rules::packing::ignored,
                                        .wanted = {},
                                        .way_out = ""};

/// Decompressed only: for contents that can be any bytes.
inline constexpr reading_rules decompressed_only{.meaning = "",
                                                 .contents = reading_rules::bytes::any,
                                                 .encoding = reading_rules::text::of_any_encoding,
                                                 .wanted = {},
                                                 .way_out = ""};

/// "-" is standard input. `cancel` must outlive the stream. A file of an unexpected format is a failure that names the format.
[[nodiscard]] result<std::unique_ptr<byte_stream>> open_bytes(const std::string& name, const reading_rules& rules,
                                                              const cancellation& cancel);

/// Refuses a regular file with the magic number of another format, without reading further; everything else passes.
[[nodiscard]] result<void> refuse_other_formats(const std::string& name, const reading_rules& rules);

} // namespace everbloom::cli
