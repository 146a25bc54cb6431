// Filter files: open into memory, map read-only, save.
//
// All three go through one checked loader: the header is parsed into an inert description, every number in it is checked against
// the bytes really there before anything is allocated, every byte is compared with its checksum, and the kind itself refuses
// contents that no sequence of operations can produce. A filter that comes out of here is intact.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/format/key_type.hpp>
#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/byte_pieces.hpp>
#include <everbloom/runtime/keyed.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace everbloom {

class file_update;

/// Capacity and target FPR given when the filter was created; zero items: none.
struct capacity_target {
    std::uint64_t items = 0;
    double fpr = 0;
};

/// The contents of a file: the filter, its hash function and key, its key type, capacity and target FPR, and an attachment.
struct filter_file {
    keyed<any_filter, any_hasher> handle;
    key_type keys = key_type::text;
    capacity_target target;
    std::vector<std::byte> attached = {}; // an application's own bytes: preserved, never interpreted

    [[nodiscard]] any_filter& filter() noexcept { return handle.filter(); }
    [[nodiscard]] const any_filter& filter() const noexcept { return handle.filter(); }
    [[nodiscard]] const any_hasher& hasher() const noexcept { return handle.hasher(); }
};

/// Reads a file into memory: the filter can be changed.
[[nodiscard]] result<filter_file> open_filter(const std::string& path);

/// Maps a file: the filter answers queries from the page cache and cannot be changed.
[[nodiscard]] result<filter_file> map_filter(const std::string& path);

/// The same without comparing the checksums of the cells, so that a file of gigabytes opens at once; what memory safety depends on is
/// checked all the same.
[[nodiscard]] result<filter_file> map_unverified_filter(const std::string& path);

/// The same from bytes in memory, for servers and tests.
[[nodiscard]] result<filter_file> read_filter(std::span<const std::byte> bytes);

/// The whole file as bytes; none if there is no filter.
[[nodiscard]] std::vector<std::byte> write_filter(const filter_file& file);

/// The same piece by piece, and back. Keep the total with the pieces: `saved_bytes`.
[[nodiscard]] std::uint64_t saved_bytes(const filter_file& file);
[[nodiscard]] result<void> write_filter(const filter_file& file, byte_sink& into);
[[nodiscard]] result<filter_file> read_filter(byte_source& from, std::uint64_t bytes);

/// Writes a file, durably: when this returns without a failure the new file survives a power cut; otherwise the old one is
/// intact. Fails with `busy` while another writer holds the path, and with `damaged`, before anything is written, if the filter in
/// memory is one that could not be opened again. The one failure after which the new file is in its place is
/// `not_durable`.
[[nodiscard]] result<void> save_filter(const filter_file& file, const std::string& path);

/// The same at the end of an update that began before the file was read, so that no other writer came in between.
[[nodiscard]] result<void> save_filter(const filter_file& file, file_update& update);

/// The first half of that, up to file_update::publish: everything that can fail without a change. For several files that belong
/// together.
[[nodiscard]] result<void> prepare_filter(const filter_file& file, file_update& update);

} // namespace everbloom
