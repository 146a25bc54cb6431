#include "gate/sender_table.hpp"

#include "gate/byte_tail.hpp"
#include "gate/hash_set_room.hpp"

#include <algorithm>
#include <cstring>

namespace everbloom::cli {

sender_table::sender_table(std::size_t history_words, std::size_t most_senders, const any_hasher& hash,
                           std::size_t history_bytes)
    : hash_(hash), history_words_(history_words), history_bytes_(history_bytes),
      stride_(ring_cell + history_words + (history_bytes == 0 ? 0 : 1 + (history_bytes + 3) / 4)),
      most_senders_(most_senders), slots_(0, entry_hash{}, entry_equal{this}) {}

ip_address sender_table::address(slot of) const noexcept {
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), record(of), bytes.size());
    return ip_address::v6(bytes);
}

sender_table::slot sender_table::insert(const sender_key& sender) {
    // Allocate first: a failed allocation leaves the table unchanged.
    make_room(slots_);
    if (senders() == most_senders_) {
        erase(oldest_);
        ++evicted_;
    }
    slot made = free_;
    if (made != none) {
        free_ = links_[made].newer;
    } else {
        made = static_cast<slot>(links_.size());
        cells_.resize((links_.size() + 1) * stride_);
        links_.emplace_back();
    }
    std::uint32_t* cells = record(made);
    std::fill(cells, cells + stride_, 0);
    std::memcpy(cells, sender.address.bytes().data(), address_cells * sizeof(std::uint32_t));
    slots_.insert({made, tag_of(sender)});
    link_as_newest(made);
    return made;
}

void sender_table::erase(slot gone) {
    slots_.erase(entry{gone, tag_of(sender_key::of(address(gone), hash_))});
    set_strikes(gone, unused_mark);
    unlink(gone);
    links_[gone] = {none, free_};
    free_ = gone;
}

void sender_table::clear_history(slot of) noexcept {
    record(of)[flag_cell] &= 0xFF; // keeps the strikes
    if (history_bytes_ != 0) record(of)[tail_cell()] = 0;
}

std::span<const std::uint8_t> sender_table::byte_history(slot of) const noexcept {
    if (history_bytes_ == 0) return {};
    const std::uint32_t* held = record(of) + tail_cell();
    return {reinterpret_cast<const std::uint8_t*>(held + 1), *held};
}

void sender_table::append_bytes(slot of, std::span<const std::uint8_t> bytes) noexcept {
    if (history_bytes_ == 0) return;
    std::uint32_t* held = record(of) + tail_cell();
    *held = static_cast<std::uint32_t>(
        append_to_tail(reinterpret_cast<std::uint8_t*>(held + 1), *held, history_bytes_, bytes));
}

std::size_t sender_table::bytes() const noexcept {
    return cells_.capacity() * sizeof(std::uint32_t) + links_.capacity() * sizeof(link) +
           slots_.capacity() * (sizeof(entry) + 1);
}

} // namespace everbloom::cli
