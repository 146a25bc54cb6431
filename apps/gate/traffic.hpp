// Synthetic traffic for the gate: packet counts per sender are skewed, some senders send patterns word by word, interleaved with other
// packets, and some are on the blacklist.
#pragma once

#include "gate/ip_address.hpp"
#include "gate/lists.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace everbloom::cli {

struct traffic_plan {
    std::uint64_t packets = 1'000'000;
    std::uint64_t senders = 20'000;
    double bad_share = 0.05;
    std::uint64_t patterns = 1000;
    std::uint64_t longest = 4; // words of a pattern
    std::uint64_t seed = 1;
};

struct made_packet {
    std::uint32_t sender = 0;
    std::uint32_t data = 0;
};

class traffic {
public:
    explicit traffic(const traffic_plan& plan);

    [[nodiscard]] made_packet next();

    [[nodiscard]] const pattern_list& patterns() const noexcept { return patterns_; }
    /// 5 % of the senders, and as many addresses that never send.
    [[nodiscard]] std::vector<std::uint32_t> blacklist() const;
    /// Up to 1,000 each: senders, blacklisted senders, and addresses that never send.
    [[nodiscard]] std::vector<std::uint32_t> queries() const;

private:
    [[nodiscard]] std::uint64_t dice() noexcept;
    [[nodiscard]] double fraction() noexcept { return static_cast<double>(dice() >> 11) * 0x1p-53; }
    [[nodiscard]] std::uint32_t address_of(std::uint64_t number) const noexcept;
    [[nodiscard]] bool sends_bad_data(std::uint64_t number) const noexcept;

    traffic_plan plan_;
    std::uint64_t state_;
    std::uint32_t first_address_;
    pattern_list patterns_;
    /// A pattern that a sender is in the middle of, and its next word.
    struct begun_pattern {
        std::uint64_t pattern;
        std::size_t next_word;
    };
    std::unordered_map<std::uint64_t, begun_pattern> begun_; // by sender number
};

} // namespace everbloom::cli
