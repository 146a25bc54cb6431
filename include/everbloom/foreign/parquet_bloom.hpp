// parquet_bloom: a split-block Bloom filter as Apache Parquet files store it for a column chunk.
//
//   | header, Thrift compact: bytes of bits (i32), algorithm BLOCK, hash XXHASH, compression UNCOMPRESSED | blocks of 32 bytes |
//
// A block is eight words of 32 bits, little-endian. A key chooses one block and sets one bit in each of its words: the upper half of
// XXH64 (seed 0) is the block, the lower half times eight odd constants the bits. What is hashed is the value in PLAIN encoding without a
// length: the bytes of a BYTE_ARRAY (our keys of type text), the eight bytes of an INT64 (our keys of type u64). The blob has neither
// magic number nor checksum, but all fields of its header are mandatory and have one legal value each except for the size; so the header
// and the length together are recognised. Inside a Parquet file it begins at bloom_filter_offset and has bloom_filter_length bytes.
//
// The bits without the header ("bare") are read and written, too.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/foreign/foreign_facts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace everbloom {

class parquet_bloom {
public:
    static constexpr std::size_t words_per_block = 8;
    static constexpr std::size_t block_bytes = 32;
    static constexpr std::uint64_t most_planned_bytes = std::uint64_t{128} << 20; // other readers accept no more

    /// An empty filter: the smallest power of two of bytes, because some readers demand one, that keeps the FPR.
    [[nodiscard]] static result<parquet_bloom> plan(std::uint64_t items, double fpr);

    /// The length of a blob that begins with these bytes. Refuses another header than the one above.
    [[nodiscard]] static result<std::uint64_t> file_bytes(std::span<const std::byte> start);
    [[nodiscard]] static result<parquet_bloom> read(std::span<const std::byte> bytes);
    [[nodiscard]] static result<parquet_bloom> read_bare(std::span<const std::byte> bytes);
    [[nodiscard]] std::vector<std::byte> write() const;
    [[nodiscard]] std::vector<std::byte> write_bare() const;

    [[nodiscard]] static digest hash(std::string_view key) noexcept;
    [[nodiscard]] bool may_contain(digest item) const noexcept;
    void prefetch(digest item) const noexcept;
    void insert(digest item) noexcept;

    [[nodiscard]] std::uint64_t blocks() const noexcept { return words_.size() / words_per_block; }
    [[nodiscard]] foreign_facts facts() const;
    /// The chance that an absent key finds its eight bits set, with this many keys per block on average: the number of keys of a block
    /// has a Poisson distribution, and each sets one of 32 bits of each word.
    [[nodiscard]] static double predicted_fpr(double keys_per_block) noexcept;

private:
    explicit parquet_bloom(std::uint64_t blocks) : words_(static_cast<std::size_t>(blocks) * words_per_block) {}
    [[nodiscard]] std::vector<std::byte> header() const;
    [[nodiscard]] std::size_t first_word_of(digest item) const noexcept;

    std::vector<std::uint32_t> words_;
};

} // namespace everbloom
