// filter_patch: the difference of two filter files, as bytes that turn the one into the other.
//
// A day of a blocklist changes a few cells of its filter. A patch has what changed only:
//
//   | header, 72 bytes: magic, version, lengths and checksums of both files, of the body, of the header | body |
//
// The body, before the caller compresses it:
//
//   | varint removed | varint added | if there are any: mask, 16 bytes | digests of removed and added keys | steps |
//
// The keys that left and those that came, if they are known, are removed from the old filter and inserted again as the new one did it. Of
// their digests only the bits in the mask are there: those that this filter looks at, found by trying. What is different after that
// (everything, if the keys are not known) is in the steps: how many bytes stay as they are, how many change, and their new values combined
// with the old ones by exclusive or, which compresses better. Bytes behind the end of the old file count as zeros.
//
//   step: varint kept | varint changed | the changed bytes
//
// A patch fits one base: lengths and checksums of the old and of the new file are checked before and after. They are for accidents; that a
// forged patch makes no invalid filter is ensured by reading the new file as every other one.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom {

/// A file by its length and checksum.
struct file_print {
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;

    [[nodiscard]] static file_print of(std::span<const std::byte> bytes);
    friend bool operator==(const file_print&, const file_print&) = default;
};

struct patch_header {
    static constexpr std::size_t bytes = 72;

    file_print from;
    file_print to;
    std::uint64_t body_bytes = 0; // before it was compressed
    std::uint64_t body_checksum = 0;

    /// The failure is `damaged`, or `unsupported` for another format version.
    [[nodiscard]] static result<patch_header> parse(std::span<const std::byte> from);
    [[nodiscard]] std::array<std::byte, bytes> write() const;
};

/// Keys in the order in which the filter was changed: first all removals.
struct patch_changes {
    std::vector<digest> removed = {};
    std::vector<digest> added = {};

    [[nodiscard]] bool is_nothing() const noexcept { return removed.empty() && added.empty(); }
};

/// The body of a patch: with the changes if that makes it smaller.
[[nodiscard]] std::vector<std::byte> patch_body(std::span<const std::byte> from, std::span<const std::byte> to,
                                                const patch_changes& changes = {});

/// The new file. Refuses another base, and a body that does not make exactly the file that the header promises.
[[nodiscard]] result<std::vector<std::byte>> apply_patch(const patch_header& header, std::span<const std::byte> from,
                                                         std::span<const std::byte> body);

} // namespace everbloom
