// flow_table: the TCP connections of tracked senders, one record per direction: position in the stream, and its last bytes.
//
// A sender may have many connections whose packets interleave; a pattern that spans packets of one of them is found by the bytes kept here, a
// pattern that is spread over connections by those of the sender (sender_table.hpp). The number of connections is limited: the least recently
// seen one is evicted, counted, and starts again with the next segment that is seen of it.
#pragma once

#include "gate/byte_tail.hpp"
#include "gate/flows/stream_position.hpp"
#include "gate/flows/tcp_segment.hpp"
#include "gate/packet_ends.hpp"

#include <everbloom/hash/any_hasher.hpp>

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace everbloom::cli {

struct flow_counters {
    std::uint64_t evicted = 0;
    std::uint64_t repeated = 0; // segments without new bytes
    std::uint64_t trimmed = 0;  // segments whose first bytes were repeated
    std::uint64_t gaps = 0;
    std::uint64_t late = 0; // segments that filled a gap

    friend bool operator==(const flow_counters&, const flow_counters&) = default;
};

/// Sender, receiver and both ports, as bytes.
using flow_key = std::array<std::uint8_t, 36>;

class flow_table {
public:
    using slot = std::uint32_t;
    static constexpr slot none = ~slot{0};

    /// Keeps up to `history_bytes` bytes of each of up to `most_flows` connections.
    flow_table(std::size_t history_bytes, std::size_t most_flows, const any_hasher& hash)
        : history_bytes_(history_bytes), most_flows_(most_flows), slots_(0, key_hash{hash}) {}

    [[nodiscard]] static flow_key key_of(const ip_address& sender, const packet_ends& ends) noexcept;

    [[nodiscard]] slot find(const flow_key& key) const;
    /// Adds a connection that is not in the table as the most recently seen. Evicts the least recently seen if it is full.
    [[nodiscard]] slot insert(const flow_key& key, std::uint32_t next);
    /// Makes it the most recently seen.
    void touch(slot seen) noexcept;

    /// Finds or adds the connection of a segment with data, and places the segment in it. Counts what is not in order.
    struct placed_flow {
        slot at;
        placed_segment segment;
    };
    [[nodiscard]] placed_flow place(const flow_key& key, const tcp_segment& segment);
    /// A SYN without data: a known connection with these ports begins again.
    void reopen(const flow_key& key, const tcp_segment& segment);

    [[nodiscard]] std::span<const std::uint8_t> history(slot of) const noexcept {
        return {histories_.data() + of * history_bytes_, flows_[of].held};
    }
    void append_history(slot of, std::span<const std::uint8_t> bytes) noexcept {
        flows_[of].held = static_cast<std::uint8_t>(
            append_to_tail(histories_.data() + of * history_bytes_, flows_[of].held, history_bytes_, bytes));
    }
    void clear_history(slot of) noexcept { flows_[of].held = 0; }
    /// The segment had a pattern: what repeats its bytes is bad as well.
    void mark_struck(slot of, const tcp_segment& segment) noexcept {
        flows_[of].stream.struck = {segment.sequence, segment.sequence + segment.bytes};
    }

    [[nodiscard]] const flow_key& key(slot of) const noexcept { return flows_[of].key; }
    [[nodiscard]] const stream_position& stream(slot of) const noexcept { return flows_[of].stream; }
    void set_stream(slot of, const stream_position& stream) noexcept { flows_[of].stream = stream; }
    [[nodiscard]] slot oldest() const noexcept { return oldest_; }
    [[nodiscard]] slot seen_after(slot one) const noexcept { return flows_[one].newer; }

    [[nodiscard]] std::size_t flows() const noexcept { return slots_.size(); }
    [[nodiscard]] const flow_counters& counters() const noexcept { return counters_; }
    void set_counters(const flow_counters& from) noexcept { counters_ = from; }
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    struct flow {
        flow_key key{};
        stream_position stream;
        slot older = none;
        slot newer = none;
        std::uint8_t held = 0; // bytes of history
    };
    struct key_hash {
        any_hasher hash; // senders choose ports and addresses
        std::size_t operator()(const flow_key& key) const noexcept {
            return hash(key_bytes(std::as_bytes(std::span(key)))).low;
        }
    };

    void unlink(slot one) noexcept;
    void link_as_newest(slot one) noexcept;

    std::size_t history_bytes_;
    std::size_t most_flows_;
    std::vector<flow> flows_;
    std::vector<std::uint8_t> histories_; // history_bytes_ for each
    absl::flat_hash_map<flow_key, slot, key_hash> slots_;
    slot newest_ = none;
    slot oldest_ = none;
    flow_counters counters_;
};

} // namespace everbloom::cli
