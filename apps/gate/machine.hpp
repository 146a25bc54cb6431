// gate_machine: the rules of the gate, applied to each packet.
//
//   - A sender in bad_ips or in a banned network is rejected; nothing else happens.
//   - A sender without a record gets one and is inserted into good_ips, exactly once, because the record decides. The filter is never queried
//     for that: a false positive would skip the insertion, and the later deletion would clear cells of other keys.
//   - Its data is appended to its words. After every word, for every pattern length, longest first: do the last words match a pattern? The
//     first match is a strike: the packet is bad, the sender's words are cleared, and the rest of the packet is not examined. Byte patterns
//     are found at any offset of its last bytes and the new ones (byte_matcher.hpp), with the same consequences.
//   - Of a TCP segment only the bytes that were not seen before are data. One that repeats bytes of a struck segment, or contains a
//     byte pattern, is bad, but no strike: no sender is banned because the network lost a packet.
//   - The third strike moves it from good_ips to bad_ips, permanently.
//
// `Sets` are filters or exact sets, so both follow the same rules. Packets come in blocks: their addresses are queried as a batch, which
// hides memory latency; a negative answer is queried again if a sender was banned since.
#pragma once

#include "gate/address_ranges.hpp"
#include "gate/flows/flow_table.hpp"
#include "gate/lists.hpp"
#include "gate/packet.hpp"
#include "gate/patterns/byte_matcher.hpp"
#include "gate/rolling_hash.hpp"
#include "gate/sender_table.hpp"
#include "gate/verdict.hpp"

#include <everbloom/core/result.hpp>

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace everbloom::cli {

struct gate_counters {
    std::uint64_t accepted = 0;
    std::uint64_t bad = 0;
    std::uint64_t rejected = 0;
    std::uint64_t strikes = 0;
    std::uint64_t moved = 0;
    std::uint64_t kept_in_good = 0; // moved, but good_ips could not delete them
    std::uint64_t tests = 0;        // windows of words that were queried
    std::uint64_t repeated_bad = 0; // bad packets without a strike: TCP segments that repeat bad data

    friend bool operator==(const gate_counters&, const gate_counters&) = default;
};

/// A packet with a pattern.
struct strike {
    std::size_t packet; // its index among those that were judged
    ip_address sender;
    unsigned count;                       // strikes of the sender, with this one
    std::optional<std::uint32_t> pattern; // the byte pattern; a filter of words does not say which one it is
};

struct machine_limits {
    std::size_t most_senders = 1'000'000;
    std::size_t most_flows = 100'000;
};

template <class Sets>
class gate_machine {
public:
    /// `networks` must outlive the machine.
    gate_machine(Sets sets, const std::vector<std::size_t>& pattern_lengths, byte_matcher byte_patterns,
                 const machine_limits& limits, const any_hasher& hash, const address_ranges& networks);

    /// Precondition: all are decodable. A failure (a filter that cannot grow) ends the run: the packets before it were judged, the others not.
    [[nodiscard]] result<void> judge(std::span<const packet> packets, std::span<const sender_key> senders,
                                     std::span<verdict> verdicts);

    /// Bans an address permanently, as a blacklist does.
    [[nodiscard]] result<void> ban(const sender_key& sender);

    [[nodiscard]] standing ask(const sender_key& sender) const noexcept {
        if (sets_.is_bad(sender) || networks_->contains(sender.address)) return standing::bad;
        return sets_.is_good(sender) ? standing::good : standing::neither;
    }

    /// Strikes of the last call of `judge`.
    [[nodiscard]] std::span<const strike> strikes() const noexcept { return strikes_; }

    [[nodiscard]] const gate_counters& counters() const noexcept { return counters_; }
    void set_counters(const gate_counters& from) noexcept { counters_ = from; }
    [[nodiscard]] const Sets& sets() const noexcept { return sets_; }
    [[nodiscard]] Sets& sets() noexcept { return sets_; }
    [[nodiscard]] const sender_table& senders() const noexcept { return senders_; }
    [[nodiscard]] sender_table& senders() noexcept { return senders_; }
    [[nodiscard]] const flow_table& flows() const noexcept { return flows_; }
    [[nodiscard]] flow_table& flows() noexcept { return flows_; }
    [[nodiscard]] const byte_matcher& byte_patterns() const noexcept { return byte_patterns_; }

private:
    enum class data_verdict : std::uint8_t { harmless, repeated, struck };

    [[nodiscard]] result<verdict> judge_one(std::size_t index, const packet& one, const sender_key& sender,
                                            sender_table::slot likely);
    [[nodiscard]] data_verdict examine(const packet& one, sender_table::slot sender);
    [[nodiscard]] data_verdict examine_segment(const packet& one, sender_table::slot sender);
    [[nodiscard]] bool strikes_with(std::span<const std::uint8_t> payload, sender_table::slot sender);
    [[nodiscard]] bool strikes_with_words(std::span<const std::uint8_t> payload, sender_table::slot sender);
    [[nodiscard]] bool finds_pattern(std::size_t first_new, std::size_t count);
    [[nodiscard]] bool finds_short_pattern(std::size_t first_new, std::size_t count);
    [[nodiscard]] result<void> move_to_bad(const sender_key& sender, sender_table::slot record);

    Sets sets_;
    std::vector<std::size_t> lengths_; // of patterns, longest first
    byte_matcher byte_patterns_;
    rolling_hash rolling_;
    const address_ranges* networks_;
    sender_table senders_;
    flow_table flows_;
    gate_counters counters_;
    std::vector<strike> strikes_;
    std::optional<std::uint32_t> found_; // the byte pattern of the packet
    std::uint64_t became_bad_ = 0;       // number of bans; answers about bad_ips are stale when it changes

    // Buffers, reused for every packet; they grow to the size of the largest.
    std::vector<std::uint32_t> words_;
    std::vector<std::uint64_t> running_; // running_[i]: rolling value of the first i words
};

// Instantiated for filter_sets and exact_sets in machine.cpp.

} // namespace everbloom::cli
