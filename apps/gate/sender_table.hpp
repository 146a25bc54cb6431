// sender_table: strikes, last words and last bytes of each tracked sender.
//
// One record of fixed size per sender, in one array:
//
//     address 16 B | strikes, words held, next slot of the ring, pending bytes | bytes of an incomplete word | ring of words | last bytes
//
// A hash set of record numbers is the index by address. It stores 32 bits of the address's hash beside each number, so that a record is
// read only when it almost certainly matches, and none when the set grows: these bits are its hash, too. A second array is the LRU list: the least recently seen sender is evicted when the table is
// full.
#pragma once

#include "gate/sender_key.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/odd_constants.hpp>

#include <absl/container/flat_hash_set.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace everbloom::cli {

class sender_table {
public:
    using slot = std::uint32_t;
    static constexpr slot none = ~slot{0};

    /// Keeps up to `history_words` words and `history_bytes` bytes (at most 255) for each of up to `most_senders` senders.
    sender_table(std::size_t history_words, std::size_t most_senders, const any_hasher& hash,
                 std::size_t history_bytes = 0);
    sender_table(const sender_table&) = delete; // the set of slots refers to the records
    sender_table& operator=(const sender_table&) = delete;

    /// Prefetch what `find` will read: first the slot of the set, then the record. The second returns the likely record, to be verified
    /// with `holds`.
    void prefetch_place(const sender_key& sender) const { slots_.prefetch(sender); }
    [[nodiscard]] slot prefetch_record(const sender_key& sender) const {
        const auto found = slots_.find(likely{sender});
        if (found == slots_.end()) return none;
        prefetch_line(record(found->at));
        prefetch_line(record(found->at) + ring_cell + history_words_ - 1); // may be in the next cache line
        prefetch_line(&links_[found->at]);
        return found->at;
    }
    /// Is this the record of the address, and still in use?
    [[nodiscard]] bool holds(slot maybe, const ip_address& address) const noexcept {
        return maybe != none && strikes(maybe) != unused_mark && is_at(maybe, address);
    }

    [[nodiscard]] slot find(const sender_key& sender) const {
        const auto found = slots_.find(sender);
        return found == slots_.end() ? none : found->at;
    }
    /// Adds a sender that is not in the table, without strikes or words, as the most recently seen. Evicts the least recently seen if it is full.
    [[nodiscard]] slot insert(const sender_key& sender);
    /// Makes it the most recently seen.
    void touch(slot seen) noexcept {
        if (seen == newest_) return;
        unlink(seen);
        link_as_newest(seen);
    }
    void erase(slot gone);

    [[nodiscard]] std::size_t senders() const noexcept { return slots_.size(); }
    [[nodiscard]] std::uint64_t evicted() const noexcept { return evicted_; }
    void set_evicted(std::uint64_t count) noexcept { evicted_ = count; }
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] std::size_t history_words() const noexcept { return history_words_; }

    [[nodiscard]] ip_address address(slot of) const noexcept;
    [[nodiscard]] unsigned strikes(slot of) const noexcept { return byte(of, strike_byte); }
    void set_strikes(slot of, unsigned count) noexcept { set_byte(of, strike_byte, count); }

    /// Copies the words, oldest first, to `into`, which has room for history_words(). Returns their number.
    std::size_t copy_history(slot of, std::uint32_t* into) const noexcept {
        const std::uint32_t* ring = record(of) + ring_cell;
        const std::size_t held = words_held(of);
        const std::size_t next = byte(of, next_byte);
        std::size_t at = next >= held ? next - held : next + history_words_ - held;
        for (std::size_t i = 0; i < held; ++i) {
            into[i] = ring[at];
            at = at + 1 == history_words_ ? 0 : at + 1;
        }
        return held;
    }
    [[nodiscard]] std::size_t words_held(slot of) const noexcept { return byte(of, held_byte); }
    void append_word(slot of, std::uint32_t word) noexcept {
        if (history_words_ == 0) return;
        const std::size_t next = byte(of, next_byte);
        record(of)[ring_cell + next] = word;
        set_byte(of, next_byte, static_cast<unsigned>(next + 1 == history_words_ ? 0 : next + 1));
        if (words_held(of) < history_words_) set_byte(of, held_byte, static_cast<unsigned>(words_held(of) + 1));
    }
    void clear_history(slot of) noexcept;

    /// Up to three bytes of an incomplete word.
    [[nodiscard]] std::size_t waiting_bytes(slot of) const noexcept { return byte(of, waiting_byte); }
    [[nodiscard]] std::array<std::uint8_t, 4> waiting(slot of) const noexcept {
        std::array<std::uint8_t, 4> bytes;
        std::memcpy(bytes.data(), record(of) + waiting_cell, bytes.size());
        return bytes;
    }
    void set_waiting(slot of, std::span<const std::uint8_t> bytes) noexcept {
        auto* const into = reinterpret_cast<std::uint8_t*>(record(of) + waiting_cell);
        for (std::size_t i = 0; i < bytes.size(); ++i) into[i] = bytes[i]; // mostly none
        set_byte(of, waiting_byte, static_cast<unsigned>(bytes.size()));
    }

    /// The last bytes, oldest first; they are kept for byte patterns.
    [[nodiscard]] std::span<const std::uint8_t> byte_history(slot of) const noexcept;
    void append_bytes(slot of, std::span<const std::uint8_t> bytes) noexcept;

    [[nodiscard]] slot oldest() const noexcept { return oldest_; }
    [[nodiscard]] slot seen_after(slot one) const noexcept { return links_[one].newer; }

private:
    struct link {
        slot older = none;
        slot newer = none;
    };
    static constexpr std::size_t address_cells = 4;
    static constexpr std::size_t flag_cell = 4;
    static constexpr std::size_t waiting_cell = 5;
    static constexpr std::size_t ring_cell = 6;
    static constexpr unsigned unused_mark = 0xFF; // strikes value of an unused record
    static constexpr unsigned strike_byte = 0;
    static constexpr unsigned held_byte = 1;
    static constexpr unsigned next_byte = 2;
    static constexpr unsigned waiting_byte = 3;

    struct entry {
        slot at;
        std::uint32_t tag;
    };
    static std::uint32_t tag_of(const sender_key& sender) noexcept {
        return static_cast<std::uint32_t>(sender.hashed.high);
    }
    [[nodiscard]] static std::size_t place_of(std::uint32_t tag) noexcept {
        return static_cast<std::size_t>(tag * golden_ratio_bits);
    }
    /// Finds a sender by its tag alone.
    struct likely {
        const sender_key& sender;
    };
    struct entry_hash {
        using is_transparent = void;
        std::size_t operator()(const sender_key& sender) const noexcept { return place_of(tag_of(sender)); }
        std::size_t operator()(const likely& one) const noexcept { return place_of(tag_of(one.sender)); }
        std::size_t operator()(const entry& of) const noexcept { return place_of(of.tag); }
    };
    /// Compares entries by the addresses in their records.
    struct entry_equal {
        using is_transparent = void;
        const sender_table* table;
        bool operator()(const entry& a, const entry& b) const noexcept { return a.at == b.at; }
        bool operator()(const entry& a, const likely& b) const noexcept { return a.tag == tag_of(b.sender); }
        bool operator()(const entry& a, const sender_key& b) const noexcept {
            return a.tag == tag_of(b) && table->is_at(a.at, b.address);
        }
    };

    [[nodiscard]] const std::uint32_t* record(slot of) const noexcept { return cells_.data() + of * stride_; }
    [[nodiscard]] std::uint32_t* record(slot of) noexcept { return cells_.data() + of * stride_; }
    [[nodiscard]] bool is_at(slot of, const ip_address& address) const noexcept {
        std::array<std::uint64_t, 2> there;
        std::array<std::uint64_t, 2> sought;
        std::memcpy(there.data(), record(of), sizeof there);
        std::memcpy(sought.data(), address.bytes().data(), sizeof sought);
        return there[0] == sought[0] && there[1] == sought[1]; // == on arrays would call memcmp
    }
    [[nodiscard]] unsigned byte(slot of, unsigned index) const noexcept {
        return record(of)[flag_cell] >> (8 * index) & 0xFF;
    }
    void set_byte(slot of, unsigned index, unsigned value) noexcept {
        std::uint32_t& flags = record(of)[flag_cell];
        flags = (flags & ~(std::uint32_t{0xFF} << (8 * index))) | static_cast<std::uint32_t>(value) << (8 * index);
    }
    /// The cell with the number of held bytes; the bytes follow. Only if bytes are kept.
    [[nodiscard]] std::size_t tail_cell() const noexcept { return ring_cell + history_words_; }
    void unlink(slot one) noexcept {
        const link there = links_[one];
        (there.older == none ? oldest_ : links_[there.older].newer) = there.newer;
        (there.newer == none ? newest_ : links_[there.newer].older) = there.older;
    }
    void link_as_newest(slot one) noexcept {
        links_[one] = {newest_, none};
        (newest_ == none ? oldest_ : links_[newest_].newer) = one;
        newest_ = one;
    }

    any_hasher hash_;
    std::size_t history_words_;
    std::size_t history_bytes_;
    std::size_t stride_;
    std::size_t most_senders_;
    std::vector<std::uint32_t> cells_;
    std::vector<link> links_;
    absl::flat_hash_set<entry, entry_hash, entry_equal> slots_;
    slot newest_ = none;
    slot oldest_ = none;
    slot free_ = none; // free list of records, linked by `newer`
    std::uint64_t evicted_ = 0;
};

} // namespace everbloom::cli
