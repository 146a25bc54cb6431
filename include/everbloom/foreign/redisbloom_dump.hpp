// redisbloom_dump: a Bloom filter that RedisBloom dumped (BF.SCANDUMP): the data of all chunks, one behind the other.
//
//   header   | keys u64 | links u32 | options u32 | expansion u32 | per link: bytes u64, bits u64, keys u64, error rate f64,
//            bits per key f64, hash functions u32, capacity u64, log2 of the range u8 |          little-endian, no padding
//   data     the bits of all links; bit i is bit i mod 8 of byte i / 8
//
// A key is a member if all of its bits are set in one link: bit i of a link is (a + i b) modulo the range, with a and b from MurmurHash64A.
// The range is a power of two in dumps of older versions, and the number of bits in others. The first chunk of a dump is the header, the
// others are the data in order, so a file of the chunks is the header and the data, and has the length that follows from the header.
// There is no checksum, and any bits are those of some filter. It is for queries only: the chain that grows is RedisBloom's.
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

/// One Bloom filter of the chain, without its bits.
struct redisbloom_link {
    std::uint64_t bytes = 0;
    std::uint64_t range = 0;
    std::uint64_t keys = 0;
    std::uint64_t capacity = 0;
    double error_rate = 0;
    std::uint32_t hashes = 0;
};

/// The first chunk of a dump.
struct redisbloom_header {
    static constexpr std::size_t fixed_bytes = 20;
    static constexpr std::size_t link_bytes = 53;

    std::uint64_t keys = 0;
    std::uint64_t expansion = 0; // 0: it does not grow
    std::uint64_t data_bytes = 0;
    std::vector<redisbloom_link> links;

    /// The length of a header that begins with these bytes, at least `fixed_bytes`.
    [[nodiscard]] static result<std::uint64_t> header_bytes(std::string_view start);
    /// From exactly its bytes. Refuses a header that no version with 64-bit hashes writes.
    [[nodiscard]] static result<redisbloom_header> parse(std::string_view header);
};

/// Where the bits of a key are: bit i is (low + i high) modulo the range.
[[nodiscard]] digest redisbloom_hash(std::string_view key) noexcept;

class redisbloom_dump {
public:
    [[nodiscard]] static result<std::uint64_t> file_bytes(std::span<const std::byte> start);
    [[nodiscard]] static result<redisbloom_dump> read(std::span<const std::byte> bytes);
    [[nodiscard]] const std::vector<std::byte>& write() const noexcept { return bytes_; }

    [[nodiscard]] static digest hash(std::string_view key) noexcept { return redisbloom_hash(key); }
    [[nodiscard]] bool may_contain(digest item) const noexcept;
    void prefetch(digest item) const noexcept;

    [[nodiscard]] const redisbloom_header& header() const noexcept { return header_; }
    [[nodiscard]] foreign_facts facts() const;

private:
    redisbloom_dump() = default;

    redisbloom_header header_;
    std::vector<std::byte> bytes_;    // the whole file
    std::vector<std::size_t> begins_; // of the bits of each link, in bytes_
};

} // namespace everbloom
