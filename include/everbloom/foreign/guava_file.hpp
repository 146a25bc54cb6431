// guava_file: a Bloom filter as `BloomFilter.writeTo` of Google's Guava (Java) writes it.
//
//   | strategy u8 | hash functions u8 | words i32 | words of bits, 8 bytes each |         all big-endian; bit i is bit i mod 64 of word i / 64
//
// Strategy 0 is MURMUR128_MITZ_32 (Guava before 13, positions of 31 bits), 1 is MURMUR128_MITZ_64. The hash is MurmurHash3 x64 128 with
// seed 0 over the bytes that the funnel writes: the bytes themselves (byteArrayFunnel), a string in UTF-8 (stringFunnel(UTF_8)), or the
// eight bytes of a long, the lowest first (longFunnel), which are the bytes of our keys of type text and u64. The file says neither which
// funnel it needs nor for how many keys it was made, and has no checksum: the checks are that the numbers make sense and that the file
// has the length that follows from them.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/foreign/foreign_facts.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace everbloom {

class guava_file {
public:
    enum class strategy : std::uint8_t { mitz_32 = 0, mitz_64 = 1 };
    static constexpr std::size_t header_bytes = 6;

    /// An empty filter of the size that `BloomFilter.create` gives it.
    [[nodiscard]] static result<guava_file> plan(std::uint64_t items, double fpr, strategy how);

    /// The length of a file that begins with these bytes. Refuses a header that Guava does not write.
    [[nodiscard]] static result<std::uint64_t> file_bytes(std::span<const std::byte> start);
    [[nodiscard]] static result<guava_file> read(std::span<const std::byte> bytes);
    [[nodiscard]] std::vector<std::byte> write() const;

    [[nodiscard]] static digest hash(std::string_view key) noexcept;
    [[nodiscard]] bool may_contain(digest item) const noexcept;
    void prefetch(digest item) const noexcept;
    void insert(digest item) noexcept;

    [[nodiscard]] strategy how() const noexcept { return how_; }
    [[nodiscard]] unsigned hashes() const noexcept { return hashes_; }
    [[nodiscard]] std::uint64_t bits() const noexcept { return 64 * std::uint64_t{words_.size()}; }
    [[nodiscard]] foreign_facts facts() const;

private:
    guava_file(strategy how, unsigned hashes, std::uint64_t words)
        : how_(how), hashes_(hashes), words_(static_cast<std::size_t>(words)) {}

    /// Calls `visit(position)` for the positions of an item until it answers false.
    template <class Visit>
    bool all_positions(digest item, Visit visit) const noexcept;

    strategy how_;
    unsigned hashes_;
    std::vector<std::uint64_t> words_;
};

} // namespace everbloom
