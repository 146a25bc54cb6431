// gate_machine: the rules of the gate, applied to each packet.
//
//   - A sender in bad_ips is rejected; nothing else happens.
//   - A sender without a record gets one and is inserted into good_ips, exactly once, because the record decides. The filter is never queried
//     for that: a false positive would skip the insertion, and the later deletion would clear cells of other keys.
//   - Its data is appended to its words. After every word, for every pattern length, longest first: do the last words match a pattern? The
//     first match is a strike: the packet is bad, the sender's words are cleared, and the rest of the packet is not examined.
//   - The third strike moves it from good_ips to bad_ips, permanently.
//
// `Sets` are filters or exact sets, so both follow the same rules. Packets come in blocks: their addresses are queried as a batch, which
// hides memory latency; a negative answer is queried again if a sender was banned since.
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
    std::uint64_t kept_in_good = 0; // moved, but good_ips could not delete them
    std::uint64_t tests = 0;        // windows of words that were queried

    friend bool operator==(const gate_counters&, const gate_counters&) = default;
};

template <class Sets>
class gate_machine {
public:
    gate_machine(Sets sets, const std::vector<std::size_t>& pattern_lengths, std::size_t most_senders,
                 const any_hasher& hash);

    /// Precondition: all are decodable. A failure (a filter that cannot grow) ends the run: the packets before it were judged, the others not.
    [[nodiscard]] result<void> judge(std::span<const packet> packets, std::span<const sender_key> senders,
                                     std::span<verdict> verdicts);

    /// Bans an address permanently, as a blacklist does.
    [[nodiscard]] result<void> ban(const sender_key& sender);

    [[nodiscard]] standing ask(const sender_key& sender) const noexcept {
        if (sets_.is_bad(sender)) return standing::bad;
        return sets_.is_good(sender) ? standing::good : standing::neither;
    }

    /// Senders with their third strike since the last call.
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
    std::uint64_t became_bad_ = 0; // number of bans; answers about bad_ips are stale when it changes

    // Buffers, reused for every packet.
    std::vector<std::uint32_t> words_;
    std::vector<std::uint64_t> running_; // running_[i]: rolling value of the first i words
};

// Instantiated for filter_sets and exact_sets in machine.cpp.

} // namespace everbloom::cli
