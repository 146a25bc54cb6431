// filter_patch: the difference of two filter files, as bytes that turn the one into the other.
//
// A day of a blocklist changes a few cells of its filter. A patch has what changed only:
//
//   | header, 72 bytes: magic, version, lengths and checksums of both files, of the body, of the header | body |
//
// The body, before the caller compresses it:
//
//   | varint removed | varint added | if there are any: form, 1 byte, and the changed keys | steps |
//
// The keys that left and those that came, if they are known, are removed from the old filter and inserted again as the new one did it.
// Where the filter stores whole fingerprints (`quotient`, `elastic_blocked`), a removed key is its place among all keys of the old filter
// and an added one its fingerprint, both sorted and coded by gaps; such changes are found even without the keys. For other kinds,
// digests are written, of which only the bits in a mask are there: those that the filter looks at, found by trying. What is different after
// that (everything, if nothing is known) is in the steps: how many bytes stay as they are, how many change, and their new values combined
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
    std::uint32_t version = newest;

    /// The format that is written. The older ones are read: 1 has whole bytes of digests, 2 bits of digests.
    static constexpr std::uint32_t newest = 3;

    /// The failure is `damaged`, or `unsupported` for a newer format version.
    [[nodiscard]] static result<patch_header> parse(std::span<const std::byte> from);
    [[nodiscard]] std::array<std::byte, bytes> write() const;
};

/// Keys in the order in which the filter was changed: first all removals. For filters that store whole fingerprints the order is that of
/// `followed_filter`, whatever it is here.
struct patch_changes {
    std::vector<digest> removed = {};
    std::vector<digest> added = {};

    [[nodiscard]] bool is_nothing() const noexcept { return removed.empty() && added.empty(); }
};

/// The body of a patch: with these changes, or with those that the filters themselves show, if that makes it smaller.
[[nodiscard]] std::vector<std::byte> patch_body(std::span<const std::byte> from, std::span<const std::byte> to,
                                                const patch_changes& changes = {});

/// The new file. Refuses another base, and a body that does not make exactly the file that the header promises.
[[nodiscard]] result<std::vector<std::byte>> apply_patch(const patch_header& header, std::span<const std::byte> from,
                                                         std::span<const std::byte> body);

} // namespace everbloom
