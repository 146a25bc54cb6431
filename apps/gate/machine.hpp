// gate_machine: the rules of the gate, packet by packet.
//
//   - A sender in bad_ips is rejected; nothing else happens.
//   - A sender without a record gets one, and enters good_ips: once, because its record says so. The filter is never asked whether it is there: a
//     false positive would skip the insertion, and the removal that may follow would take a stranger's cells away.
//   - Its data is appended to its words. After every word, for every length of pattern, longest first: are the last words a
//     pattern? The first hit is a strike: the packet is bad, what the sender sent is forgotten, and the rest of the packet, which
//     is refused as a whole, is not looked at.
//   - The third strike moves it from good_ips to bad_ips, for ever.
//
// `Sets` are filters or exact sets, so both judge by the same rules. Packets come in blocks: addresses are asked for together, which
// hides the waiting for memory; an answer "not bad" is asked again if somebody became bad since.
#pragma once

#include "gate/lists.hpp"
#include "gate/packet.hpp"
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
    std::uint64_t kept_in_good = 0; // moved, but good_ips could not let them go
    std::uint64_t tests = 0;        // windows of words that were asked for

    friend bool operator==(const gate_counters&, const gate_counters&) = default;
};

template <class Sets>
class gate_machine {
public:
    gate_machine(Sets sets, const std::vector<std::size_t>& pattern_lengths, std::size_t most_senders,
                 const any_hasher& hash);

    /// All decodable. A failure (a filter that cannot grow) ends the run: what was judged stands, the rest was not looked at.
    [[nodiscard]] result<void> judge(std::span<const packet> packets, std::span<const sender_key> senders,
                                     std::span<verdict> verdicts);

    /// Refuses an address for ever, as a blacklist does.
    [[nodiscard]] result<void> ban(const sender_key& sender);

    [[nodiscard]] standing ask(const sender_key& sender) const noexcept {
        if (sets_.is_bad(sender)) return standing::bad;
        return sets_.is_good(sender) ? standing::good : standing::neither;
    }

    /// Those who made their third strike since the last call.
    [[nodiscard]] std::vector<ip_address> take_moved() { return std::exchange(moved_, {}); }

    [[nodiscard]] const gate_counters& counters() const noexcept { return counters_; }
    void set_counters(const gate_counters& from) noexcept { counters_ = from; }
    [[nodiscard]] const Sets& sets() const noexcept { return sets_; }
    [[nodiscard]] Sets& sets() noexcept { return sets_; }
    [[nodiscard]] const sender_table& senders() const noexcept { return senders_; }
    [[nodiscard]] sender_table& senders() noexcept { return senders_; }

private:
    [[nodiscard]] result<verdict> judge_one(const packet& one, const sender_key& sender, sender_table::slot likely);
    [[nodiscard]] bool strikes_with(std::span<const std::uint8_t> payload, sender_table::slot sender);
    [[nodiscard]] bool finds_pattern(std::size_t first_new);
    [[nodiscard]] result<void> move_to_bad(const sender_key& sender, sender_table::slot record);

    Sets sets_;
    std::vector<std::size_t> lengths_; // of patterns, longest first
    rolling_hash rolling_;
    sender_table senders_;
    gate_counters counters_;
    std::vector<ip_address> moved_;
    std::uint64_t became_bad_ = 0; // how many; answers about bad_ips are stale when it changes

    // Room that is used again for every packet.
    std::vector<std::uint32_t> words_;
    std::vector<std::uint64_t> running_; // running_[i]: rolling value of the first i words
};

// Made for filter_sets and exact_sets, in machine.cpp.

} // namespace everbloom::cli
