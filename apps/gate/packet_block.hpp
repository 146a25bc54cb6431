// packet_block: up to 256 packets with copies of their payloads, which outlive the buffers they were read from, or with payloads that stay
// where they are.
#pragma once

#include "gate/packet_source.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace everbloom::cli {

/// Upper bound of a payload; sources refuse larger packets.
inline constexpr std::size_t largest_payload_bytes = std::size_t{1} << 21;

class packet_block {
public:
    packet_block() : bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(room_bytes)) {}
    packet_block(const packet_block&) = delete;
    packet_block& operator=(const packet_block&) = delete;

    void clear() noexcept {
        count_ = 0;
        used_bytes_ = 0;
    }

    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] bool full() const noexcept {
        return count_ == packets_.size() || room_bytes - used_bytes_ < largest_payload_bytes;
    }
    [[nodiscard]] std::span<const packet> packets() const noexcept { return std::span(packets_).first(count_); }

    /// Precondition: the block is not full.
    void add(const packet& one) noexcept {
        packet& kept = packets_[count_++];
        kept = one;
        const std::size_t length = std::min(one.payload.size(), room_bytes - used_bytes_);
        if (length != 0) std::memcpy(bytes_.get() + used_bytes_, one.payload.data(), length);
        kept.payload = {bytes_.get() + used_bytes_, length};
        used_bytes_ += length;
    }

    /// The same without a copy: the caller keeps the payload.
    void add_in_place(const packet& one) noexcept { packets_[count_++] = one; }

private:
    static constexpr std::size_t room_bytes = 2 * largest_payload_bytes; // mostly untouched pages

    std::array<packet, packets_at_once> packets_;
    std::size_t count_ = 0;
    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t used_bytes_ = 0;
};

} // namespace everbloom::cli
