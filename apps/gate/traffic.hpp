// Made-up traffic, for trying the gate: some senders send far more than others, some of them send bad data now and then, word by word between
// the packets of the others, and some are on the blacklist from the beginning.
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
    /// A twentieth of the senders, and as many addresses that never send.
    [[nodiscard]] std::vector<std::uint32_t> blacklist() const;
    /// A thousand of each, if there are so many: senders, those on the blacklist, and addresses that nobody has.
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
    /// A pattern that a bad sender has begun to send, and which of its words comes next.
    struct begun_pattern {
        std::uint64_t pattern;
        std::size_t next_word;
    };
    std::unordered_map<std::uint64_t, begun_pattern> begun_; // by the number of the sender
};

} // namespace everbloom::cli
