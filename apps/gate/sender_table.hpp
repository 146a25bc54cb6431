// sender_table: what the gate remembers of the senders it has seen: their strikes and the last words they sent.
//
// A record per sender, all of one size, in one array:
//
//     address 16 B | strikes, words held, ring's next place, bytes that wait | bytes of a word that is not complete | ring of words
//
// A hash set of record numbers finds them by address: beside each number stand 32 bits of the address's hash, so that a record is not looked at
// before it is nearly sure to be the right one. A second array links the
// records from the one seen last to the one seen longest ago, which makes room when the table is full.
#pragma once

#include "gate/sender_key.hpp"

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
    static constexpr slot nobody = ~slot{0};

    /// Keeps up to `history_words` words of each of up to `most_senders` senders.
    sender_table(std::size_t history_words, std::size_t most_senders, const any_hasher& hash);
    sender_table(const sender_table&) = delete; // the set of slots looks into the records
    sender_table& operator=(const sender_table&) = delete;

    /// Bring what `find` will read into the cache: first where the set looks, then, once that is there, the record. The second says which
    /// record it is likely to be, for `holds` to make sure.
    void prefetch_place(const sender_key& sender) const { slots_.prefetch(sender); }
    [[nodiscard]] slot prefetch_record(const sender_key& sender) const {
        const auto found = slots_.find(likely{sender});
        if (found == slots_.end()) return nobody;
        __builtin_prefetch(record(found->at));
        __builtin_prefetch(&links_[found->at]);
        return found->at;
    }
    /// Is it the record of this sender, who is there still?
    [[nodiscard]] bool holds(slot maybe, const ip_address& address) const noexcept {
        return maybe != nobody && strikes(maybe) != gone_mark && is_at(maybe, address);
    }

    [[nodiscard]] slot find(const sender_key& sender) const {
        const auto found = slots_.find(sender);
        return found == slots_.end() ? nobody : found->at;
    }
    /// A sender who is not in it, without strikes or words, as the one seen last. Whoever was seen longest ago goes if it is full.
    [[nodiscard]] slot insert(const sender_key& sender);
    /// It was seen again.
    void touch(slot seen) noexcept;
    void erase(slot gone);

    [[nodiscard]] std::size_t senders() const noexcept { return slots_.size(); }
    [[nodiscard]] std::uint64_t evicted() const noexcept { return evicted_; }
    void set_evicted(std::uint64_t count) noexcept { evicted_ = count; }
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] std::size_t history_words() const noexcept { return history_words_; }

    [[nodiscard]] ip_address address(slot of) const noexcept;
    [[nodiscard]] unsigned strikes(slot of) const noexcept { return byte(of, strike_byte); }
    void set_strikes(slot of, unsigned count) noexcept { set_byte(of, strike_byte, count); }

    /// The words in the order they came; there is room for history_words() of them at `into`. How many there were.
    std::size_t copy_history(slot of, std::uint32_t* into) const noexcept;
    [[nodiscard]] std::size_t words_held(slot of) const noexcept { return byte(of, held_byte); }
    void append_word(slot of, std::uint32_t word) noexcept;
    void clear_history(slot of) noexcept;

    /// Up to three bytes that wait for the rest of their word.
    [[nodiscard]] std::size_t waiting_bytes(slot of) const noexcept { return byte(of, waiting_byte); }
    [[nodiscard]] std::array<std::uint8_t, 4> waiting(slot of) const noexcept;
    void set_waiting(slot of, std::span<const std::uint8_t> bytes) noexcept;

    [[nodiscard]] slot oldest() const noexcept { return oldest_; }
    [[nodiscard]] slot seen_after(slot one) const noexcept { return links_[one].newer; }

private:
    struct link {
        slot older = nobody;
        slot newer = nobody;
    };
    static constexpr std::size_t address_cells = 4;
    static constexpr std::size_t flag_cell = 4;
    static constexpr std::size_t waiting_cell = 5;
    static constexpr std::size_t ring_cell = 6;
    static constexpr unsigned gone_mark = 0xFF; // for the strikes of a sender who is gone
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
    /// Looks for a sender by its tag alone.
    struct likely {
        const sender_key& sender;
    };
    /// Hashes and compares entries by the addresses in their records.
    struct entry_hash {
        using is_transparent = void;
        const sender_table* table;
        std::size_t operator()(const sender_key& sender) const noexcept { return sender.hashed.low; }
        std::size_t operator()(const likely& one) const noexcept { return one.sender.hashed.low; }
        std::size_t operator()(const entry& of) const noexcept { return table->hash_(table->address(of.at)); }
    };
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
        return there[0] == sought[0] && there[1] == sought[1]; // == of arrays would call memcmp
    }
    [[nodiscard]] unsigned byte(slot of, unsigned index) const noexcept {
        return record(of)[flag_cell] >> (8 * index) & 0xFF;
    }
    void set_byte(slot of, unsigned index, unsigned value) noexcept {
        std::uint32_t& flags = record(of)[flag_cell];
        flags = (flags & ~(std::uint32_t{0xFF} << (8 * index))) | static_cast<std::uint32_t>(value) << (8 * index);
    }
    void unlink(slot one) noexcept;
    void link_as_newest(slot one) noexcept;

    address_hash hash_;
    std::size_t history_words_;
    std::size_t stride_;
    std::size_t most_senders_;
    std::vector<std::uint32_t> cells_;
    std::vector<link> links_;
    absl::flat_hash_set<entry, entry_hash, entry_equal> slots_;
    slot newest_ = nobody;
    slot oldest_ = nobody;
    slot free_ = nobody; // records of senders who are gone, linked by `newer`
    std::uint64_t evicted_ = 0;
};

} // namespace everbloom::cli
