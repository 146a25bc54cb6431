#include "gate/flows/flow_table.hpp"

#include "gate/hash_set_room.hpp"

#include <algorithm>

namespace everbloom::cli {

flow_key flow_table::key_of(const ip_address& sender, const packet_ends& ends) noexcept {
    flow_key key{};
    auto at = std::ranges::copy(sender.bytes(), key.begin()).out;
    at = std::ranges::copy(ends.receiver.bytes(), at).out;
    for (const std::uint16_t port : {ends.sender_port, ends.receiver_port}) {
        *at++ = static_cast<std::uint8_t>(port >> 8U);
        *at++ = static_cast<std::uint8_t>(port);
    }
    return key;
}

flow_table::slot flow_table::find(const flow_key& key) const {
    const auto found = slots_.find(key);
    return found == slots_.end() ? none : found->second;
}

flow_table::slot flow_table::insert(const flow_key& key, std::uint32_t next) {
    // Allocate first: a failed allocation leaves the table unchanged.
    make_room(slots_);
    slot made = none;
    if (slots_.size() == most_flows_) {
        made = oldest_;
        slots_.erase(flows_[made].key);
        unlink(made);
        ++counters_.evicted;
    } else {
        made = static_cast<slot>(flows_.size());
        histories_.resize((flows_.size() + 1) * history_bytes_);
        flows_.emplace_back();
    }
    flows_[made] = {.key = key, .stream = {.next = next, .hole = {}, .struck = {}}};
    slots_.insert({key, made});
    link_as_newest(made);
    return made;
}

void flow_table::touch(slot seen) noexcept {
    if (seen == newest_) return;
    unlink(seen);
    link_as_newest(seen);
}

void flow_table::unlink(slot one) noexcept {
    const flow& there = flows_[one];
    (there.older == none ? oldest_ : flows_[there.older].newer) = there.newer;
    (there.newer == none ? newest_ : flows_[there.newer].older) = there.older;
}

void flow_table::link_as_newest(slot one) noexcept {
    flows_[one].older = newest_;
    flows_[one].newer = none;
    (newest_ == none ? oldest_ : flows_[newest_].newer) = one;
    newest_ = one;
}

flow_table::placed_flow flow_table::place(const flow_key& key, const tcp_segment& segment) {
    slot at = find(key);
    if (at == none) {
        at = insert(key, segment.sequence);
    } else {
        touch(at);
        if (segment.opens) {
            set_stream(at, {.next = segment.sequence, .hole = {}, .struck = {}});
            clear_history(at);
        }
    }
    const placed_segment placed = place_segment(flows_[at].stream, segment.sequence, segment.bytes);
    if (placed.order == segment_order::after_gap) {
        ++counters_.gaps;
        clear_history(at);
    }
    if (placed.order == segment_order::late) ++counters_.late;
    if (placed.order == segment_order::repeated) ++counters_.repeated;
    if (placed.order == segment_order::in_order && placed.has_old_bytes) ++counters_.trimmed;
    return {at, placed};
}

void flow_table::reopen(const flow_key& key, const tcp_segment& segment) {
    const slot at = find(key);
    if (at == none) return; // connections are added with their first data: a flood of SYNs evicts nothing
    set_stream(at, {.next = segment.sequence, .hole = {}, .struck = {}});
    clear_history(at);
}

std::size_t flow_table::bytes() const noexcept {
    return flows_.capacity() * sizeof(flow) + histories_.capacity() +
           slots_.capacity() * (sizeof(std::pair<const flow_key, slot>) + 1);
}

} // namespace everbloom::cli
