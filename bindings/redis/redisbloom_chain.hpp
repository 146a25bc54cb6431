// redisbloom_chain: a Bloom filter that RedisBloom dumped (BF.SCANDUMP), for queries only, so that its users can move without their keys.
// The format is the library's (foreign/redisbloom_dump.hpp; docs/redis.md, "Moving from RedisBloom"); here its bits arrive chunk by chunk, in
// memory of the server.
#pragma once

#include "server_bytes.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/foreign/redisbloom_dump.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::redis {

class redisbloom_chain {
public:
    /// One Bloom filter of the chain. Its bits are in blocks, which are made as they arrive: a header alone takes no memory.
    struct link : redisbloom_link {
        std::vector<server_bytes> blocks = {};

        [[nodiscard]] std::uint64_t arrived() const noexcept;
    };

    /// Without its bits. Refuses a header that no version with 64-bit hashes writes, and one of more than `most_bytes`.
    [[nodiscard]] static result<redisbloom_chain> from_header(std::string_view header, std::uint64_t most_bytes);

    /// The next bytes of the data, at most `missing_bytes()`; all of them, or none if there is no memory (std::bad_alloc).
    void append(std::span<const std::byte> chunk);
    [[nodiscard]] std::uint64_t arrived_bytes() const noexcept { return arrived_; }
    [[nodiscard]] std::uint64_t missing_bytes() const noexcept { return total_ - arrived_; }
    [[nodiscard]] bool is_complete() const noexcept { return arrived_ == total_; }

    [[nodiscard]] bool may_contain(std::string_view key) const noexcept;

    [[nodiscard]] const std::string& header() const noexcept { return header_; }
    /// At most `most` bytes of the data from `first` on, up to the end of a block; none behind the end.
    [[nodiscard]] std::span<const std::byte> data(std::uint64_t first, std::uint64_t most) const noexcept;

    [[nodiscard]] const std::vector<link>& links() const noexcept { return links_; }
    [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
    [[nodiscard]] std::uint64_t capacity() const noexcept;
    /// 0: it did not grow.
    [[nodiscard]] std::uint64_t expansion() const noexcept { return expansion_; }
    /// The chance that a key that was never added has all of its bits set in one link, from the bits that are set.
    [[nodiscard]] double measured_fpr() const noexcept;
    [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

private:
    std::size_t append_to_block(std::span<const std::byte> chunk);
    void cut_to(std::uint64_t bytes) noexcept;

    std::string header_;
    std::vector<link> links_;
    std::uint64_t keys_ = 0;
    std::uint64_t expansion_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t arrived_ = 0;
    std::size_t filling_ = 0; // the link to which the next byte belongs
};

} // namespace everbloom::redis
