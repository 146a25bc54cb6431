#include "gate/machine.hpp"

#include "gate/exact_sets.hpp"
#include "gate/filter_sets.hpp"
#include "gate/packet_source.hpp"

#include <algorithm>
#include <utility>

namespace everbloom::cli {
namespace {

/// Batch size of sender lookups: their memory is prefetched together and fits into the L1 cache.
constexpr std::size_t packets_ahead = 64;

std::uint32_t big_endian_word(const std::uint8_t* bytes) noexcept {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

} // namespace

template <class Sets>
gate_machine<Sets>::gate_machine(Sets sets, const std::vector<std::size_t>& pattern_lengths, byte_matcher byte_patterns,
                                 const machine_limits& limits, const any_hasher& hash, const address_ranges& networks)
    : sets_(std::move(sets)), lengths_(pattern_lengths), byte_patterns_(std::move(byte_patterns)), rolling_(hash),
      networks_(&networks),
      senders_(lengths_.empty() ? 0 : lengths_.front() - 1, limits.most_senders, hash, byte_patterns_.history_bytes()),
      flows_(byte_patterns_.history_bytes(), limits.most_flows, hash) {}

template <class Sets>
result<void> gate_machine<Sets>::judge(std::span<const packet> packets, std::span<const sender_key> senders,
                                       std::span<verdict> verdicts) {
    std::array<std::uint8_t, packets_at_once> bad;
    sets_.are_bad(senders, std::span(bad).first(senders.size()));
    if (!networks_->empty()) {
        for (std::size_t i = 0; i < senders.size(); ++i) {
            if (networks_->contains(senders[i].address)) bad[i] = 1;
        }
    }
    strikes_.clear();
    const std::uint64_t known = became_bad_;
    std::array<sender_table::slot, packets_ahead> likely;
    for (std::size_t i = 0; i < packets.size(); ++i) {
        if (i % packets_ahead == 0) {
            const auto coming = senders.subspan(i, std::min(packets_ahead, senders.size() - i));
            for (const sender_key& sender : coming) senders_.prefetch_place(sender);
            for (std::size_t next = 0; next < coming.size(); ++next)
                likely[next] = senders_.prefetch_record(coming[next]);
        }
        if (bad[i] != 0 || (became_bad_ != known && sets_.is_bad(senders[i]))) {
            verdicts[i] = verdict::reject;
            ++counters_.rejected;
            continue;
        }
        const auto said = judge_one(i, packets[i], senders[i], likely[i % packets_ahead]);
        if (!said) return fail(said.error());
        verdicts[i] = *said;
    }
    return {};
}

template <class Sets>
result<verdict> gate_machine<Sets>::judge_one(std::size_t index, const packet& one, const sender_key& sender,
                                              sender_table::slot likely) {
    sender_table::slot record = senders_.holds(likely, sender.address) ? likely : senders_.find(sender);
    if (record == sender_table::none) {
        if (auto added = sets_.add_good(sender); !added) return fail(std::move(added.error()));
        record = senders_.insert(sender);
    } else {
        senders_.touch(record);
    }
    const data_verdict said = examine(one, record);
    if (said == data_verdict::harmless) {
        ++counters_.accepted;
        return verdict::accept;
    }
    ++counters_.bad;
    if (said == data_verdict::repeated) {
        ++counters_.repeated_bad;
        return verdict::bad;
    }
    ++counters_.strikes;
    const unsigned strikes = senders_.strikes(record) + 1;
    senders_.clear_history(record);
    senders_.set_strikes(record, strikes);
    strikes_.push_back({index, sender.address, strikes, found_});
    if (strikes == strikes_to_be_out) {
        if (auto moved = move_to_bad(sender, record); !moved) return fail(std::move(moved.error()));
        ++counters_.moved;
    }
    return verdict::bad;
}

template <class Sets>
result<void> gate_machine<Sets>::move_to_bad(const sender_key& sender, sender_table::slot record) {
    if (auto added = sets_.add_bad(sender); !added) return added;
    ++became_bad_;
    const auto removed = sets_.remove_good(sender);
    if (!removed) return fail(removed.error());
    if (!*removed) ++counters_.kept_in_good;
    senders_.erase(record);
    return {};
}

template <class Sets>
result<void> gate_machine<Sets>::ban(const sender_key& sender) {
    const sender_table::slot record = senders_.find(sender);
    if (record != sender_table::none) return move_to_bad(sender, record);
    ++became_bad_;
    return sets_.add_bad(sender);
}

/// The common case, patterns of words, comes first: it is what must be fast.
template <class Sets>
auto gate_machine<Sets>::examine(const packet& one, sender_table::slot sender) -> data_verdict {
    if (!one.segment && byte_patterns_.empty())
        return strikes_with_words(one.payload, sender) ? data_verdict::struck : data_verdict::harmless;
    found_.reset();
    if (one.segment) return examine_segment(one, sender);
    return strikes_with(one.payload, sender) ? data_verdict::struck : data_verdict::harmless;
}

/// Judges the bytes of a segment that were not seen before, and remembers them as the last ones of its connection.
template <class Sets>
auto gate_machine<Sets>::examine_segment(const packet& one, sender_table::slot sender) -> data_verdict {
    if (lengths_.empty() && byte_patterns_.empty()) return data_verdict::harmless;
    if (one.payload.empty()) {
        if (one.segment->opens) flows_.reopen(flow_table::key_of(one.sender, *one.ends), *one.segment);
        return data_verdict::harmless;
    }
    const auto [flow, placed] = flows_.place(flow_table::key_of(one.sender, *one.ends), *one.segment);
    const std::size_t skipped = std::min<std::size_t>(placed.skipped, one.payload.size());
    const auto fresh = one.payload.subspan(skipped, std::min<std::size_t>(placed.fresh, one.payload.size() - skipped));
    if (placed.order == segment_order::in_order) found_ = byte_patterns_.find_across(flows_.history(flow), fresh);
    if (found_ || strikes_with(fresh, sender)) {
        flows_.clear_history(flow);
        flows_.mark_struck(flow, *one.segment);
        return data_verdict::struck;
    }
    if (one.how == decoding::cut_short)
        flows_.clear_history(flow); // the bytes that were not captured are a gap
    else if (placed.order != segment_order::late)
        flows_.append_history(flow, fresh);
    if (placed.has_old_bytes && (placed.touches_struck || byte_patterns_.find(one.payload)))
        return data_verdict::repeated;
    return data_verdict::harmless;
}

/// Appends the payload to the sender's words and bytes. True if there is a pattern; then they are to be cleared.
template <class Sets>
bool gate_machine<Sets>::strikes_with(std::span<const std::uint8_t> payload, sender_table::slot sender) {
    if (byte_patterns_.empty()) return strikes_with_words(payload, sender);
    found_ = byte_patterns_.find_across(senders_.byte_history(sender), payload);
    if (!found_) found_ = byte_patterns_.find(payload);
    if (found_ || strikes_with_words(payload, sender)) return true;
    senders_.append_bytes(sender, payload);
    return false;
}

/// Appends the payload to the sender's words. True at the first pattern; then the words are unchanged.
template <class Sets>
bool gate_machine<Sets>::strikes_with_words(std::span<const std::uint8_t> payload, sender_table::slot sender) {
    if (lengths_.empty() || payload.empty()) return false;
    // Room for the earlier words, one completed word, and those of the packet.
    const std::size_t room = senders_.history_words() + 1 + payload.size() / 4;
    if (words_.size() < room) words_.resize(room);
    const std::size_t first_new = senders_.copy_history(sender, words_.data());
    std::size_t count = first_new;
    std::array<std::uint8_t, 4> begun = senders_.waiting(sender);
    std::size_t held = senders_.waiting_bytes(sender);
    if (held != 0) {
        while (held < 4 && !payload.empty()) {
            begun[held++] = payload.front();
            payload = payload.subspan(1);
        }
        if (held < 4) {
            senders_.set_waiting(sender, std::span(begun).first(held));
            return false;
        }
        words_[count++] = big_endian_word(begun.data());
    }
    for (; payload.size() >= 4; payload = payload.subspan(4)) words_[count++] = big_endian_word(payload.data());
    if (finds_pattern(first_new, count)) return true;
    const std::size_t kept = std::min(count - first_new, senders_.history_words());
    for (std::size_t i = count - kept; i < count; ++i) senders_.append_word(sender, words_[i]);
    senders_.set_waiting(sender, payload);
    return false;
}

/// Does any window that ends at one of the new words, those from `first_new` to `count`, match a pattern?
template <class Sets>
bool gate_machine<Sets>::finds_pattern(std::size_t first_new, std::size_t count) {
    // Running values cost a product per word and one per window; without them, a window costs one per word.
    if (lengths_.front() <= lengths_.size() + 1) return finds_short_pattern(first_new, count);
    if (running_.size() <= count) running_.resize(words_.size() + 1);
    running_[0] = 0;
    for (std::size_t i = 0; i < count; ++i) running_[i + 1] = rolling_.append(running_[i], words_[i]);
    for (std::size_t end = first_new + 1; end <= count; ++end) {
        for (const std::size_t words : lengths_) {
            if (words > end) continue;
            ++counters_.tests;
            const std::uint64_t value = rolling_.window(running_[end], running_[end - words], words);
            const word_span window = std::span(words_).subspan(end - words, words);
            if (sets_.is_pattern(rolling_.digest_of(value, words), window)) return true;
        }
    }
    return false;
}

/// The same where all lengths are short.
template <class Sets>
bool gate_machine<Sets>::finds_short_pattern(std::size_t first_new, std::size_t count) {
    std::array<std::uint64_t, most_pattern_words + 1> values;
    for (std::size_t end = first_new + 1; end <= count; ++end) {
        const std::size_t longest = std::min(end, lengths_.front());
        rolling_.ending_windows(std::span(words_).subspan(end - longest, longest), values.data());
        for (const std::size_t words : lengths_) {
            if (words > end) continue;
            ++counters_.tests;
            const word_span window = std::span(words_).subspan(end - words, words);
            if (sets_.is_pattern(rolling_.digest_of(values[words], words), window)) return true;
        }
    }
    return false;
}

template class gate_machine<filter_sets>;
template class gate_machine<exact_sets>;

} // namespace everbloom::cli
